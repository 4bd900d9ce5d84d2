// Settings, on four pages: of the house, of how this device shows it, of access, of the data.
import { effect, signal, useSignal } from '@preact/signals';
import { useEffect, useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import { clearAll, Problem, postOnce, put, request, resource, setCredential } from '../api.js';
import {
  a,
  button,
  classes,
  div,
  fieldset,
  h,
  h2,
  h1,
  input,
  legend,
  li,
  nav,
  p,
  progress,
  remembered,
  section,
  small,
  span,
  ul,
} from '../dom.js';
import { longDate } from '../dates.js';
import { letters } from '../keys.js';
import { hidden } from '../parts/amount.js';
import { GoalForm } from './settings/goal_form.js';
import { open } from '../parts/dialog.js';
import { Exports } from './settings/exports.js';
import { check, Form, hinted, invalid, LANGUAGES, segments, selectField, TextField } from '../parts/field.js';
import { FileInput } from '../parts/file_input.js';
import { ghost, Loaded, ProblemNote } from '../parts/problem.js';
import { failed, toast } from '../parts/toast.js';
import { recording } from '../parts/undo.js';
import { accounts, canWrite, categories, isOwner, logout, me, player, settings, stays, today } from '../session.js';
import { place, withQuery } from '../router.js';
import { language, words, wordsOf } from '../words.js';
import { RulesPage } from './settings/rules.js';
import { SecondFactor } from './settings/second_factor.js';

const settingsWords = await wordsOf('settings');

/** @typedef {import('../words.js').Language} Language */

const PASSWORD_CHARACTERS_MIN = 8;
const NAMES_MAX = 5;
/** Name, folder and version, as `vendor.toml` has them. */
const LIBRARIES = [
  ['Preact', 'preact', '11.2.0'],
  ['Preact Signals', 'signals', '2.11.4'],
  ['Signals Core', 'signals-core', '1.14.5'],
];

const theme = remembered('theme', /** @type {'system' | 'light' | 'dark'} */ ('system'));
effect(() => {
  if (theme.value === 'system') delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme.value;
});

/** The version and the licence come first in the API description. The rest of it is not read. */
const program = resource(async signal => {
  const reader = (await request('GET', '/api/openapi.json', { signal })).body?.getReader(),
    first = new TextDecoder().decode((await reader?.read())?.value);
  void reader?.cancel();
  return ['version', 'identifier'].map(name => new RegExp(`"${name}": *"([^"]+)"`).exec(first)?.[1]);
});

/** @param {string} id @param {string} title @param {...import('preact').ComponentChildren} content */
const card = (id, title, ...content) =>
  section({ class: 'card', 'aria-labelledby': id }, h2({ id }, title), ...content);

const Device = () => {
  const w = settingsWords.value;
  const themes = /** @type {const} */ ([
    ['system', w.theme_system],
    ['light', w.theme_light],
    ['dark', w.theme_dark],
  ]);
  return card(
    'device',
    w.device,
    div(
      { class: 'stack' },
      selectField({
        label: w.language,
        name: 'language',
        value: language.value,
        options: LANGUAGES,
        choose: one => (language.value = one),
      }),
      fieldset(
        { class: 'field' },
        legend(null, w.theme),
        div(
          { class: 'segments' },
          segments('theme', themes, theme.value, value => (theme.value = value)),
        ),
      ),
      hinted('hide-note', w.hide_hint, w.hide, hidden.value, is => (hidden.value = is)),
      hinted('letters-note', w.letters_hint, w.letters, letters.value, is => (letters.value = is)),
    ),
  );
};

/** @typedef {import('../session.js').Schemas['Settings']} Settings */

/** What needs the settings. @param {(known: Settings) => import('preact').ComponentChildren} children */
const known = children => Loaded({ of: settings, skeleton: div({ class: 'skeleton line' }), children });

/** Incremented after each restore and undo, because inputs from before are obsolete. */
const stale = signal(0);
const undone = async () => {
  await settings.load();
  stale.value++;
};

/** Saves the changed settings. @param {Partial<Settings>} change @param {string} text */
const save = async (change, text) => {
  const known = /** @type {Settings} */ (settings.data.peek());
  const { changed, offer } = recording();
  settings.set(await put('/api/settings', { body: { savings_goal_pct: known.savings_goal_pct, ...change }, changed }));
  toast(
    text,
    offer(() => void undone()),
  );
};

/** A field for each name, and an empty one. @param {{ names: string[] }} props */
const NamesForm = ({ names }) => {
  const w = settingsWords.value,
    typed = useMemo(() => Array.from({ length: NAMES_MAX }, (_, index) => signal(names[index] ?? '')), []);
  return h(Form, {
    submit: words.value.app.save,
    work: async () => {
      const own_names = typed.map(name => name.value.trim()).filter(Boolean);
      typed.forEach((name, index) => (name.value = own_names[index] ?? ''));
      await save({ own_names }, w.names_saved);
    },
    children: error => [
      p({ class: 'quiet' }, w.names_text),
      typed.slice(0, typed.findLastIndex(name => name.value) + 2).map((value, index) =>
        h(TextField, {
          key: index,
          label: `${words.value.account_form.name} ${index + 1}`,
          name: `own_names[${index}]`,
          value,
          error,
          maxLength: 100,
        }),
      ),
    ],
  });
};

/** @param {{ shown: boolean }} props */
const CharacterCheck = ({ shown }) => {
  const w = settingsWords.value;
  return check(w.character_show, shown, show_character => {
    save({ show_character }, show_character ? w.character_shown : w.character_hidden).catch(error => {
      failed(error);
      void settings.load();
    });
  });
};

/** @param {{ days: number | null }} props */
const CodeDaysForm = ({ days }) => {
  const w = settingsWords.value.factor,
    typed = useSignal(String(days ?? ''));
  return h(Form, {
    submit: words.value.app.save,
    work: async () => {
      const text = typed.value.trim();
      if (!/^\d{0,2}$/.test(text) || text === '0') throw invalid('second_factor_days');
      await save({ second_factor_days: text ? Number(text) : null }, w.days_saved);
    },
    children: error =>
      h(TextField, {
        label: w.days,
        name: 'second_factor_days',
        value: typed,
        error,
        hint: w.days_hint,
        class: 'short',
        inputMode: 'numeric',
      }),
  });
};

const Password = () => {
  const w = settingsWords.value,
    current = useSignal(''),
    next = useSignal('');
  return h(Form, {
    submit: w.change,
    isOwn: true,
    work: async () => {
      if (!current.value) throw invalid('current_password');
      if (next.value.length < PASSWORD_CHARACTERS_MIN) throw invalid('new_password');
      setCredential(
        await postOnce('/api/auth/change-password', {
          body: { current_password: current.value, new_password: next.value, ...stays() },
        }),
      );
      current.value = next.value = '';
      toast(w.changed);
    },
    children: error => [
      input({
        class: 'unseen',
        type: 'text',
        name: 'username',
        autoComplete: 'username',
        tabIndex: -1,
        'aria-hidden': 'true',
        readOnly: true,
        value: me.data.value?.name ?? '',
      }),
      h(TextField, {
        label: w.current,
        name: 'current_password',
        value: current,
        error,
        type: 'password',
        autoComplete: 'current-password',
      }),
      h(TextField, {
        label: w.new,
        name: 'new_password',
        value: next,
        error,
        hint: w.new_hint,
        type: 'password',
        autoComplete: 'new-password',
      }),
    ],
  });
};

/** Restores an export: shows the content of the file, asks for confirmation, and shows the result. */
const Restore = () => {
  const w = settingsWords.value,
    result = useSignal(''),
    wrong = useSignal(false),
    busy = useSignal(false);
  const choose = async (/** @type {File} */ file) => {
    result.value = '';
    wrong.value = false;
    let found;
    try {
      found = JSON.parse(await file.text());
    } catch {
      // The code below reports that it is not an export.
    }
    if (found?.format !== 'finance-export' || !Array.isArray(found.transactions) || !Array.isArray(found.accounts))
      return void (wrong.value = true);
    const what = w.holds(found.transactions.length, found.accounts.length),
      day = String(found.exported_at).slice(0, 10);
    let isLooking = true;
    await open({ title: w.restore_title }, close =>
      h(Form, {
        submit: w.restore,
        busy: w.restoring,
        cancel: close,
        work: async key => {
          busy.value = true;
          try {
            await request('POST', '/api/restore', { form: new Blob([file], { type: 'application/json' }), key });
          } catch (error) {
            if (!isLooking) failed(error);
            throw error;
          } finally {
            busy.value = false;
          }
          close();
          result.value = w.restored(what);
          stale.value++;
          clearAll();
          for (const one of [me, settings, categories, accounts, player]) void one.load();
        },
        children: error => [
          p(
            null,
            w.from(
              found.profile?.name,
              /^\d{4}-\d\d-\d\d$/.test(day) ? longDate(language.value, day, today.value) : '',
              what,
            ),
          ),
          p(null, w.restore_ask),
          busy.value && progress({ 'aria-label': w.restoring }),
          error instanceof Problem &&
            error.code === 'ErrValidation' &&
            p({ class: 'problem', role: 'alert' }, w.unsound, ' ', small(null, error.errors[0]?.field)),
        ],
      }),
    );
    isLooking = false;
  };
  return div(
    { class: 'stack' },
    p({ role: 'status' }, result.value || w.restore_text),
    wrong.value && p({ class: 'problem', role: 'alert' }, w.foreign),
    result.value
      ? a({ class: 'button primary', href: '/' }, words.value.views.to_dashboard)
      : h(FileInput, {
          text: w.restore_file,
          accept: '.json',
          take: ([file]) => {
            if (file) void choose(file);
          },
        }),
  );
};

/** A page that is loaded when the address names it. @param {() => Promise<import('preact').FunctionComponent>} load */
const later = load => {
  const page = signal(/** @type {import('preact').FunctionComponent | null} */ (null)),
    failure = signal(/** @type {unknown} */ (null));
  const read = () =>
    void load().then(
      found => (page.value = found),
      error => (failure.value = error),
    );
  return () => {
    useLayoutEffect(read, []);
    // The page starts with the focus on its heading, once it is rendered.
    useLayoutEffect(() => document.querySelector('h1')?.focus({ preventScroll: true }), [page.value]);
    return page.value
      ? h(page.value, null)
      : div(
          { class: 'page narrow' },
          h1({ tabIndex: -1 }, settingsWords.value.title),
          h(ProblemNote, { error: failure.value, retry: read }),
        );
  };
};

/** The pages that `?show=` names. @type {Record<string, import('preact').FunctionComponent>} */
const PAGES = { rules: RulesPage, access: later(() => import('./settings/access.js').then(part => part.AccessPage)) };

/** The pages of the settings, which `?page=` names, with their cards. @type {Record<string, string[]>} */
const CARDS = {
  house: ['goal', 'names', 'rules', 'notices'],
  looks: ['device', 'character-shown'],
  access: ['access', 'session', 'password-title', 'second-factor'],
  data: ['data', 'restore', 'webhooks', 'about'],
};
/** The page with a card. @param {string | null} id */
const pageWith = id => Object.keys(CARDS).find(page => CARDS[page]?.includes(id ?? ''));

/** The settings, or the page that the address names. Each starts with the focus on its heading. */
export default () => {
  const { query } = place.value,
    shown = query.get('show') ?? '',
    named = query.get('page') ?? '',
    // A card that the search has found gets the focus.
    at = shown ? null : query.get('at'),
    page = pageWith(at) ?? (Object.hasOwn(CARDS, named) ? named : 'house'),
    now = shown ? `show ${shown}` : page,
    before = useRef(now);
  useLayoutEffect(() => {
    if (before.current === now) return;
    before.current = now;
    scrollTo(0, 0);
    document.querySelector('h1')?.focus({ preventScroll: true });
  }, [now]);
  return h(PAGES[shown] ?? SettingsPage, /** @type {any} */ ({ page, at }));
};

/** Whether what is read has not come yet. @param {{ data: { value: unknown }, error: { value: unknown } }} read */
const isAwaited = ({ data, error }) => data.value === null && !error.value;

/** In the place of cards: some that came later would move those below them. */
const loading = () =>
  div(
    { class: 'loading', 'aria-busy': true },
    div({ class: 'unseen', role: 'status' }, words.value.app.loading),
    ghost(4),
  );

const House = () => {
  const w = settingsWords.value;
  if (isAwaited(settings)) return loading();
  return [
    canWrite.value &&
      card(
        'goal',
        w.goal,
        known(({ savings_goal_pct: goal }) =>
          h(GoalForm, {
            key: stale.value,
            goal,
            submit: words.value.app.save,
            undone,
          }),
        ),
      ),
    canWrite.value &&
      card(
        'names',
        w.names,
        known(({ own_names: names }) => h(NamesForm, { key: stale.value, names })),
      ),
    card(
      'rules',
      w.rules,
      div({ class: 'stack' }, p(null, w.rules_text), a({ class: 'button', href: '/settings?show=rules' }, w.rules_see)),
    ),
    card(
      'notices',
      w.notices,
      div(
        { class: 'stack' },
        p(null, w.notices_text),
        button(
          {
            class: 'button',
            type: 'button',
            onClick: () => void import('./settings/notices.js').then(({ openNoticeChoice }) => openNoticeChoice()),
          },
          w.notices_choose,
        ),
        button(
          {
            class: 'button',
            type: 'button',
            onClick: () =>
              void import('./settings/notice_channels.js').then(({ openNoticeChannels }) => openNoticeChannels()),
          },
          w.notices_channels,
        ),
      ),
    ),
  ];
};

const Looks = () => [
  h(Device, { key: 'device' }),
  canWrite.value &&
    card(
      'character-shown',
      settingsWords.value.character,
      known(({ show_character: shown }) => h(CharacterCheck, { shown })),
    ),
];

const Entry = () => {
  const w = settingsWords.value,
    name = me.data.value?.name;
  return [
    card(
      'access',
      w.people,
      div(
        { class: 'stack' },
        p(null, isOwner.value ? w.access_text : w.access_own),
        a({ class: 'button', href: '/settings?show=access' }, w.access_see),
      ),
    ),
    card(
      'session',
      w.session,
      div(
        { class: 'stack' },
        name && p(null, w.logged_in(name)),
        button({ class: 'button', type: 'button', onClick: () => void logout() }, words.value.app.logout),
      ),
    ),
    card('password-title', w.password, h(Password, null)),
    card(
      'second-factor',
      w.factor.title,
      h(SecondFactor, null),
      isOwner.value &&
        known(({ second_factor_days: days }) => h(CodeDaysForm, { key: stale.value, days: days ?? null })),
    ),
  ];
};

const Data = () => {
  const w = settingsWords.value,
    [version, licence] = program.data.value ?? [];
  program.want();
  return [
    isOwner.value && card('data', w.data, h(Exports, { text: w.export_text })),
    canWrite.value && card('restore', w.restore, h(Restore, null)),
    canWrite.value &&
      card(
        'webhooks',
        w.webhooks,
        div(
          { class: 'stack' },
          p(null, w.webhooks_text),
          button(
            {
              class: 'button',
              type: 'button',
              onClick: () => void import('./settings/webhooks.js').then(({ openWebhooks }) => openWebhooks()),
            },
            w.webhooks_see,
          ),
        ),
      ),
    card(
      'about',
      w.about,
      div(
        { class: 'stack' },
        p(null, version ? `Finance ${version} (${licence})` : 'Finance'),
        p(null, a({ href: '/docs' }, w.api)),
        p(null, w.libraries),
        ul(
          { class: 'plain' },
          LIBRARIES.map(([name, folder, release]) =>
            li(
              { key: name },
              a(
                { href: new URL(`../../vendor/${folder}/LICENSE`, import.meta.url).pathname },
                `${name} ${release} (MIT)`,
              ),
            ),
          ),
        ),
      ),
    ),
  ];
};

/** @type {Record<string, import('preact').FunctionComponent<any>>} */
const CONTENTS = { house: House, looks: Looks, access: Entry, data: Data };

/** @param {{ page: keyof ReturnType<typeof settingsWords.peek>['pages'], at: string | null }} props */
const SettingsPage = ({ page, at }) => {
  const w = settingsWords.value,
    isRead = settings.data.value !== null && me.data.value !== null,
    isRoleKnown = useRef(false);
  // A restored profile is read again, while the card that restored it tells so.
  isRoleKnown.current ||= !isAwaited(me);
  settings.want();
  useEffect(() => {
    const found = at && document.getElementById(at);
    if (!found) return;
    found.tabIndex = -1;
    found.scrollIntoView({ block: 'start' });
    found.focus({ preventScroll: true });
  }, [at, isRead]);
  return div(
    { class: 'page narrow' },
    h1({ tabIndex: -1 }, w.title, span({ class: 'unseen' }, ` · ${w.pages[page]}`)),
    nav(
      { class: 'report-tabs', 'aria-label': w.title },
      Object.entries(w.pages).map(([name, text]) =>
        a(
          {
            key: name,
            class: classes('tab', name === page && 'here'),
            href: withQuery({ page: name, at: null, show: null }),
            'aria-current': name === page ? 'page' : undefined,
          },
          text,
        ),
      ),
    ),
    // Which cards there are depends on the role.
    isRoleKnown.current ? h(CONTENTS[page] ?? House, { key: page }) : loading(),
  );
};
