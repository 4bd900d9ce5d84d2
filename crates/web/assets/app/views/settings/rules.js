// The rules of the household, in the order in which they apply. They can be changed, tried, and applied to stored
// transactions.
import { signal } from '@preact/signals';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { put, remove } from '../../api.js';
import { button, div, h, input, label, li, ol, p, section, small, span } from '../../dom.js';
import { bind, rowKeys } from '../../keys.js';
import { open } from '../../parts/dialog.js';
import { action, Empty, Head, removal } from '../../parts/overview.js';
import { ghost, Loaded } from '../../parts/problem.js';
import { openApply } from './rule_apply.js';
import { openRule } from './rule_form.js';
import { Tried } from './rule_tried.js';
import { attempt, failed, toast } from '../../parts/toast.js';
import { recording } from '../../parts/undo.js';
import { wide } from '../../parts/wide.js';
import { bodyOf, rules, sentence } from '../../rules.js';
import { accounts, canWrite, categories } from '../../session.js';
import { words } from '../../words.js';
import { rulesWords } from '../../words/rules.js';

/** @typedef {import('../../rules.js').Rule} Rule */

/** A window so wide that there is most likely a keyboard. */
const hasKeyboard = wide('(min-width: 900px)');

/** The last action, for screen readers. */
const announcement = signal('');

/** Writes run one after the other, so that the last one wins. */
let last = Promise.resolve();
/**
 * Shows the new rules, and saves the changed ones. If the service refuses, the rules are reloaded.
 * @param {Rule[]} next
 * @param {Rule[]} written
 */
const write = (next, written) => {
  rules.set(next);
  last = last
    .then(async () => {
      for (const rule of written) await put('/api/rules/{id}', { path: { id: rule.id }, body: bodyOf(rule) });
    })
    .catch(error => {
      failed(error);
      void rules.load();
    });
};

/** The focused element while its row moves, because the move removes the focus. */
let held = /** @type {HTMLElement | null} */ (null);

/** Moves a rule. Only rules whose position changes are saved. @param {Rule} rule @param {1 | -1} by */
const move = (rule, by) => {
  const all = rules.data.peek() ?? [],
    from = all.findIndex(one => one.id === rule.id),
    to = from + by;
  if (from < 0 || !all[to]) return;
  const order = all.toSpliced(from, 1).toSpliced(to, 0, /** @type {Rule} */ (all[from]));
  // The existing positions if they are unique; otherwise all are renumbered.
  const places = all.map(one => one.position),
    isOrdered = places.every((place, at) => at === 0 || place > /** @type {number} */ (places[at - 1]));
  const next = order.map((one, at) => ({ ...one, position: isOrdered ? /** @type {number} */ (places[at]) : at }));
  held = /** @type {HTMLElement | null} */ (document.activeElement);
  announcement.value = rulesWords.peek().moved(rule.name, to + 1, all.length);
  write(
    next,
    next.filter(one => all.find(before => before.id === one.id)?.position !== one.position),
  );
};

/** @param {Rule} rule */
const toggle = rule => {
  const changed = { ...rule, enabled: !rule.enabled },
    w = rulesWords.peek();
  announcement.value = (changed.enabled ? w.turned_on : w.turned_off)(rule.name);
  write(
    (rules.data.peek() ?? []).map(one => (one.id === rule.id ? changed : one)),
    [changed],
  );
};

/** @param {Rule} rule */
const removeRule = async rule => {
  const { changed, offer } = recording();
  if (!(await attempt(() => remove('/api/rules/{id}', { path: { id: rule.id }, changed })))) return void rules.load();
  rules.set((rules.data.peek() ?? []).filter(one => one.id !== rule.id));
  toast(
    rulesWords.peek().removed(rule.name),
    offer(() => void rules.load()),
  );
};

/** Shows what a rule would change, without changing it. @param {Rule} rule */
const test = rule =>
  void open({ title: rule.name, kind: 'wide' }, close => [
    p({ key: 'what' }, sentence(rule)),
    h(Tried, { key: 'tried', rule: bodyOf(rule) }),
    div(
      { key: 'actions', class: 'actions' },
      rule.enabled &&
        action(rulesWords.value.apply, () => {
          close();
          void openApply(rule);
        }),
      button({ class: 'button primary', type: 'button', onClick: close }, words.value.app.close),
    ),
  ]);

