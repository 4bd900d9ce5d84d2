// What changed a transaction, and who did it.
import { getPage, resource } from '../../api.js';
import { div, h, p, ul } from '../../dom.js';
import { accounts, categories } from '../../session.js';
import { changeWords } from '../../words/changes.js';
import { ChangeRow, EntryFacts } from './change.js';
import { open } from '../../parts/dialog.js';
import { Loaded } from '../../parts/problem.js';

/** The most changes that are shown. */
const CHANGES_READ = 100;

/** @param {{ id: number, description: string }} row */
export const openHistory = ({ id, description }) => {
  categories.want();
  accounts.want();
  const changes = resource(signal =>
    getPage('/api/transactions/{id}/changes', { path: { id }, query: { limit: CHANGES_READ }, signal }),
  );
  void changes.load();
  void open({ title: changeWords.peek().history_of(description) }, () =>
    Loaded({
      of: changes,
      skeleton: div({ class: 'skeleton line' }),
      children: ({ rows }) =>
        rows.length === 0
          ? p({ class: 'quiet' }, changeWords.value.no_history)
          : ul(
              { class: 'rows' },
              rows.map(change =>
                h(ChangeRow, {
                  key: change.id,
                  change,
                  known: rows,
                  withDay: true,
                  done: () => void changes.load(),
                  children:
                    change.entry &&
                    ul({ class: 'plain change-facts' }, h(EntryFacts, { entry: change.entry, subject: description })),
                }),
              ),
            ),
    }),
  );
};
