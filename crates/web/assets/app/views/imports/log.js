// The past imports, each with an undo.
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { get, getPage, remove } from '../../api.js';
import { a, button, buttonAbout, div, h, h2, li, p, section, span, ul } from '../../dom.js';
import { icon } from '../../parts/icon.js';
import { Loaded, message } from '../../parts/problem.js';
import { withQuery } from '../../router.js';
import { canWrite } from '../../session.js';
import { language, words } from '../../words.js';
import { importWords } from '../../words/imports.js';
import { log } from './queue.js';
import { accountLabel } from './stored.js';

/** @typedef {import('../../../../types/client').Schemas['Import']} Import */

/** An instant as this device's clock shows it: `10 de mar., 14:05`. @param {string} instant */
export const when = instant =>
  new Intl.DateTimeFormat(language.value, {
    day: 'numeric',
    month: 'short',
    year: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
  }).format(Date.parse(instant));

/** @param {{ after: () => void }} props */
export const Log = ({ after }) => {
  const w = importWords.value.log;
  log.want();
  // An import that the user did not wait for may have finished since.
  useEffect(() => {
    if (log.data.peek()) void log.load();
  }, []);
  return section(
    { class: 'card', 'aria-labelledby': 'log' },
    h2({ id: 'log' }, w.title),
    Loaded({
      of: log,
      skeleton: div({ class: 'plain' }, div({ class: 'skeleton tall' }), div({ class: 'skeleton tall' })),
      children: page =>
        page.rows.length === 0
          ? p({ class: 'quiet' }, w.empty)
          : [
              ul(
                { key: 'rows', class: 'rows' },
                page.rows.map(row => h(Entry, { key: row.id, row, after })),
              ),
              page.next && h(More, { key: 'more', next: page.next }),
            ],
    }),
  );
};

/** @param {{ row: Import, after: () => void }} props */
const Entry = ({ row, after }) => {
  const w = importWords.value.log,
    busy = useSignal(false),
    name = row.file_name ?? w.no_name;
  const undo = async () => {
    const [{ ask }, { toast }] = await Promise.all([import('../../parts/dialog.js'), import('../../parts/toast.js')]);
    if (busy.value) return;
    busy.value = true;
    try {
      // Some rows may have been deleted since.
      const { count } = await get('/api/transactions/summary', { query: { import_id: row.id } });
      if (!(await ask({ title: w.undo_title(name), text: w.undo_text(count), yes: w.undo }))) {
        busy.value = false;
        return;
      }
      const { recording } = await import('../../parts/undo.js'),
        { changed, offer } = recording();
      const { deleted } = await remove('/api/imports/{id}', { path: { id: row.id }, changed });
      toast(w.undone(deleted), offer(after));
    } catch (error) {
      toast(message(error), { isProblem: true });
    }
    busy.value = false;
    after();
  };
  const account = row.account_ids.map(accountLabel).join(', ') || accountLabel(null);
  return li(
    { class: 'waiting-row' },
    div(
      { class: 'waiting-text' },
      span(
        { class: 'waiting-title' },
        icon('imports'),
        row.inserted === 0 ? name : a({ href: withQuery({ month: 'all', import_id: row.id }, '/transactions') }, name),
      ),
      span(
        { class: 'quiet' },
        [when(row.created_at), account, w.counts(row.inserted, row.skipped)].filter(Boolean).join(' · '),
      ),
    ),
    canWrite.value && div({ class: 'row-actions' }, buttonAbout(words.value.app.undo, name, undo, '', busy.value)),
  );
};

/** @param {{ next: string }} props */
const More = ({ next }) => {
  const busy = useSignal(false);
  const more = async () => {
    if (busy.value) return;
    busy.value = true;
    try {
      const page = await getPage(/** @type {'/api/imports'} */ (next));
      const known = log.data.value?.rows ?? [];
      log.data.value = { rows: [...known, ...page.rows], next: page.next };
    } catch (error) {
      void import('../../parts/toast.js').then(({ failed }) => failed(error));
    }
    busy.value = false;
  };
  return button(
    { class: 'button', type: 'button', 'aria-disabled': busy.value, onClick: () => void more() },
    importWords.value.log.more,
  );
};
