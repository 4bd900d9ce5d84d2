// The bell in the frame: how many notices are unread. It is loaded after the first paint, so what a push leads to is here, too.
import { useSignalEffect } from '@preact/signals';
import { credential } from '../../api.js';
import { button, local, span, stored } from '../../dom.js';
import { go, place, withQuery } from '../../router.js';
import { icon } from '../../parts/icon.js';
import { noticesWords, UNREAD_MAX, unread } from './unread.js';

// The worker tells where a click on a push leads to.
navigator.serviceWorker?.addEventListener('message', ({ data }) => {
  if (typeof data?.open === 'string') go(data.open);
});

export const Bell = () => {
  useSignalEffect(() => {
    if (credential.value === null) return;
    unread.want();
    if (stored(local, 'push')) void import('./push.js').then(({ renew }) => renew()).catch(() => {});
  });
  // The button of a push: "Paguei" or "Amanhã".
  useSignalEffect(() => {
    const chosen = place.value.query.get('notice');
    if (credential.value === null || chosen === null) return;
    go(withQuery({ notice: null }), { replace: true });
    void import('./notices.js').then(({ act }) => act(chosen));
  });
  const count = unread.data.value,
    text = noticesWords.value.bell(count);
  return button(
    {
      class: 'icon-button bell',
      type: 'button',
      'aria-haspopup': 'dialog',
      'aria-label': text,
      title: text,
      onClick: () => void import('./notices.js').then(({ openNotices }) => openNotices()),
    },
    icon('bell'),
    count ? span({ class: 'bell-count', 'aria-hidden': 'true' }, count >= UNREAD_MAX ? '99+' : count) : null,
  );
};
