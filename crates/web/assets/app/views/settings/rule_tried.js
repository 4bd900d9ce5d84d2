// The changes of a rule to stored transactions. The service tries the rule, and changes nothing.
import { useSignal } from '@preact/signals';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { postOnce, Problem, resource } from '../../api.js';
import { button, div, h, h3, li, p, section, span, ul } from '../../dom.js';
import { dayAndMonth } from '../../dates.js';
import { changeText } from '../../rules.js';
import { today } from '../../session.js';
import { language } from '../../words.js';
import { rulesWords } from '../../words/rules.js';
import { Signed } from '../../parts/amount.js';
import { ProblemNote } from '../../parts/problem.js';

/** Rows shown before the user asks for the others. */
const SHOWN = 5;
/** The pause in typing before a rule is tried. */
const PAUSE_MILLISECONDS = 300;

/**
 * Nothing is tried before the rule is complete. `isNew`: it is not saved yet.
 * @param {{ rule: import('../../rules.js').RuleBody | null, isNew?: boolean }} props
 */
export const Tried = ({ rule, isNew = false }) => {
  const w = rulesWords.value,
    asked = JSON.stringify(rule),
    latest = useRef(rule);
  latest.current = rule;
  const found = useMemo(
    () =>
      resource(signal =>
        postOnce('/api/rules/test', {
          body: /** @type {import('../../rules.js').RuleBody} */ (latest.current),
          signal,
        }),
      ),
    [],
  );
  useEffect(() => {
    if (!rule) return found.clear();
    found.busy.value = true;
    const timer = setTimeout(() => void found.load(), PAUSE_MILLISECONDS);
    return () => clearTimeout(timer);
  }, [asked]);
  useEffect(() => found.clear, []);
  const known = found.data.value,
    error = found.error.value,
    isAll = useSignal(false),
    rows = known?.sample ?? [];
  // The fields show the rule's errors once it is sent.
  const isOwn = error instanceof Problem && error.code === 'ErrValidation';
  const text =
    !rule || isOwn ? w.incomplete : found.busy.value || !known ? w.trying : w.found(known.matches, known.sample.length);
  return section(
    { 'aria-busy': found.busy.value },
    h3(null, w.tried),
    p({ class: 'quiet', role: 'status' }, text, isNew && rule && known && known.matches > 0 && ` ${w.only_later}`),
    error && !isOwn && h(ProblemNote, { error, retry: found.load, compact: true }),
    rule &&
      !isOwn &&
      rows.length > 0 &&
      ul(
        { class: 'rows', 'aria-label': w.tried },
        rows
          .slice(0, isAll.value ? rows.length : SHOWN)
          .map(row =>
            li(
              { key: row.id, class: 'read-row waiting-row' },
              div(
                { class: 'waiting-text' },
                span({ class: 'waiting-title' }, row.statement_description ?? row.description),
                span({ class: 'quiet' }, `${dayAndMonth(language.value, row.date, today.value)} · ${changeText(row)}`),
              ),
              h(Signed, { value: row.amount, type: row.type, transfer: row.is_transfer }),
            ),
          ),
      ),
    rule &&
      !isOwn &&
      !isAll.value &&
      rows.length > SHOWN &&
      button(
        { class: 'link-button', type: 'button', onClick: () => (isAll.value = true) },
        w.more(rows.length - SHOWN),
      ),
  );
};
