// Applies rules to stored transactions, with an undo.
import { useSignal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import { get, post, resource } from '../../api.js';
import { div, fieldset, h, input, label, legend, p, small, span } from '../../dom.js';
import { changed, wrote } from '../../session.js';
import { words } from '../../words.js';
import { rulesWords } from '../../words/rules.js';
import { open } from '../../parts/dialog.js';
import { Form, TextField, invalid } from '../../parts/field.js';
import { toast } from '../../parts/toast.js';
import { recording } from '../../parts/undo.js';

/** @typedef {{ rule_ids?: number[], from?: string, to?: string, only_uncategorized: boolean }} Scope */

/** @param {Scope} scope */
const filtersOf = ({ from, to, only_uncategorized }) => ({
  from,
  to,
  ...(only_uncategorized ? { category_id: 'none' } : {}),
});

/** Applies rules, and shows the result with an undo. @param {Scope} scope @param {string} [key] */
export const apply = async (scope, key) => {
  const w = rulesWords.value,
    kept = recording();
  const done = await post('/api/rules/apply', {
    body: scope,
    ...(key ? { key } : {}),
    changed: kept.changed,
  });
  const again = () => {
    changed.value++;
    void wrote();
  };
  toast(w.applied(done.changed), kept.offer(again, w.taken_back(done.changed)));
  if (done.changed > 0) again();
};

/** @param {{ only: import('../../rules.js').Rule | null, close: () => void }} props */
const ApplyForm = ({ only, close }) => {
  const w = rulesWords.value,
    isAll = useSignal(false),
    from = useSignal(''),
    to = useSignal('');
  /** @returns {Scope} */
  const scope = () => ({
    ...(only ? { rule_ids: [only.id] } : {}),
    ...(from.value ? { from: from.value } : {}),
    ...(to.value ? { to: to.value } : {}),
    only_uncategorized: !isAll.value,
  });
  const counted = useMemo(
      () => resource(signal => get('/api/transactions/summary', { query: filtersOf(scope()), signal })),
      [],
    ),
    count = counted.data.value?.count;
  const isOrdered = () => !from.value || !to.value || from.value <= to.value;
  useEffect(() => {
    // Decided here, because an effect may run only after the next change, whose days the request would have.
    if (isOrdered()) void counted.load();
  }, [isAll.value, from.value, to.value]);
  /** @param {boolean} all @param {string} text */
  const choice = (all, text) =>
    label(
      { class: 'segment' },
      input({ type: 'radio', name: 'scope', checked: isAll.value === all, onChange: () => (isAll.value = all) }),
      span(null, text),
    );
  /**
   * @param {string} name
   * @param {string} text
   * @param {import('@preact/signals').Signal<string>} value
   * @param {unknown} error
   */
  const day = (name, text, value, error) =>
    h(TextField, { label: text, name, error, hint: w.any_day, value, type: 'date' });
  return h(Form, {
    submit: w.apply_submit,
    busy: w.applying,
    cancel: close,
    work: async key => {
      if (!isOrdered()) throw invalid({ field: 'to', code: 'invalid_date' });
      await apply(scope(), key);
      close();
    },
    children: error => [
      fieldset(
        { key: 'scope', class: 'field' },
        legend(null, w.scope),
        div({ class: 'segments' }, choice(false, w.scopes.none), choice(true, w.scopes.all)),
        isAll.value && small({ class: 'hint' }, w.scope_all_hint),
      ),
      div({ key: 'days', class: 'pair' }, day('from', w.since, from, error), day('to', w.until, to, error)),
      p(
        { key: 'count', class: 'quiet', role: 'status' },
        count === undefined ? words.value.app.loading : w.in_scope(count),
      ),
    ],
  });
};

/** Opens the form for one rule, or for all. @param {import('../../rules.js').Rule | null} [only] */
export const openApply = (only = null) =>
  open({ title: only ? rulesWords.value.apply_one(only.name) : rulesWords.value.apply_title }, close =>
    h(ApplyForm, { only, close }),
  );
