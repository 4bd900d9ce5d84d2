// Where a person is told: on devices, and by e-mail.
import { signal, useSignal } from '@preact/signals';
import { useLayoutEffect } from 'preact/hooks';
import { get, post, postOnce, remove, resource } from '../../api.js';
import { button, div, h, h3, li, p, section, small, strong, ul } from '../../dom.js';
import { open } from '../../parts/dialog.js';
import { Form, TextField } from '../../parts/field.js';
import { Loaded } from '../../parts/problem.js';
import { end, leave, own, signUp, state } from '../notices/push.js';
import { attempt, toast } from '../../parts/toast.js';
import { language, wordsOf } from '../../words.js';
import { deviceOf } from './sessions.js';

const channelWords = await wordsOf('notice_channels');

/** @typedef {import('../../session.js').Schemas['PushDevice']} Device */
/** @typedef {import('../../session.js').Schemas['NoticePreferences']} Preferences */

const preferences = resource(signal => get('/api/notices/preferences', { signal }));
const devices = resource(signal => get('/api/notices/devices', { signal }));
/** Whether this device is told, or why it cannot be. Null until it is known. */
const here = signal(/** @type {Awaited<ReturnType<typeof state>> | null} */ (null));

const skeleton = () => div({ class: 'skeleton line' });
const CODE = /^\d{6}$/;

const refresh = async () => {
  here.value = await state();
};

/** @param {string} key */
const begin = key =>
  attempt(async () => {
    here.value = await signUp(key);
    await devices.load();
    if (here.value === 'on') toast(channelWords.peek().signed_up);
  });

const stop = () =>
  attempt(
    async () => {
      await leave();
      await Promise.all([refresh(), devices.load()]);
    },
    { text: channelWords.peek().stopped },
  );

/** @param {Device} device */
const away = ({ id }) =>
  attempt(
    async () => {
      if (own()?.id === id) await end();
      await remove('/api/notices/devices/{id}', { path: { id } });
      await Promise.all([refresh(), devices.load()]);
    },
    { text: channelWords.peek().removed },
  );

/** @param {Device} device */
const tryOut = ({ id }) =>
  attempt(() => post('/api/notices/devices/{id}/test', { path: { id } }), { text: channelWords.peek().tested });

/** @param {{ pushKey: string | null }} props */
const Here = ({ pushKey }) => {
  const w = channelWords.value,
    known = here.value;
  if (pushKey === null) return p(null, w.unconfigured);
  if (known === null) return skeleton();
  return div(
    { class: 'stack' },
    p({ role: 'status' }, w[known]),
    known === 'off' &&
      button({ class: 'button primary', type: 'button', onClick: () => void begin(pushKey) }, w.sign_up),
    known === 'on' && button({ class: 'button', type: 'button', onClick: () => void stop() }, w.stop),
  );
};

const Devices = () => {
  const w = channelWords.value;
  return Loaded({
    of: devices,
    skeleton: skeleton(),
    children: rows =>
      rows.length === 0
        ? p(null, w.none)
        : ul(
            { class: 'plain stack' },
            rows.map(device => {
              const isHere = here.value === 'on' && own()?.id === device.id,
                client = deviceOf(device.client ?? null),
                name = isHere ? `${client} (${w.here})` : client,
                day = new Date(device.created_at).toLocaleDateString(language.value);
              return li(
                { key: device.id, class: 'stack' },
                div(
                  null,
                  strong(null, name),
                  p(null, small({ class: 'quiet' }, w.since(day, device.host))),
                  device.failure && p(null, w.failure),
                ),
                div(
                  { class: 'row-actions' },
                  button(
                    {
                      class: 'button',
                      type: 'button',
                      'aria-label': w.of(w.test, name),
                      onClick: () => void tryOut(device),
                    },
                    w.test,
                  ),
                  button(
                    {
                      class: 'button',
                      type: 'button',
                      'aria-label': w.of(w.remove, name),
                      onClick: () => void away(device),
                    },
                    w.remove,
                  ),
                ),
              );
            }),
          ),
  });
};

/** @param {string} address */
const sendCode = async address => {
  await post('/api/notices/email', { body: { address } });
  await preferences.load();
  toast(channelWords.peek().sent(address));
};

const removeEmail = () =>
  attempt(
    async () => {
      await remove('/api/notices/email');
      await preferences.load();
    },
    { text: channelWords.peek().email_removed },
  );

const Address = () => {
  const w = channelWords.value,
    typed = useSignal('');
  return h(Form, {
    submit: w.send,
    isOwn: true,
    work: () => sendCode(typed.value.trim()),
    children: error => [
      p(null, w.email_text),
      h(TextField, {
        label: w.address,
        name: 'address',
        value: typed,
        error,
        type: 'email',
        inputMode: 'email',
        autoComplete: 'email',
        maxLength: 254,
      }),
    ],
  });
};

/** @param {{ address: string }} props */
const Code = ({ address }) => {
  const w = channelWords.value,
    typed = useSignal('');
  return div(
    { class: 'stack' },
    p(null, w.waits(address)),
    h(Form, {
      submit: w.confirm,
      isOwn: true,
      work: async key => {
        await postOnce('/api/notices/email/confirm', { body: { code: typed.value.trim() }, key });
        await preferences.load();
        toast(w.confirmed);
      },
      children: error =>
        h(TextField, {
          label: w.code,
          name: 'code',
          value: typed,
          error,
          hint: w.code_hint,
          class: 'short',
          inputMode: 'numeric',
          autoComplete: 'one-time-code',
          maxLength: 6,
          // The code that a mail has is often pasted with spaces.
          onPaste: event => {
            const pasted = event.clipboardData?.getData('text').replaceAll(/\s/g, '') ?? '';
            if (!CODE.test(pasted)) return;
            event.preventDefault();
            typed.value = pasted;
          },
        }),
    }),
    div(
      { class: 'row-actions' },
      button({ class: 'button', type: 'button', onClick: () => void attempt(() => sendCode(address)) }, w.another),
      button({ class: 'button', type: 'button', onClick: () => void removeEmail() }, w.email_remove),
    ),
  );
};

/** @param {{ email: Preferences['email'] }} props */
const Email = ({ email }) => {
  const w = channelWords.value;
  if (!email?.address) return h(Address, null);
  if (!email.confirmed) return h(Code, { address: email.address });
  return div(
    { class: 'stack' },
    p(null, w.goes_to(email.address)),
    div(null, button({ class: 'button', type: 'button', onClick: () => void removeEmail() }, w.email_remove)),
  );
};

const Channels = () => {
  const w = channelWords.value;
  useLayoutEffect(() => void refresh(), []);
  return Loaded({
    of: preferences,
    skeleton: skeleton(),
    children: known =>
      div(
        { class: 'stack' },
        section({ class: 'stack' }, h3(null, w.device), h(Here, { pushKey: known.push_key ?? null })),
        section({ class: 'stack' }, h3(null, w.devices), h(Devices, null)),
        section({ class: 'stack' }, h3(null, w.email), h(Email, { email: known.email })),
      ),
  });
};

export const openNoticeChannels = () => {
  here.value = null;
  for (const one of [preferences, devices]) {
    one.clear();
    one.want();
  }
  void open({ title: channelWords.value.title }, () => h(Channels, null));
};
