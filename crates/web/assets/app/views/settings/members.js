// The members of the profile: roles, invitations, removal.
import { signal, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { get, postOnce, put, remove, resource } from '../../api.js';
import { button, div, h, h2, h3, li, option, p, section, select, span, ul } from '../../dom.js';
import { dayAndMonth } from '../../dates.js';
import { ask, open } from '../../parts/dialog.js';
import { choices, Form } from '../../parts/field.js';
import { icon } from '../../parts/icon.js';
import { members } from '../../parts/entered_by.js';
import { action } from '../../parts/overview.js';
import { ghost, Loaded } from '../../parts/problem.js';
import { Secret } from '../../parts/secret.js';
import { attempt, failed } from '../../parts/toast.js';
import { me, today } from '../../session.js';
import { language } from '../../words.js';
import { accessWords } from '../../words/access.js';

/** @typedef {import('../../session.js').Schemas['Member']} Member */
/** @typedef {import('../../session.js').Schemas['OpenInvitation']} OpenInvitation */
/** @typedef {Member['role']} Role */

const ROLES = /** @type {const} */ (['owner', 'editor', 'viewer']);
/** The roles of an invitation. */
const INVITED = /** @type {const} */ (['editor', 'viewer']);

/**
 * The roles that are chosen but not saved yet, by member.
 * @type {import('@preact/signals').Signal<Record<number, Role>>}
 */
const chosen = signal({});

export const invitations = resource(signal => get('/api/members/invitations', { signal }));

/** The members, and the invitations, which go with the members who made them. */
const reload = () => Promise.all([members.load(), invitations.load()]);

/** @param {Member} member @param {Role} role */
const change = async (member, role) => {
  const w = accessWords.peek();
  chosen.value = { ...chosen.peek(), [member.id]: role };
  await attempt(() => put('/api/members/{id}', { path: { id: member.id }, body: { role } }), {
    text: w.role_saved(member.name, w.roles[role]),
  });
  if (member.id === me.data.peek()?.member_id) await me.load();
  else await reload();
  const { [member.id]: _, ...others } = chosen.peek();
  chosen.value = others;
};

/** @param {Member} member */
const askToRemove = async member => {
  const w = accessWords.peek();
  if (!(await ask({ title: w.remove_title(member.name), text: w.remove_text, yes: w.remove_yes }))) return;
  await attempt(() => remove('/api/members/{id}', { path: { id: member.id } }), { text: w.removed(member.name) });
  void reload();
};

/** @param {OpenInvitation} invitation */
const withdraw = async ({ id }) => {
  await attempt(() => remove('/api/members/invitations/{id}', { path: { id } }), {
    text: accessWords.peek().withdrawn,
  });
  void invitations.load();
};

/** @param {string} instant @param {'long' | 'short'} month */
const moment = (instant, month) =>
  new Date(instant).toLocaleString(language.value, { day: 'numeric', month, hour: '2-digit', minute: '2-digit' });

/**
 * The link of an invitation. Browsers do not send the fragment to any server, so no log has it.
 * @param {string} invitation
 */
const linkOf = invitation => `${location.origin}/login#invite=${invitation}`;

/** Makes the link with which a member sets a new password. @param {Member} member */
const newPassword = async member => {
  const w = accessWords.peek();
  let made;
  try {
    made = await postOnce('/api/members/{id}/password-link', { path: { id: member.id } });
  } catch (error) {
    return failed(error);
  }
  void invitations.load();
  const value = `${linkOf(made.invitation)}&name=${encodeURIComponent(member.name)}`,
    text = w.password_text(member.name, moment(made.expires_at, 'long'));
  void open({ title: w.new_password_of(member.name) }, close =>
    h(Secret, { text, name: w.password_link, value, close }),
  );
};

/** @param {{ close: () => void }} props */
const InviteForm = ({ close }) => {
  const w = accessWords.value,
    role = useSignal(/** @type {(typeof INVITED)[number]} */ ('editor')),
    made = useSignal(/** @type {import('../../session.js').Schemas['Invitation'] | null} */ (null));
  if (made.value) {
    const until = moment(made.value.expires_at, 'long');
    return h(Secret, { text: w.invite_text(until), name: w.link, value: linkOf(made.value.invitation), close });
  }
  return h(Form, {
    submit: w.invite_do,
    cancel: close,
    work: async () => {
      made.value = await postOnce('/api/members/invitations', { body: { role: role.value } });
      void invitations.load();
    },
    children: () =>
      choices(
        'role',
        w.invite_role,
        INVITED.map(known => [known, w.roles[known], w.role_texts[known]]),
        role.value,
        known => (role.value = known),
      ),
  });
};

const invite = () => void open({ title: accessWords.peek().invite_title }, close => h(InviteForm, { close }));

/** @param {{ member: Member }} props */
const Row = ({ member }) => {
  const w = accessWords.value,
    isMe = member.id === me.data.value?.member_id;
  return li(
    { class: 'account-row access-row' },
    div(
      { class: 'entry-text' },
      span(null, member.name, isMe && span({ class: 'quiet' }, ` (${w.you})`)),
      span({ class: 'quiet' }, w.since(dayAndMonth(language.value, member.created_at.slice(0, 10), today.value))),
    ),
    div(
      { class: 'account-name' },
      select(
        {
          class: 'button',
          'aria-label': w.role_of(member.name),
          value: chosen.value[member.id] ?? member.role,
          onChange: event => void change(member, /** @type {Role} */ (event.currentTarget.value)),
        },
        ROLES.map(role => option({ key: role, value: role }, w.roles[role])),
      ),
      !isMe &&
        button(
          {
            class: 'button',
            type: 'button',
            'aria-label': w.new_password_of(member.name),
            onClick: () => void newPassword(member),
          },
          w.new_password,
        ),
      button(
        {
          class: 'icon-button',
          type: 'button',
          'aria-label': w.remove(member.name),
          title: w.remove(member.name),
          onClick: () => void askToRemove(member),
        },
        icon('trash'),
      ),
    ),
  );
};

/** @param {{ invitation: OpenInvitation }} props */
const InvitationRow = ({ invitation }) => {
  const w = accessWords.value,
    member = members.data.value?.find(({ id }) => id === invitation.member_id)?.name,
    role = member ? w.new_password_of(member) : w.roles[invitation.role],
    until = moment(invitation.expires_at, 'short'),
    maker = members.data.value?.find(({ id }) => id === invitation.created_by)?.name ?? null,
    text = w.withdraw(role, until);
  return li(
    { class: 'account-row access-row' },
    div({ class: 'entry-text' }, role, span({ class: 'quiet' }, w.invitation(maker, until))),
    button(
      {
        class: 'icon-button',
        type: 'button',
        'aria-label': text,
        title: text,
        onClick: () => void withdraw(invitation),
      },
      icon('trash'),
    ),
  );
};

/** The open invitations, if there are any. Their addresses are not shown again. */
const Invitations = () =>
  Loaded({
    of: invitations,
    skeleton: div(null),
    children: open =>
      open.length > 0 && [
        h3({ key: 'title', id: 'invitations', tabIndex: -1 }, accessWords.value.invitations),
        ul(
          { key: 'list', class: 'rows', 'aria-labelledby': 'invitations' },
          open.map(invitation => h(InvitationRow, { key: invitation.id, invitation })),
        ),
      ],
  });

export const Members = () => {
  const w = accessWords.value;
  // The lists may have changed since this page was last shown.
  useEffect(() => void reload(), []);
  return section(
    { class: 'card', 'aria-labelledby': 'members' },
    div({ class: 'card-head' }, h2({ id: 'members', tabIndex: -1 }, w.members), action(w.invite, invite)),
    p({ class: 'finding' }, w.members_text),
    Loaded({
      of: members,
      skeleton: ghost(3),
      children: rows =>
        ul(
          { class: 'rows' },
          rows.map(member => h(Row, { key: member.id, member })),
        ),
    }),
    h(Invitations, null),
  );
};
