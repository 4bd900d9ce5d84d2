// Tokens for programs: scopes, expiry and last use. A new one is shown once.
import { useSignal } from '@preact/signals';
import { get, postOnce, remove, resource } from '../../api.js';
import {
  button,
  div,
  fieldset,
  h,
  h2,
  input,
  label,
  legend,
  li,
  p,
  section,
  small,
  span,
  strong,
  ul,
} from '../../dom.js';
import { addDays, dayAndMonth } from '../../dates.js';
import { ask, open } from '../../parts/dialog.js';
import { Form, invalid, TextField } from '../../parts/field.js';
import { icon } from '../../parts/icon.js';
import { action } from '../../parts/overview.js';
import { fieldMessage, ghost, Loaded } from '../../parts/problem.js';
import { Secret } from '../../parts/secret.js';
import { attempt, toast } from '../../parts/toast.js';
import { isOwner, today } from '../../session.js';
import { language } from '../../words.js';
import { accessWords } from '../../words/access.js';

/** @typedef {import('../../session.js').Schemas['ApiToken']} Token */
/** @typedef {Token['scopes'][number]} Scope */

const DAYS_USUAL = 90;
/** The most days that a token is valid. */
export const DAYS_MAX = 366;
/** The scopes that a token may have. Calendars have their own section. @type {Scope[]} */
const SCOPES = ['read', 'import', 'enter', 'write', 'export'];

export const tokens = resource(signal => get('/api/tokens', { signal }));

/** Whether a token is for the calendar only. @param {Token} token */
export const isCalendar = ({ scopes }) => scopes.length === 1 && scopes[0] === 'calendar';

/** @param {string} date */
const day = date => dayAndMonth(language.value, date, today.value);

/** Its expiry and its last use. @param {Token} token */
export const lifeOf = ({ expires_on, last_used_on }) => {
  const w = accessWords.value;
  return [
    (expires_on < today.value ? w.ended : w.until)(day(expires_on)),
    last_used_on ? w.used(day(last_used_on)) : w.never_used,
  ];
};

/** @param {Token} token */
export const revoke = async token => {
  const isDone = await attempt(() => remove('/api/tokens/{id}', { path: { id: token.id } }));
  void tokens.load();
  return isDone;
};

/** @param {Token} token */
const askToRevoke = async token => {
  const w = accessWords.peek();
  if (!(await ask({ title: w.revoke_title(token.name), text: w.revoke_text, yes: w.revoke_yes }))) return;
  if (await revoke(token)) toast(w.revoked(token.name));
};

/** @param {{ token: Token, children?: import('preact').ComponentChildren }} props */
export const TokenRow = ({ token, children }) => {
  const w = accessWords.value,
    text = w.revoke(token.name);
  return li(
    { class: 'account-row access-row' },
    div(
      { class: 'entry-text' },
      token.name,
      span(
        { class: 'quiet' },
        [
          ...(isCalendar(token) ? [] : [token.scopes.map(scope => w.scope_names[scope]).join(', ')]),
          ...lifeOf(token),
        ].join(' · '),
      ),
    ),
    div(
      { class: 'account-name' },
      children,
      button(
        {
          class: 'icon-button',
          type: 'button',
          'aria-label': text,
          title: text,
          onClick: () => void askToRevoke(token),
        },
        icon('trash'),
      ),
    ),
  );
};

/** @param {{ close: () => void }} props */
const TokenForm = ({ close }) => {
  const w = accessWords.value,
    name = useSignal(''),
    until = useSignal(addDays(today.peek(), DAYS_USUAL)),
    scopes = useSignal(/** @type {Scope[]} */ ([])),
    made = useSignal('');
  if (made.value) return h(Secret, { text: w.token_text, name: w.token, value: made.value, close });
  // Only an owner may export.
  const known = SCOPES.filter(scope => scope !== 'export' || isOwner.value);
  return h(Form, {
    submit: w.make_token,
    cancel: close,
    work: async () => {
      const wrong = Object.entries({
        name: !name.value.trim(),
        scopes: scopes.value.length === 0,
        expires_on: !until.value,
      }).flatMap(([field, isWrong]) => (isWrong ? [field] : []));
      if (wrong.length > 0) throw invalid(...wrong);
      made.value = (
        await postOnce('/api/tokens', { body: { name: name.value, scopes: scopes.value, expires_on: until.value } })
      ).token;
      void tokens.load();
    },
    children: error => {
      const isWrong = fieldMessage(error, 'scopes') !== null;
      return [
        h(TextField, {
          key: 'name',
          label: w.name,
          name: 'name',
          value: name,
          error,
          hint: w.name_hint,
          maxLength: 100,
        }),
        fieldset(
          { key: 'scopes', class: 'field', 'aria-describedby': isWrong ? 'scopes-note' : undefined },
          legend(null, w.scopes),
          div(
            { class: 'choices' },
            known.map(scope =>
              label(
                { key: scope, class: scopes.value.includes(scope) ? 'choice chosen' : 'choice' },
                input({
                  type: 'checkbox',
                  name: 'scopes',
                  checked: scopes.value.includes(scope),
                  'aria-invalid': isWrong,
                  onChange: event =>
                    (scopes.value = event.currentTarget.checked
                      ? [...scopes.value, scope]
                      : scopes.value.filter(one => one !== scope)),
                }),
                span(null, strong(null, w.scope_names[scope]), small({ class: 'hint' }, w.scope_texts[scope])),
              ),
            ),
          ),
          isWrong && small({ id: 'scopes-note', class: 'field-error' }, w.scopes_needed),
        ),
        h(TextField, {
          key: 'until',
          label: w.expires,
          name: 'expires_on',
          value: until,
          error,
          hint: w.expires_hint,
          type: 'date',
          min: today.value,
          max: addDays(today.value, DAYS_MAX),
        }),
      ];
    },
  });
};

const add = () => void open({ title: accessWords.peek().new_token }, close => h(TokenForm, { close }));

export const Tokens = () => {
  const w = accessWords.value;
  tokens.want();
  return section(
    { class: 'card', 'aria-labelledby': 'tokens' },
    div({ class: 'card-head' }, h2({ id: 'tokens', tabIndex: -1 }, w.tokens), action(w.new_token, add)),
    p({ class: 'finding' }, w.tokens_text),
    Loaded({
      of: tokens,
      skeleton: ghost(2),
      children: all => {
        const rows = all.filter(token => !isCalendar(token));
        return rows.length === 0
          ? p({ class: 'quiet' }, w.no_tokens)
          : ul(
              { class: 'rows' },
              rows.map(token => h(TokenRow, { key: token.id, token })),
            );
      },
    }),
  );
};