/** @param {{ rule: Rule, at: number, of: number }} props */
const Row = ({ rule, at, of }) => {
  const w = rulesWords.value,
    place = useRef(/** @type {HTMLLIElement | null} */ (null));
  useLayoutEffect(() => {
    if (!held || !place.current?.contains(held)) return;
    held.focus();
    held = null;
  }, [at]);
  const pressed = (/** @type {KeyboardEvent} */ event) => {
    const by = event.key === 'ArrowUp' ? -1 : event.key === 'ArrowDown' ? 1 : 0;
    if (!by || !event.altKey || !canWrite.value) return;
    event.preventDefault();
    move(rule, by);
  };
  const about = span({ class: 'unseen' }, ` ${rule.name}`);
  /** @param {string} drawing @param {string} text @param {1 | -1} by @param {boolean} can */
  const step = (drawing, text, by, can) =>
    button(
      {
        class: 'icon-button',
        type: 'button',
        'aria-label': text,
        title: text,
        'aria-disabled': !can,
        onClick: () => move(rule, by),
      },
      span({ 'aria-hidden': 'true' }, drawing),
    );
  return li(
    { class: 'waiting-row rule', ref: place, 'data-row': rule.id, onKeyDown: pressed },
    div(
      { class: 'waiting-text' },
      span(
        { class: 'waiting-title' },
        button(
          {
            class: 'link-button rule-name',
            type: 'button',
            'aria-haspopup': 'dialog',
            onClick: () => void openRule(rule),
          },
          rule.name,
        ),
        !rule.enabled && span({ class: 'badge late' }, w.off),
      ),
      span({ class: 'quiet' }, sentence(rule)),
    ),
    div(
      { class: 'row-actions' },
      canWrite.value && [
        label(
          { class: 'check' },
          input({ type: 'checkbox', role: 'switch', checked: rule.enabled, onChange: () => toggle(rule) }),
          span(null, w.on, about),
        ),
        step('↑', w.up(rule.name), -1, at > 0),
        step('↓', w.down(rule.name), 1, at < of - 1),
      ],
      button({ class: 'button quiet-button', type: 'button', onClick: () => test(rule) }, w.test, about),
      removal(words.value.transactions.remove_row(rule.name), () => void removeRule(rule)),
    ),
  );
};

/** A rule without conditions, to be filled in. */
const add = () => void openRule({ name: '', match: 'all', conditions: [], actions: [] });

export const RulesPage = () => {
  const w = rulesWords.value,
    list = useRef(/** @type {HTMLOListElement | null} */ (null));
  categories.want();
  accounts.want();
  useEffect(() => {
    // A correction elsewhere, or its undo, may have changed them.
    void rules.load();
    announcement.value = '';
    const rows = () => /** @type {HTMLElement[]} */ ([...(list.current?.querySelectorAll('[data-row]') ?? [])]);
    return bind(
      rowKeys({
        rows,
        at: () => rows().findIndex(one => one.contains(document.activeElement)),
        show: index => /** @type {HTMLElement | null} */ (rows()[index]?.querySelector('.rule-name'))?.focus(),
        open: one => /** @type {HTMLElement | null} */ (one?.querySelector('.rule-name'))?.click(),
      }),
    );
  }, []);
  const count = rules.data.value?.length ?? 0;
  return div(
    { class: 'page' },
    h(Head, {
      title: w.title,
      back: ['/settings', words.value.views.settings],
      children: [count > 0 && action(w.apply, () => void openApply()), action(w.add, add, 'primary')],
    }),
    // With the rules, because their buttons take more room in the head.
    rules.data.value !== null && p({ class: 'quiet' }, w.text),
    p({ class: 'unseen', role: 'status' }, announcement.value),
    Loaded({
      of: rules,
      skeleton: ghost(4),
      children: all =>
        all.length === 0
          ? h(Empty, { title: w.empty, text: w.empty_text, children: action(w.add, add, 'primary') })
          : section(
              { class: 'card', 'aria-label': w.title },
              ol(
                { class: 'rows', 'aria-label': w.list, ref: list },
                all.map((rule, at) => h(Row, { key: rule.id, rule, at, of: all.length })),
              ),
              all.length > 1 && canWrite.value && hasKeyboard.value && p({ class: 'quiet' }, small(null, w.order_hint)),
            ),
    }),
  );
};
