// Before the session ends the page asks for the password; what is on the screen stays.
import { signal } from '@preact/signals';
import { credential } from '../api.js';
import { h, input, p } from '../dom.js';
import { login } from '../session.js';
import { words } from '../words.js';
import { open } from './dialog.js';
import { Field, Form } from './field.js';

let isAsked = false;
export const askToStay = async () => {
  const known = credential.peek();
  if (!known || isAsked) return;
  isAsked = true;
  const w = words.value.login, password = signal('');
  const minutes = Math.max(1, Math.round((Date.parse(known.expires_at) - Date.now()) / 60_000));
  await open({ title: w.ends_soon(minutes) }, close =>
    h(Form, {
      submit: w.stay, cancel: close, isOwn: true,
      work: async () => {
        await login(known.profile.name, password.value);
        close();
      },
      children: error => [
        p(null, w.stay_text),
        h(Field, { label: w.password, name: 'password', error, children: control =>
          input({ ...control, type: 'password', autoComplete: 'current-password', value: password.value, onInput: event => (password.value = event.currentTarget.value) }) }),
      ],
    }));
  isAsked = false;
};
