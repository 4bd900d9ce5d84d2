// The bell in the frame: how many notices are unread.
import { useSignalEffect } from '@preact/signals';
import { credential, get, resource } from '../api.js';
import { button, span } from '../dom.js';
import { wordsOf } from '../words.js';
import { icon } from './icon.js';

export const noticesWords = await wordsOf('notices');

/** One more than is said as a number. */
const UNREAD_MAX = 100;

export const unread = resource(async signal => {
  const rows = await get('/api/notices', { query: { unread: true, limit: UNREAD_MAX }, signal });
  return rows.length;
});

export const Bell = () => {
  useSignalEffect(() => {
    if (credential.value !== null) unread.want();
  });
  const count = unread.data.value,
    said = noticesWords.value.bell(count);
  return button(
    {
      class: 'icon-button bell',
      type: 'button',
      'aria-haspopup': 'dialog',
      'aria-label': said,
      title: said,
      onClick: () => void import('./notices.js').then(({ openNotices }) => openNotices()),
    },
    icon('bell'),
    count ? span({ class: 'bell-count', 'aria-hidden': 'true' }, count >= UNREAD_MAX ? '99+' : count) : null,
  );
};
