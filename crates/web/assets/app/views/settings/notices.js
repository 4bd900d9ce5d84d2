// What a person is told of, and from which days and percents on.
import { signal, useSignal } from '@preact/signals';
import { get, put, resource } from '../../api.js';
import { div, fieldset, h, input, label, legend, option, select } from '../../dom.js';
import { noticesWords, unread } from '../../parts/bell.js';
import { open } from '../../parts/dialog.js';
import { Field, Form, invalid, TextField } from '../../parts/field.js';
import { Loaded } from '../../parts/problem.js';
import { toast } from '../../parts/toast.js';

/** @typedef {import('../../session.js').Schemas['NoticePreferences']} Preferences */
/** @typedef {import('../../session.js').Schemas['NoticeKind']} Kind */
/** @typedef {keyof typeof noticesWords.value.limits} Limited */

const preferences = resource(signal => get('/api/notices/preferences', { signal }));

const KINDS = /** @type {Kind[]} */ ([
  'bill_due',
  'bill_closed',
  'recurring_due',
  'recurring_late',
  'budget',
  'balance',
  'statement_missing',
  'price_changed',
  'repeated_charge',
  'digest',
]);
const LIMITED = /** @type {Limited[]} */ ([
  'bill_due',
  'recurring_due',
  'recurring_late',
  'budget',
  'balance',
  'statement_missing',
]);
/** Those that take several numbers. */
const SEVERAL = ['bill_due', 'recurring_due', 'budget'];

/** The field of a kind's numbers. @param {Limited} kind */
const fieldOf = kind => (kind === 'budget' ? 'percents' : 'days');

/** The first message of a list's elements is that of the list. @param {unknown} error @param {string} name */
const ofList = (error, name) => {
  const errors = /** @type {{ errors?: { field: string }[] } | null} */ (error)?.errors ?? [],
    wrong = errors.find(({ field }) => field.startsWith(`${name}[`));
  return wrong ? wrong.field : name;
};

/** Whole numbers with commas between them. @param {string} text */
const numbers = text => {
  const parts = text.split(',').map(part => part.trim());
  return parts.every(part => /^\d{1,3}$/.test(part)) ? parts.map(Number) : null;
};

/** @param {{ known: Preferences, close: () => void }} props */
const Choice = ({ known, close }) => {
  const w = noticesWords.value,
    chosen = useSignal(KINDS.filter(kind => known.kinds[kind]?.channels.includes('page'))),
    language = useSignal(known.language);
  const typed = useSignal(LIMITED.map(kind => signal((known.kinds[kind]?.[fieldOf(kind)] ?? []).join(', '))));
  return h(Form, {
    submit: w.save,
    isOwn: true,
    work: async () => {
      /** @type {Record<string, { channels?: ('page' | 'push' | 'email')[], days?: number[], percents?: number[] }>} */
      const kinds = {};
      for (const kind of KINDS) {
        // Channels that the page does not show stay as they are.
        const others = (known.kinds[kind]?.channels ?? []).filter(channel => channel !== 'page');
        kinds[kind] = { channels: chosen.value.includes(kind) ? ['page', ...others] : others };
      }
      const wrong = [];
      for (const [at, kind] of LIMITED.entries()) {
        const given = numbers(typed.value[at]?.value ?? '');
        if (given) kinds[kind] = { ...kinds[kind], [fieldOf(kind)]: given };
        else wrong.push(`kinds.${kind}.${fieldOf(kind)}`);
      }
      if (wrong.length) throw invalid(...wrong);
      await put('/api/notices/preferences', { body: { language: language.value, kinds } });
      close();
      toast(w.saved);
      void unread.load();
    },
    children: error => [
      fieldset(
        { class: 'field' },
        legend(null, w.tell),
        KINDS.map(kind =>
          label(
            { key: kind, class: 'check' },
            input({
              type: 'checkbox',
              checked: chosen.value.includes(kind),
              onChange: ({ currentTarget: { checked } }) =>
                (chosen.value = KINDS.filter(one => (one === kind ? checked : chosen.value.includes(one)))),
            }),
            w.kinds[kind],
          ),
        ),
      ),
      LIMITED.map((kind, at) => {
        const value = typed.value[at];
        return (
          value &&
          h(TextField, {
            key: kind,
            label: w.limits[kind],
            name: ofList(error, `kinds.${kind}.${fieldOf(kind)}`),
            value,
            error,
            hint: SEVERAL.includes(kind) ? w.several : w.one,
            maxLength: 20,
          })
        );
      }),
      h(Field, {
        label: w.language,
        name: 'language',
        error,
        children: control =>
          select(
            {
              ...control,
              value: language.value,
              onChange: event => (language.value = /** @type {Preferences['language']} */ (event.currentTarget.value)),
            },
            option({ value: 'pt-BR' }, 'Português'),
            option({ value: 'en' }, 'English'),
          ),
      }),
    ],
  });
};

export const openNoticeChoice = () => {
  preferences.clear();
  preferences.want();
  void open({ title: noticesWords.value.choose }, close =>
    Loaded({
      of: preferences,
      skeleton: div({ class: 'skeleton line' }),
      children: known => h(Choice, { known, close }),
    }),
  );
};
