// What a person is told of and where, at which hours, and from which days and percents on.
import { signal, useSignal } from '@preact/signals';
import { get, put, resource } from '../../api.js';
import { caption, div, fieldset, h, input, label, legend, small, table, tbody, td, th, thead, tr } from '../../dom.js';
import { open } from '../../parts/dialog.js';
import { check, Form, invalid, LANGUAGES, selectField, TextField } from '../../parts/field.js';
import { Loaded } from '../../parts/problem.js';
import { toast } from '../../parts/toast.js';
import { noticesWords, unread } from '../notices/unread.js';

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
const CHANNELS = /** @type {const} */ (['page', 'push', 'email']);
/** The times of a day: when to tell, and when not to. */
const TIMES = /** @type {const} */ (['hour', 'quiet_from', 'quiet_to']);
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
    chosen = useSignal(
      new Set(KINDS.flatMap(kind => (known.kinds[kind]?.channels ?? []).map(one => `${kind} ${one}`))),
    ),
    times = useSignal(TIMES.map(name => signal(known[name]))),
    amounts = useSignal(known.amounts),
    language = useSignal(known.language);
  /** @param {Kind} kind @param {(typeof CHANNELS)[number]} channel */
  const Check = (kind, channel) =>
    label(
      { class: 'check check-target' },
      input({
        type: 'checkbox',
        'aria-label': w.at(w.kinds[kind], w.channels[channel]),
        checked: chosen.value.has(`${kind} ${channel}`),
        onChange: ({ currentTarget: { checked } }) => {
          const next = new Set(chosen.value);
          if (checked) next.add(`${kind} ${channel}`);
          else next.delete(`${kind} ${channel}`);
          chosen.value = next;
        },
      }),
    );
  const typed = useSignal(LIMITED.map(kind => signal((known.kinds[kind]?.[fieldOf(kind)] ?? []).join(', '))));
  return h(Form, {
    submit: w.save,
    isOwn: true,
    work: async () => {
      /** @type {Record<string, { channels?: ('page' | 'push' | 'email')[], days?: number[], percents?: number[] }>} */
      const kinds = {};
      for (const kind of KINDS) {
        kinds[kind] = { channels: CHANNELS.filter(channel => chosen.value.has(`${kind} ${channel}`)) };
      }
      const [hour, quiet_from, quiet_to] = /** @type {[string, string, string]} */ (times.value.map(one => one.value));
      const wrong = [];
      for (const [at, kind] of LIMITED.entries()) {
        const given = numbers(typed.value[at]?.value ?? '');
        if (given) kinds[kind] = { ...kinds[kind], [fieldOf(kind)]: given };
        else wrong.push(`kinds.${kind}.${fieldOf(kind)}`);
      }
      if (wrong.length) throw invalid(...wrong);
      await put('/api/notices/preferences', {
        body: { hour, quiet_from, quiet_to, amounts: amounts.value, language: language.value, kinds },
      });
      close();
      toast(w.saved);
      void unread.load();
    },
    children: error => [
      div(
        { class: 'table-frame' },
        table(
          { class: 'list' },
          caption({ class: 'unseen' }, w.tell),
          thead(
            null,
            tr(
              null,
              th({ scope: 'col' }, w.tell),
              CHANNELS.map(channel => th({ key: channel, scope: 'col' }, w.channels[channel])),
            ),
          ),
          tbody(
            null,
            KINDS.map(kind =>
              tr(
                { key: kind },
                th({ scope: 'row' }, w.kinds[kind]),
                CHANNELS.map(channel => td({ key: channel }, Check(kind, channel))),
              ),
            ),
          ),
        ),
      ),
      TIMES.map((name, at) => {
        const value = times.value[at];
        return (
          value &&
          h(TextField, { key: name, label: w.times[name], name, value, error, type: 'time', hint: w.times_hints[name] })
        );
      }),
      fieldset(
        { class: 'field' },
        legend({ class: 'unseen' }, w.amounts),
        check(w.amounts, amounts.value, is => (amounts.value = is), { 'aria-describedby': 'amounts-note' }),
        small({ id: 'amounts-note', class: 'hint' }, w.amounts_hint),
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
      selectField({
        label: w.language,
        name: 'language',
        error,
        value: language.value,
        options: LANGUAGES,
        choose: one => (language.value = one),
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
