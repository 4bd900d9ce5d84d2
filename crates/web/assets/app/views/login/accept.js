// An invited user chooses a name and a password, and is logged in.
import { useSignal } from '@preact/signals';
import { button, classes, div, h, h1, main, p, span } from '../../dom.js';
import { Form, invalid, TextField } from '../../parts/field.js';
import { accept } from '../../session.js';
import { accessWords } from '../../words/access.js';

const PASSWORD_CHARACTERS_MIN = 8;

/** @param {{ invitation: string, done: () => void, leave: () => void }} props */
export const Accept = ({ invitation, done, leave }) => {
  const w = accessWords.value,
    name = useSignal(''),
    password = useSignal('');
  return main(
    { class: 'login' },
    div(
      { class: 'login-card form' },
      div(
        { class: 'login-head' },
        span({ class: classes('brand-mark', 'large'), 'aria-hidden': 'true' }),
        h1({ tabIndex: -1 }, w.accept_title),
        p(null, w.accept_text),
      ),
      h(Form, {
        submit: w.accept_do,
        busy: w.accept_busy,
        isOwn: true,
        work: async () => {
          const wrong = [
            !name.value.trim() && 'name',
            password.value.length < PASSWORD_CHARACTERS_MIN && 'new_password',
          ].filter(field => typeof field === 'string');
          if (wrong.length > 0) throw invalid(...wrong);
          await accept(invitation, name.value, password.value);
          done();
        },
        children: error => [
          h(TextField, {
            key: 'name',
            label: w.accept_name,
            name: 'name',
            value: name,
            error,
            maxLength: 100,
            autoComplete: 'username',
            autoCapitalize: 'none',
            spellcheck: false,
            autoFocus: true,
          }),
          h(TextField, {
            key: 'password',
            label: w.accept_password,
            name: 'new_password',
            value: password,
            error,
            hint: w.accept_password_hint,
            type: 'password',
            autoComplete: 'new-password',
          }),
        ],
      }),
      button({ class: 'link-button', type: 'button', onClick: leave }, w.accept_login),
    ),
  );
};
