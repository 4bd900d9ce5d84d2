// Push messages on this device: whether it can show them, signing up, and the end.
import { credential, get, post, remove } from '../../api.js';
import { local, store, stored, untilClosed } from '../../dom.js';
import { memberOf } from '../../session.js';

/** Who signed this device up, and its id. @returns {{ member: string, id: number } | null} */
export const own = () => /** @type {any} */ (stored(local, 'push'));

const member = () => memberOf(credential.peek()?.profile) ?? '';

const manager = async () => (await navigator.serviceWorker?.getRegistration())?.pushManager;

/** Whether it is an iPhone or iPad, which shows push messages of installed pages only. */
const isApple = () =>
  /iPhone|iPad|iPod/.test(navigator.userAgent) ||
  (/Macintosh/.test(navigator.userAgent) && navigator.maxTouchPoints > 1);

/** @returns {Promise<'install' | 'unsupported' | 'denied' | 'off' | 'on'>} */
export const state = async () => {
  if (isApple() && !matchMedia('(display-mode: standalone)').matches) return 'install';
  if (!('Notification' in globalThis) || !('PushManager' in globalThis)) return 'unsupported';
  if (Notification.permission === 'denied') return 'denied';
  const found = await manager();
  if (!found) return 'unsupported';
  const isOn = (await found.getSubscription()) !== null && own()?.member === member();
  return isOn && Notification.permission === 'granted' ? 'on' : 'off';
};

/** The key that a subscription is for, as the service writes it. @param {PushSubscription} subscription */
const keyOf = ({ options }) => {
  const bytes = new Uint8Array(options.applicationServerKey ?? new ArrayBuffer(0));
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');
};

/** Subscribes for a key, and tells the service. A subscription for another key ends. @param {string} key */
const enter = async key => {
  const found = await manager();
  if (!found) return;
  let subscription = await found.getSubscription();
  if (subscription && keyOf(subscription) !== key) {
    await subscription.unsubscribe();
    subscription = null;
  }
  subscription ??= await found.subscribe({ userVisibleOnly: true, applicationServerKey: key });
  const { endpoint, keys } = subscription.toJSON();
  const device = await post('/api/notices/devices', { body: /** @type {any} */ ({ endpoint, keys }) });
  store(local, 'push', { member: member(), id: device.id });
  store(untilClosed, 'pushed', true);
};

/** Signs this device up, after a click: the browser asks the person. Returns the state then. @param {string} key */
export const signUp = async key => {
  if ((await Notification.requestPermission()) === 'granted') await enter(key);
  return state();
};

/** Ends the subscription in the browser. */
export const end = async () => {
  store(local, 'push', null);
  store(untilClosed, 'pushed', null);
  await (await (await manager())?.getSubscription())?.unsubscribe();
};

/** Ends it, and tells the service. */
export const leave = async () => {
  const known = own();
  await end();
  if (known) await remove('/api/notices/devices/{id}', { path: { id: known.id } });
};

/**
 * Once a login and session of the browser: signs up again if the key of the service is another one, or the browser has dropped the
 * subscription. A device that somebody else signed up tells nobody any more.
 */
export const renew = async () => {
  if (!own() || stored(untilClosed, 'pushed')) return;
  if (own()?.member !== member()) return end();
  const { push_key: key } = await get('/api/notices/preferences');
  if (key && Notification.permission === 'granted') await enter(key);
};
