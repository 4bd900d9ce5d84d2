// Rows of a card's bill: of a statement that is held until its payment date, or of stored transactions.
import { useMemo } from 'preact/hooks';
import { get, resource } from '../../api.js';
import { caption, classes, div, h, span, table, tbody, td, th, thead, tr } from '../../dom.js';
import { dayAndMonth } from '../../dates.js';
import { categoryById, today } from '../../session.js';
import { language, words } from '../../words.js';
import { nameOf, partOf, Signed } from '../../parts/amount.js';
import { categoryColor } from '../../parts/budget_bar.js';
import { Loaded } from '../../parts/problem.js';
import { tableFrame } from '../../parts/table.js';

/** @typedef {import('../../session.js').Schemas} Schemas */

/**
 * @param {{ rows: (Pick<Schemas['Transaction'], 'date' | 'description' | 'category_id' | 'amount' | 'type'> & Partial<Pick<Schemas['Transaction'], 'display' | 'source' | 'statement_description'>> & { installment?: Schemas['Installment'] | null })[], title: string }} props
 */
export const RowTable = ({ rows, title }) => {
  const w = words.value;
  return tableFrame(
    title,
    table(
      { class: 'list' },
      caption({ class: 'unseen' }, title),
      thead(
        null,
        tr(
          null,
          th({ scope: 'col' }, w.dashboard.date),
          th({ scope: 'col' }, w.held.description),
          th({ scope: 'col', class: 'figure' }, w.dashboard.amount),
        ),
      ),
      tbody(
        null,
        rows.map((row, index) =>
          tr(
            { key: index },
            td({ class: 'nowrap' }, dayAndMonth(language.value, row.date, today.value)),
            td(
              { title: row.description },
              nameOf(row),
              // Once: the description may say it, too.
              row.installment &&
                !nameOf(row).includes(`${partOf({ installment: row.installment })}`) &&
                span({ class: 'quiet category-note' }, partOf({ installment: row.installment })),
              row.category_id !== null &&
                span(
                  { class: 'quiet category-note' },
                  span({ class: classes('dot', categoryColor(row.category_id)) }),
                  categoryById.value.get(row.category_id)?.name,
                ),
            ),
            td({ class: 'figure' }, h(Signed, { value: row.amount, type: row.type })),
          ),
        ),
      ),
    ),
  );
};

/** @param {{ id: number }} props */
export const HeldRows = ({ id }) => {
  const held = useMemo(() => resource(signal => get('/api/pending-bills/{id}', { path: { id }, signal })), [id]);
  held.want();
  return Loaded({
    of: held,
    skeleton: div({ class: 'skeleton card-skeleton' }),
    children: ({ rows }) => h(RowTable, { rows, title: words.value.dashboard.see }),
  });
};
