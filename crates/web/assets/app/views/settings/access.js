// Who and what has access: one's own role, people, keys for programs, the calendar, sessions.
import { remove } from '../../api.js';
import { button, div, h, h2, p, section, strong } from '../../dom.js';
import { ask } from '../../parts/dialog.js';
import { Head } from '../../parts/overview.js';
import { ghost, Loaded, message } from '../../parts/problem.js';
import { toast } from '../../parts/toast.js';
import { logout, me } from '../../session.js';
import { words } from '../../words.js';
import { accessWords } from '../../words/access.js';
import { Calendar } from './calendar.js';
import { Members } from './members.js';
import { Tokens } from './tokens.js';

const endAll = async () => {
  const w = accessWords.peek();
  if (!(await ask({ title: w.sessions_title, text: w.sessions_ask, yes: w.sessions_yes }))) return;
  try {
    await remove('/api/auth/sessions');
  } catch (error) {
    return void toast(message(error), { isProblem: true });
  }
  await logout();
};

const Sessions = () => {
  const w = accessWords.value;
  return section({ class: 'card', 'aria-labelledby': 'sessions' }, h2({ id: 'sessions' }, w.sessions),
    div({ class: 'stack' }, p(null, w.sessions_text), button({ class: 'button', type: 'button', onClick: () => void endAll() }, w.sessions_end)));
};

export const AccessPage = () => {
  const w = accessWords.value;
  me.want();
  return div({ class: 'page narrow' },
    h(Head, { title: w.title, back: ['/settings', words.value.views.settings] }),
    Loaded({ of: me, skeleton: div({ class: 'dashboard' }, ghost(2), ghost(4)), children: ({ role }) => div({ class: 'dashboard' },
      section({ class: 'card', 'aria-labelledby': 'own' }, h2({ id: 'own' }, w.own), p(null, strong(null, w.roles[role]), ` · ${w.role_texts[role]}`)),
      role === 'owner' && h(Members, null),
      role !== 'viewer' && [h(Tokens, { key: 'tokens' }), h(Calendar, { key: 'calendar' })],
      h(Sessions, null)) }));
};
