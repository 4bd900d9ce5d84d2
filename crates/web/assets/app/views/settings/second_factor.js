// The second factor: turned on with an authenticator code, recovery codes shown once, turned off with the password.
import { signal, useSignal } from '@preact/signals';
import { postOnce, remove } from '../../api.js';
import { button, code, div, h, li, ol, p, path, svg } from '../../dom.js';
import { open } from '../../parts/dialog.js';
import { Form, invalid, TextField } from '../../parts/field.js';
import { message } from '../../parts/problem.js';
import { toast } from '../../parts/toast.js';
import { me } from '../../session.js';
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

/** @param {import('../../session.js').Schemas['SecondFactor']} told @param {(codes: string[]) => void} done */
const enrol = (told, done) => {
  const w = settingsWords.value.factor,
    typed = signal('');
  void open({ title: w.title }, close =>
    h(Form, {
      submit: w.confirm,
      cancel: close,
      work: async () => {
        if (!typed.value.trim()) throw invalid('code');
        const { recovery_codes: codes } = await postOnce('/api/auth/second-factor/confirm', {
          body: { code: typed.value },
        });
        close();
        void me.load();
        done(codes);
      },
      children: error => [
        p(null, w.scan),
        h(QrCode, { drawn: told.qr_svg, title: w.qr }),
        p(null, w.by_hand, ' ', code({ class: 'secret' }, told.secret)),
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
  void open({ title: w.codes }, close =>
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

const turnOff = () => {
  const w = settingsWords.value.factor,
    password = signal('');
  void open({ title: w.off }, close =>
    h(Form, {
      submit: w.off,
      danger: true,
      cancel: close,
      work: async () => {
        if (!password.value) throw invalid('password');
        await remove('/api/auth/second-factor', { body: { password: password.value } });
        close();
        void me.load();
        toast(w.is_off);
      },
      children: error => [
        p(null, w.off_text),
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

export const SecondFactor = () => {
  const w = settingsWords.value.factor,
    isOn = me.data.value?.second_factor,
    busy = useSignal(false);
  const begin = async () => {
    if (busy.value) return;
    busy.value = true;
    try {
      enrol(await postOnce('/api/auth/second-factor'), tell);
    } catch (error) {
      toast(message(error), { isProblem: true });
    }
    busy.value = false;
  };
  return div(
    { class: 'stack' },
    p(null, isOn ? w.is_on_text : w.text),
    isOn
      ? button({ class: 'button', type: 'button', onClick: turnOff }, w.off)
      : button({ class: 'button', type: 'button', 'aria-disabled': busy.value, onClick: () => void begin() }, w.on),
  );
};
