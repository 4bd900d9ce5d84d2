// All data of the profile as a file.
import { useSignal } from '@preact/signals';
import { request } from '../../api.js';
import { button, div, h, p } from '../../dom.js';
import { save } from '../../parts/download.js';
import { ProblemNote } from '../../parts/problem.js';
import { isOwner } from '../../session.js';
import { language } from '../../words.js';
import { monthDeletionWords } from '../../words/month_deletion.js';

/**
 * Buttons that save it in each format, for an owner.
 * @param {{ text: string, class?: string }} props `text` is shown until it was saved.
 */
export const Exports = ({ text, class: extra = '' }) => {
  const w = monthDeletionWords.value,
    state = useSignal(/** @type {'' | 'busy' | 'done'} */ ('')),
    error = useSignal(/** @type {unknown} */ (null));
  const write = async (/** @type {'json' | 'csv'} */ format) => {
    if (state.value === 'busy') return;
    state.value = 'busy';
    error.value = null;
    try {
      await save(
        await request('GET', '/api/export', {
          // As spreadsheets in Brazil read them; elsewhere they read points and commas.
          query: { format, ...(format === 'csv' && language.value === 'pt-BR' ? { locale: language.value } : {}) },
        }),
        `finance.${format === 'csv' ? 'zip' : format}`,
      );
      state.value = 'done';
    } catch (failure) {
      error.value = failure;
      state.value = '';
    }
  };
  const choice = (/** @type {'json' | 'csv'} */ format) =>
    button(
      { class: 'button', type: 'button', 'aria-disabled': state.value === 'busy', onClick: () => void write(format) },
      w[`export_${format}`],
    );
  return (
    isOwner.value &&
    div(
      { class: `export-first ${extra}` },
      p({ role: 'status' }, state.value === 'done' ? w.exported : text),
      div({ class: 'row-actions' }, choice('json'), choice('csv')),
      h(ProblemNote, { error: error.value, compact: true }),
    )
  );
};
