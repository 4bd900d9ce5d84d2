// Access to the profile: the user's role, members, tokens, the calendar, sessions.
import { div, h, h2, p, section, strong } from '../../dom.js';
import { members } from '../../parts/entered_by.js';
import { Head } from '../../parts/overview.js';
import { ghost, Loaded } from '../../parts/problem.js';
import { me } from '../../session.js';
import { words } from '../../words.js';
import { accessWords } from '../../words/access.js';
import { Calendar } from './calendar.js';
import { invitations, Members } from './members.js';
import { Sessions, sessions } from './sessions.js';
import { Tokens, tokens } from './tokens.js';

export const AccessPage = () => {
  const w = accessWords.value;
  me.want();
  return div(
    { class: 'page narrow' },
    h(Head, { title: w.title, back: ['/settings?page=access', words.value.views.settings] }),
    Loaded({
      of: me,
      skeleton: div({ class: 'dashboard' }, ghost(2), ghost(4)),
      children: ({ role }) => {
        const parts = [
          sessions,
          ...(role === 'viewer' ? [] : [tokens]),
          ...(role === 'owner' ? [members, invitations] : []),
        ];
        // Parts that came one by one would move those below them.
        const isRead = parts.every(part => part.data.value !== null || part.error.value !== null);
        return [
          !isRead && div({ key: 'ghost' }, ghost(8)),
          div(
            { key: 'parts', class: 'dashboard', style: { display: isRead ? '' : 'none' } },
            section(
              { class: 'card', 'aria-labelledby': 'own' },
              h2({ id: 'own' }, w.own),
              p(null, strong(null, w.roles[role]), ` · ${w.role_texts[role]}`),
            ),
            role === 'owner' && h(Members, null),
            role !== 'viewer' && [h(Tokens, { key: 'tokens' }), h(Calendar, { key: 'calendar' })],
            h(Sessions, null),
          ),
        ];
      },
    }),
  );
};
