// Webhooks: addresses that receive events. Create, delete, and list the deliveries of each.
import { signal } from '@preact/signals';
import { get, post, postOnce, remove, resource } from '../../api.js';
import { button, code, div, fieldset, h, input, label, legend, li, p, small, strong, ul } from '../../dom.js';
import { open } from '../../parts/dialog.js';
import { enteredBy, useNames } from '../../parts/entered_by.js';
import { Form, TextField } from '../../parts/field.js';
import { Loaded } from '../../parts/problem.js';
import { attempt } from '../../parts/toast.js';
import { language, wordsOf } from '../../words.js';

const webhooksWords = await wordsOf('webhooks');
const hooks = resource(signal => get('/api/webhooks', { signal }));

/** @typedef {import('../../session.js').Schemas['Webhook']} Webhook */
/** @typedef {import('../../session.js').Schemas['WebhookEvent']} Event */

const EVENTS = /** @type {Event[]} */ ([
  'import.confirmed',
  'bill.closed',
  'bill.due',
  'budget.exceeded',
  'transaction.created',
]);
const skeleton = () => div({ class: 'skeleton line' });

/** @param {Webhook} hook */
const openDeliveries = hook => {
  const w = webhooksWords.value,
    sent = resource(signal => get('/api/webhooks/{id}/deliveries', { path: { id: hook.id }, signal }));
  sent.want();
  /** @param {number} delivery_id */
  const again = delivery_id =>
    attempt(
      async () => {
        await post('/api/webhooks/{id}/deliveries/{delivery_id}/send', { path: { id: hook.id, delivery_id } });
        await sent.load();
      },
      { text: w.sent_again },
    );
  void open({ title: w.deliveries }, () =>
    Loaded({
      of: sent,
      skeleton: skeleton(),
      children: rows =>
        rows.length === 0
          ? p(null, w.no_deliveries)
          : ul(
              { class: 'plain stack' },
              rows.map(row =>
                li(
                  { key: row.id },
                  strong(null, w.events[row.type]),
                  ' ',
                  small(null, new Date(row.created_at).toLocaleString(language.value)),
                  p(
                    null,
                    w.states[row.state],
                    ` · ${w.attempts(row.attempts)}`,
                    row.error && ` · ${w.errors[row.error]}`,
                    row.response_status && ` (${row.response_status})`,
                  ),
                  button({ class: 'link-button', type: 'button', onClick: () => void again(row.id) }, w.again),
                ),
              ),
            ),
    }),
  );
};

const Hooks = () => {
  const w = webhooksWords.value;
  useNames(true);
  /** @param {Webhook} hook */
  const away = hook =>
    attempt(
      async () => {
        await remove('/api/webhooks/{id}', { path: { id: hook.id } });
        await hooks.load();
      },
      { text: w.removed },
    );
  return Loaded({
    of: hooks,
    skeleton: skeleton(),
    children: known =>
      known.length === 0
        ? p(null, w.none)
        : ul(
            { class: 'plain stack' },
            known.map(hook => {
              const maker = enteredBy(hook);
              return li(
                { key: hook.id },
                code(null, hook.url),
                p(null, hook.events.map(event => w.events[event]).join(', ')),
                maker && p(null, small(null, w.by(maker))),
                button({ class: 'link-button', type: 'button', onClick: () => openDeliveries(hook) }, w.deliveries),
                ' ',
                button({ class: 'link-button', type: 'button', onClick: () => void away(hook) }, w.remove),
              );
            }),
          ),
  });
};

export const openWebhooks = () => {
  const url = signal(''),
    chosen = signal(/** @type {Event[]} */ ([...EVENTS])),
    secret = signal('');
  void hooks.load();
  void open({ title: webhooksWords.value.title }, () => {
    const w = webhooksWords.value;
    return div(
      { class: 'stack' },
      h(Hooks, null),
      secret.value && p({ role: 'status' }, w.secret, ' ', code(null, secret.value)),
      h(Form, {
        submit: w.create,
        work: async () => {
          const made = await postOnce('/api/webhooks', { body: { url: url.value, events: chosen.value } });
          secret.value = made.secret;
          url.value = '';
          await hooks.load();
        },
        children: error => [
          h(TextField, {
            label: w.url,
            name: 'url',
            value: url,
            error,
            hint: w.url_hint,
            inputMode: 'url',
            maxLength: 2000,
          }),
          fieldset(
            { class: 'field' },
            legend(null, w.of),
            EVENTS.map(event =>
              label(
                { key: event, class: 'check' },
                input({
                  type: 'checkbox',
                  checked: chosen.value.includes(event),
                  onChange: change =>
                    (chosen.value = EVENTS.filter(one =>
                      one === event ? change.currentTarget.checked : chosen.value.includes(one),
                    )),
                }),
                w.events[event],
              ),
            ),
          ),
        ],
      }),
    );
  });
};
