// How many notices are unread, and their words: for the bell, the list of notices, and what is chosen about them.
import { get, resource } from '../../api.js';
import { wordsOf } from '../../words.js';

export const noticesWords = await wordsOf('notices');

/** One more than is said as a number. */
export const UNREAD_MAX = 100;

export const unread = resource(async signal => {
  const rows = await get('/api/notices', { query: { unread: true, limit: UNREAD_MAX }, signal });
  return rows.length;
});
