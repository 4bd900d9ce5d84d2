// Error messages by code: what happened, what was kept, what to do.
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { Problem } from '../api.js';
import { button, classes, div, h, p, small } from '../dom.js';
import { words } from '../words.js';

/** Failures that leave it open whether a write was saved. */
const DOUBTFUL = ['ErrInternal', 'ErrRequestTimeout'];

/** @param {unknown} error */
export const message = error => {
  const w = words.value;
  if (!(error instanceof Problem)) return w.problem.unknown;
  // There may be no form that could show what is wrong at its field.
  const [wrong] = error.errors,
    text =
      (wrong?.code && w.field_codes[wrong.code]?.(wrong.params ?? {})) ??
      /** @type {Record<string, string>} */ (w.problems)[error.code] ??
      w.problem.unknown;
  return error.isWrite && DOUBTFUL.includes(error.code) ? `${text} ${w.problem.not_saved}` : text;
};

/** The error of a field; null without one. @param {unknown} error @param {string} field */
export const fieldMessage = (error, field) => {
  const found = error instanceof Problem ? error.errors.find(known => known.field === field) : undefined;
  if (!found) return null;
  const w = words.value;
  return (found.code && w.field_codes[found.code]?.(found.params ?? {})) ?? w.fields[field] ?? w.field_unknown;
};

/** The seconds left of a wait, counting down. @param {number} seconds @param {unknown} since */
export const useCountdown = (seconds, since) => {
  const left = useSignal(seconds);
  useEffect(() => {
    left.value = seconds;
    if (!seconds) return undefined;
    const end = Date.now() + seconds * 1000;
    const timer = setInterval(() => {
      left.value = Math.max(0, Math.ceil((end - Date.now()) / 1000));
      if (left.value === 0) clearInterval(timer);
    }, 250);
    return () => clearInterval(timer);
  }, [since]);
  return left.value;
};

/** The placeholder of a card that is still loading. @param {number} lines */
export const ghost = lines =>
  div(
    { class: 'card ghost' },
    Array.from({ length: lines }, (_, index) => div({ key: index, class: 'skeleton line' })),
  );

/** @param {{ error: unknown, retry?: () => void, compact?: boolean }} props */
export const ProblemNote = ({ error, retry, compact = false }) => {
  const w = words.value;
  const left = useCountdown(error instanceof Problem ? error.retryAfter : 0, error);
  if (!error) return null;
  const id = error instanceof Problem ? error.requestId : '';
  return div(
    { class: classes('problem', compact && 'compact'), role: 'alert' },
    p(null, message(error)),
    retry &&
      button(
        { class: 'button', type: 'button', disabled: left > 0, onClick: retry },
        left > 0 ? w.app.retry_in(left) : w.app.retry,
      ),
    id && (!(error instanceof Problem) || error.status >= 500) && small(null, w.problem.request(id)),
  );
};

/**
 * The view of a resource: a skeleton, an error with a retry, or its content.
 * @template T
 * @param {{ of: import('../../../types/client').Resource<T>, skeleton: import('preact').VNode, children: (data: T) => import('preact').ComponentChildren }} props
 */
export const Loaded = ({ of, skeleton, children }) => {
  const data = of.data.value,
    error = of.error.value;
  if (data !== null)
    return div(
      // Another element than the skeleton, which nothing of it is.
      { key: 'loaded', class: 'loaded', 'aria-busy': of.busy.value },
      error && h(ProblemNote, { error, retry: of.load, compact: true }),
      children(data),
    );
  if (error) return h(ProblemNote, { error, retry: of.load });
  return div(
    { key: 'loading', class: 'loading', 'aria-busy': true },
    div({ class: 'unseen', role: 'status' }, words.value.app.loading),
    skeleton,
  );
};
