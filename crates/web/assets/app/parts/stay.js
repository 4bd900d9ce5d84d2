// Asks for the password before the session ends, so that the current view stays.
import { signal } from '@preact/signals';
import { credential, Problem } from '../api.js';
import { h, input, p } from '../dom.js';
import { login } from '../session.js';
import { words } from '../words.js';
import { open } from './dialog.js';
import { Field, Form, TextField } from './field.js';

let isAsked = false;
export const askToStay = async () => {
  const known = credential.peek();
  if (!known || isAsked) return;
  isAsked = true;
  const w = words.value.login,
    password = signal(''),
    code = signal(''),
    isCodeAsked = signal(false);
  const minutes = Math.max(1, Math.round((Date.parse(known.expires_at) - Date.now()) / 60_000));
  await open({ title: w.ends_soon(minutes) }, close =>
    h(Form, {
      submit: w.stay,
      cancel: close,
      isOwn: true,
      work: async () => {
        try {
          await login(known.profile.name, password.value, undefined, code.value);
        } catch (error) {
          if (error instanceof Problem && error.code === 'ErrSecondFactorRequired') isCodeAsked.value = true;
          throw error;
        }
        close();
      },
      children: error => [
        p(null, w.stay_text),
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
