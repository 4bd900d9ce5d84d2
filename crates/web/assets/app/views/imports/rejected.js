// Lines without a transaction, and rows that were not inserted, with their reasons.
import { details, div, li, p, span, summary, ul } from '../../dom.js';
import { importWords } from '../../words/imports.js';

/** @typedef {{ code: string, reason: string, params: Record<string, unknown> }} Coded */

/** The most lines listed. */
const LINES_SHOWN = 100;

/** A reason in the page's language, or the service's text if its code is unknown. @param {Coded} coded */
export const reason = ({ code, reason: text, params }) => importWords.value.reasons[code]?.(params) ?? text;

/** @param {{ rows: (Coded & { line: number, sheet?: string })[] }} props */
export const Rejected = ({ rows }) => {
  const w = importWords.value;
  if (rows.length === 0) return null;
  return details(
    { class: 'rejected' },
    summary(null, w.rejected(rows.length)),
    p({ class: 'quiet' }, w.rejected_text),
    ul(
      { class: 'plain' },
      rows
        .slice(0, LINES_SHOWN)
        .map((row, index) =>
          li(
            { key: index },
            span(
              { class: 'quiet nowrap' },
              row.sheet === undefined ? w.line(row.line) : w.sheet_line(row.sheet, row.line),
            ),
            ' ',
            reason(row),
          ),
        ),
    ),
    rows.length > LINES_SHOWN && div({ class: 'quiet' }, w.more_lines(rows.length - LINES_SHOWN)),
  );
};
