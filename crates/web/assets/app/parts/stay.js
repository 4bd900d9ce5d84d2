// Asks for the password before the session ends, or for a code if only that is missing, so that the current view stays.
import { signal } from '@preact/signals';
import { credential, Problem, renew } from '../api.js';
import { h, input, p } from '../dom.js';
import { login } from '../session.js';
import { words } from '../words.js';
import { open } from './dialog.js';
import { Field, Form, TextField } from './field.js';

let isAsked = false;
/** @param {boolean} isCode Whether a code renews the session. */
export const askToStay = async isCode => {
  const known = credential.peek();
  if (!known || isAsked) return;
  isAsked = true;
  const w = words.value.login,
    password = signal(''),
    code = signal(''),
    isCodeAsked = signal(isCode);
  const minutes = Math.max(1, Math.round((Date.parse(known.expires_at) - Date.now()) / 60_000));
  await open({ title: w.ends_soon(minutes) }, close =>
    h(Form, {
      submit: w.stay,
      cancel: close,
      isOwn: true,
      work: async () => {
        if (isCode) {
          if ((await renew(code.value.trim())) !== 'renewed')
            throw new Problem({ status: 401, code: 'ErrInvalidCredentials' });
          return close();
        }
        try {
          await login(known.profile.name, password.value, undefined, code.value);
        } catch (error) {
          if (error instanceof Problem && error.code === 'ErrSecondFactorRequired') isCodeAsked.value = true;
          throw error;
        }
        close();
      },
      children: error => [
        p(null, isCode ? w.code_needed : w.stay_text),
        !isCode &&
          h(Field, {
            label: w.password,
            name: 'password',
            error,
            children: control =>
              input({
                ...control,
                type: 'password',
                autoComplete: 'current-password',
                value: password.value,
                onInput: event => (password.value = event.currentTarget.value),
              }),
          }),
        isCodeAsked.value &&
          h(TextField, {
            label: w.code,
            name: 'code',
            value: code,
            error,
            inputMode: 'numeric',
            autoComplete: 'one-time-code',
          }),
      ],
    }),
  );
  isAsked = false;
};
