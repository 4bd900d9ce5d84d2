// Who entered a transaction, where more than one person does.
import { useEffect } from 'preact/hooks';
import { get, resource } from '../api.js';
import { isOwner, me } from '../session.js';
import { words } from '../words.js';

/** Who opens the profile; only an owner may know. */
export const members = resource(signal => get('/api/members', { signal }));

/** Asks for names where they may be known, once what they belong to is painted. @param {boolean} isPainted */
export const useNames = isPainted => {
  const may = isPainted && me.data.value !== null && isOwner.value;
  useEffect(() => {
    if (may) setTimeout(members.want);
  }, [may]);
};

/** Who entered it; null where nobody did, or nobody else is there. @param {{ created_by: number | null }} row */
export const enteredBy = ({ created_by }) => {
  const own = me.data.value, w = words.value.entry;
  if (created_by === null || !own) return null;
  if (!isOwner.value) return created_by === own.member_id ? own.name : w.somebody;
  const all = members.data.value;
  return !all || (all.length < 2 && created_by === own.member_id) ? null : all.find(({ id }) => id === created_by)?.name ?? w.somebody;
};

/** The same, of what others entered. @param {{ created_by: number | null }} row */
export const enteredByOther = row => (row.created_by === me.data.value?.member_id ? null : enteredBy(row));
