// Login: name, password, a code if required, and a countdown after too many attempts.
import { useSignal } from '@preact/signals';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { credential, Problem } from '../api.js';
import { button, classes, div, form, h, h1, input, label, main, p, small, span } from '../dom.js';
import { afterLogin } from '../frame.js';
import { message, useCountdown } from '../parts/problem.js';
import { place } from '../router.js';
import { farewell, login, wasTyping } from '../session.js';
import { words } from '../words.js';

/** @param {number} seconds */
const clock = seconds => `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;

/**
 * An invitation from the fragment of its link, with the member's name if it sets a password. Browsers do not send the
 * fragment to any server. It is removed from the address.
 */
const invited = () => {
  const given = new URLSearchParams(location.hash.slice(1)),
    invitation = given.get('invite');
  if (!invitation) return null;
  history.replaceState(history.state, '', location.pathname + location.search);
  return { invitation, member: given.get('name') ?? '' };
};

/** Name and password from the fragment of the link that a demonstration prints. The fragment is removed from the address. */
const linked = () => {
  const given = new URLSearchParams(location.hash.slice(1));
  if (!location.hash) return null;
  history.replaceState(history.state, '', location.pathname + location.search);
  const name = given.get('name'),
    password = given.get('password');
  return name && password ? { name, password } : null;
};

/**
 * Whether the service is a demonstration on this machine. Anywhere else, a link with a name and a password could log
 * the user in to a stranger's profile.
 */
const isDemonstration = async () => {
  if (!/^(127\.0\.0\.1|localhost|\[::1\])$/.test(location.hostname)) return false;
  try {
    return (await fetch('/demonstration', { cache: 'no-store' })).status === 204;
  } catch {
    return false;
  }
};

/** Whether the page is installed as an app. */
export const isInstalled = () => matchMedia('(display-mode: standalone)').matches;

export default () => {
  const w = words.value.login;
  const name = useSignal(''),
    password = useSignal(''),
    code = useSignal(''),
    isCodeAsked = useSignal(false),
    // An installed page is on a device of the user's own.
    keep = useSignal(isInstalled()),
    isSeen = useSignal(false);
  const busy = useSignal(false),
    tried = useSignal(false),
    error = useSignal(/** @type {unknown} */ (null));
  const passwordInput = useRef(/** @type {HTMLInputElement | null} */ (null)),
    nameInput = useRef(/** @type {HTMLInputElement | null} */ (null)),
    codeInput = useRef(/** @type {HTMLInputElement | null} */ (null));
  const failure = error.value instanceof Problem ? error.value : null;
  const left = useCountdown(failure?.status === 429 ? failure.retryAfter || 60 : 0, failure);
  const invitation = useSignal(/** @type {ReturnType<typeof invited>} */ (null)),
    Accept = useSignal(/** @type {typeof import('./login/accept.js').Accept | null} */ (null));
  useLayoutEffect(() => {
    /** Whether the address holds an invitation. */
    const check = () => {
      const found = invited();
      if (!found) return false;
      invitation.value = found;
      import('./login/accept.js').then(
        part => (Accept.value = part.Accept),
        failure => (error.value = failure),
      );
      return true;
    };
    const begin = async () => {
      const given = linked();
      if (credential.peek()) return afterLogin();
      nameInput.current?.focus();
      if (!given || !(await isDemonstration())) return;
      name.value = given.name;
      password.value = given.password;
      void submit();
    };
    // The user may also open such a link in this page.
    addEventListener('hashchange', check);
    if (!check()) void begin();
    return () => removeEventListener('hashchange', check);
  }, []);
  const submit = async (/** @type {Event | undefined} */ event = undefined) => {
    event?.preventDefault();
    if (busy.value || left > 0) return;
    tried.value = true;
    const empty = !name.value.trim() ? nameInput : !password.value ? passwordInput : null;
    if (empty) return void empty.current?.focus();
    busy.value = true;
    try {
      const isIn = await login(name.value, password.value, keep.value, isCodeAsked.value ? code.value : '');
      busy.value = isIn;
      if (isIn && place.value.path === '/login') afterLogin();
      if (isIn && wasTyping()) (await import('../parts/toast.js')).toast(words.value.login.kept);
    } catch (found) {
      busy.value = false;
      if (found instanceof Problem && found.code === 'ErrSecondFactorRequired') isCodeAsked.value = true;
      error.value = found;
      if (!isCodeAsked.value) passwordInput.current?.select();
    }
  };
  // As soon as its field is rendered.
  useLayoutEffect(() => {
    if (isCodeAsked.value) codeInput.current?.select();
  }, [error.value]);
  const nameWrong = tried.value && !name.value.trim(),
    passwordWrong = tried.value && !password.value;
  const note = !failure
    ? null
    : failure.status === 429
      ? left > 0
        ? w.wait(clock(left))
        : null
      : failure.code === 'ErrSecondFactorRequired'
        ? w.code_needed
        : failure.status === 401
          ? isCodeAsked.value
            ? w.wrong_code
            : w.wrong
          : message(failure);
  if (invitation.value && Accept.value)
    return h(Accept.value, {
      ...invitation.value,
      key: invitation.value.invitation,
      isKept: isInstalled(),
      done: afterLogin,
      leave: () => (credential.peek() ? afterLogin() : (invitation.value = null)),
    });
  return main(
    { class: 'login', id: 'content' },
    form(
      { class: 'form login-card', noValidate: true, onSubmit: submit },
      div(
        { class: 'login-head' },
        span({ class: 'brand-mark large', 'aria-hidden': 'true' }),
        h1({ tabIndex: -1 }, words.value.app.title),
        p(null, w.welcome),
      ),
      farewell.value && !failure && p({ class: 'note', role: 'status' }, w[farewell.value]),
      div(
        { class: classes('field', nameWrong && 'wrong') },
        label({ for: 'name' }, w.name),
        input({
          id: 'name',
          name: 'username',
          type: 'text',
          autoComplete: 'username',
          autoCapitalize: 'none',
          spellcheck: false,
          ref: nameInput,
          value: name.value,
          'aria-invalid': nameWrong,
          'aria-describedby': nameWrong ? 'name-note' : undefined,
          onInput: event => (name.value = event.currentTarget.value),
        }),
        nameWrong && small({ id: 'name-note', class: 'field-error' }, w.name_needed),
      ),
      div(
        { class: classes('field', passwordWrong && 'wrong') },
        label({ for: 'password' }, w.password),
        input({
          id: 'password',
          name: 'password',
          type: /** @type {'password'} */ (isSeen.value ? 'text' : 'password'),
          autoComplete: 'current-password',
          ref: passwordInput,
          value: password.value,
          'aria-invalid': passwordWrong || (failure?.status === 401 && !isCodeAsked.value),
          'aria-describedby': note ? 'login-note' : passwordWrong ? 'password-note' : undefined,
          onInput: event => (password.value = event.currentTarget.value),
        }),
        passwordWrong && small({ id: 'password-note', class: 'field-error' }, w.password_needed),
      ),
      isCodeAsked.value &&
        div(
          { class: 'field' },
          label({ for: 'code' }, w.code),
          input({
            id: 'code',
            name: 'code',
            type: 'text',
            inputMode: 'numeric',
            autoComplete: 'one-time-code',
            spellcheck: false,
            ref: codeInput,
            value: code.value,
            'aria-invalid': failure?.code === 'ErrInvalidCredentials',
            'aria-describedby': note ? 'login-note' : undefined,
            onInput: event => (code.value = event.currentTarget.value),
          }),
        ),
      div(
        { class: 'checks' },
        label(
          { class: 'check' },
          input({
            type: 'checkbox',
            checked: isSeen.value,
            onChange: event => (isSeen.value = event.currentTarget.checked),
          }),
          w.show,
        ),
        label(
          { class: 'check' },
          input({
            type: 'checkbox',
            checked: keep.value,
            onChange: event => (keep.value = event.currentTarget.checked),
          }),
          w.keep,
        ),
      ),
      note && p({ id: 'login-note', class: 'problem', role: 'alert' }, note),
      button(
        { class: 'button primary block', type: 'submit', 'aria-disabled': busy.value || left > 0 },
        busy.value ? w.busy : w.submit,
      ),
      small({ class: 'hint' }, w.help),
    ),
  );
};
