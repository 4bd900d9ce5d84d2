// The second factor: turned on with the password and an authenticator code, recovery codes shown once, turned off with
// the password.
import { signal } from '@preact/signals';
import { postOnce, remove, setCredential } from '../../api.js';
import { button, code, div, h, li, ol, p, path, svg } from '../../dom.js';
import { open } from '../../parts/dialog.js';
import { Form, invalid, TextField } from '../../parts/field.js';
import { toast } from '../../parts/toast.js';
import { me, stays } from '../../session.js';
import { wordsOf } from '../../words.js';

const settingsWords = await wordsOf('settings');

/**
 * The QR code from the service's parts: its side, and the dark modules.
 * @param {{ drawn: string, title: string }} props
 */
const QrCode = ({ drawn, title }) => {
  const [, side] = /viewBox="0 0 (\d+) /.exec(drawn) ?? [],
    [, dark] = /<path d="([^"]+)"/.exec(drawn) ?? [];
  return svg(
    { class: 'qr', viewBox: `0 0 ${side} ${side}`, role: 'img', 'aria-label': title, 'shape-rendering': 'crispEdges' },
    path({ class: 'qr-light', d: `M0 0h${side}v${side}H0z` }),
    path({ d: dark }),
  );
};

/** @param {import('../../session.js').Schemas['SecondFactor']} enrolment @param {(codes: string[]) => void} done */
const enrol = (enrolment, done) => {
  const w = settingsWords.value.factor,
    typed = signal('');
  void open({ title: w.title }, close =>
    h(Form, {
      submit: w.confirm,
      isOwn: true,
      cancel: close,
      work: async () => {
        if (!typed.value.trim()) throw invalid('code');
        // All logins end with this, so the answer has a new one.
        const { recovery_codes: codes, ...login } = await postOnce('/api/auth/second-factor/confirm', {
          body: { code: typed.value, ...stays() },
        });
        setCredential(login);
        close();
        void me.load();
        done(codes);
      },
      children: error => [
        p(null, w.scan),
        h(QrCode, { drawn: enrolment.qr_svg, title: w.qr }),
        p(null, w.by_hand, ' ', code({ class: 'secret' }, enrolment.secret)),
        h(TextField, {
          label: w.code,
          name: 'code',
          value: typed,
          error,
          class: 'short',
          inputMode: 'numeric',
          autoComplete: 'one-time-code',
        }),
      ],
    }),
  );
};

/** @param {string[]} codes */
const tell = codes => {
  const w = settingsWords.value.factor;
  void open({ title: w.codes, isOnce: true }, close =>
    div(
      { class: 'stack' },
      p(null, w.codes_text),
      ol(
        { class: 'plain codes' },
        codes.map(one => li({ key: one }, code(null, one))),
      ),
      div(
        { class: 'actions' },
        button(
          {
            class: 'button',
            type: 'button',
            onClick: () =>
              navigator.clipboard.writeText(codes.join('\n')).then(
                () => toast(w.copied),
                () => toast(w.copy_refused, { isProblem: true }),
              ),
          },
          w.copy,
        ),
        button({ class: 'button primary', type: 'button', onClick: close }, w.kept),
      ),
    ),
  );
};

/**
 * Asks for the password, and sends it.
 * @param {{ title: string, text: string, submit: string, danger?: boolean, send: (password: string, close: () => void) => Promise<void> }} question
 */
const askPassword = ({ title, text, submit, danger = false, send }) => {
  const password = signal('');
  void open({ title }, close =>
    h(Form, {
      submit,
      danger,
      isOwn: true,
      cancel: close,
      work: async () => {
        if (!password.value) throw invalid('password');
        await send(password.value, close);
      },
      children: error => [
        p(null, text),
        h(TextField, {
          label: settingsWords.value.current,
          name: 'password',
          value: password,
          error,
          type: 'password',
          autoComplete: 'current-password',
        }),
      ],
    }),
  );
};

const turnOn = () => {
  const w = settingsWords.value.factor;
  askPassword({
    title: w.title,
    text: w.on_text,
    submit: w.next,
    send: async (password, close) => {
      const enrolment = await postOnce('/api/auth/second-factor', { body: { password } });
      close();
      enrol(enrolment, tell);
    },
  });
};

const turnOff = () => {
  const w = settingsWords.value.factor;
  askPassword({
    title: w.off,
    text: w.off_text,
    submit: w.off,
    danger: true,
    send: async (password, close) => {
      setCredential(await remove('/api/auth/second-factor', { body: { password } }));
      close();
      void me.load();
      toast(w.is_off);
    },
  });
};

export const SecondFactor = () => {
  const w = settingsWords.value.factor,
    isOn = me.data.value?.second_factor;
  return div(
    { class: 'stack' },
    p(null, isOn ? w.is_on_text : w.text),
    isOn
      ? button({ class: 'button', type: 'button', onClick: turnOff }, w.off)
      : button({ class: 'button', type: 'button', onClick: turnOn }, w.on),
  );
};
