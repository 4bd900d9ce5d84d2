// Who entered a transaction, if the profile has several members.
import { useEffect } from 'preact/hooks';
import { get, resource } from '../api.js';
import { isOwner, me } from '../session.js';
import { words } from '../words.js';

/** The members of the profile. Only an owner may read them. */
export const members = resource(signal => get('/api/members', { signal }));

/** Requests the names if the user may read them, once the rows are painted. @param {boolean} isPainted */
export const useNames = isPainted => {
  const may = isPainted && me.data.value !== null && isOwner.value;
  useEffect(() => {
    if (may) setTimeout(members.want);
  }, [may]);
};

/** Who entered it. Null if no member did, or if there is only one member. @param {{ created_by: number | null }} row */
export const enteredBy = ({ created_by }) => {
  const own = me.data.value,
    w = words.value.entry;
  if (created_by === null || !own) return null;
  if (!isOwner.value) return created_by === own.member_id ? own.name : w.somebody;
  const all = members.data.value;
  return !all || (all.length < 2 && created_by === own.member_id)
    ? null
    : (all.find(({ id }) => id === created_by)?.name ?? w.somebody);
};

/** The same, for rows that other members entered themselves. @param {{ created_by: number | null, import_id: number | null }} row */
export const enteredByOther = row =>
  row.import_id !== null || row.created_by === me.data.value?.member_id ? null : enteredBy(row);
