// An invited user chooses a name and a password, or a member sets the password with a link, and is logged in.
import { useSignal } from '@preact/signals';
import { Problem } from '../../api.js';
import { button, classes, div, h, h1, input, main, p, span } from '../../dom.js';
import { check, Form, invalid, TextField } from '../../parts/field.js';
import { accept } from '../../session.js';
import { words } from '../../words.js';
import { accessWords } from '../../words/access.js';

const PASSWORD_CHARACTERS_MIN = 8;

/** @param {{ invitation: string, member: string, isKept: boolean, done: () => void, leave: () => void }} props */
export const Accept = ({ invitation, member, isKept, done, leave }) => {
  const w = accessWords.value,
    name = useSignal(''),
    password = useSignal(''),
    code = useSignal(''),
    keep = useSignal(isKept),
    isCodeAsked = useSignal(false);
  return main(
    { class: 'login' },
    div(
      { class: 'login-card form' },
      div(
        { class: 'login-head' },
        span({ class: classes('brand-mark', 'large'), 'aria-hidden': 'true' }),
        h1({ tabIndex: -1 }, member ? w.choose_title(member) : w.accept_title),
        p(null, member ? w.choose_text : w.accept_text),
      ),
      h(Form, {
        submit: member ? w.choose_do : w.accept_do,
        busy: w.accept_busy,
        isOwn: true,
        work: async () => {
          const wrong = [
            !member && !name.value.trim() && 'name',
            password.value.length < PASSWORD_CHARACTERS_MIN && 'new_password',
          ].filter(field => typeof field === 'string');
          if (wrong.length > 0) throw invalid(...wrong);
          try {
            if (!(await accept(invitation, member || name.value, password.value, keep.value, code.value)))
              return leave();
          } catch (error) {
            if (error instanceof Problem && error.code === 'ErrSecondFactorRequired') isCodeAsked.value = true;
            throw error;
          }
          done();
        },
        children: error => [
          member
            ? // For password managers.
              input({
                key: 'name',
                class: 'unseen',
                type: 'text',
                name: 'username',
                autoComplete: 'username',
                tabIndex: -1,
                'aria-hidden': 'true',
                readOnly: true,
                value: member,
              })
            : h(TextField, {
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
            autoFocus: member !== '',
          }),
          isCodeAsked.value &&
            h(TextField, {
              key: 'code',
              label: words.value.login.code,
              name: 'code',
              value: code,
              error,
              inputMode: 'numeric',
              autoComplete: 'one-time-code',
            }),
          check(words.value.login.keep, keep.value, is => (keep.value = is)),
        ],
      }),
      button({ class: 'link-button', type: 'button', onClick: leave }, w.accept_login),
    ),
  );
};
