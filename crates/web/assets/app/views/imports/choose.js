// The first step: the files, and the account of each.
import { useSignal, useSignalEffect } from '@preact/signals';
import { useRef } from 'preact/hooks';
import {
  a,
  button,
  classes,
  details,
  div,
  fieldset,
  form,
  h,
  h2,
  input,
  label,
  legend,
  li,
  option,
  p,
  section,
  select,
  small,
  span,
  strong,
  summary,
  ul,
} from '../../dom.js';
import { addMonths, dayIn, dayInWords, monthOf } from '../../dates.js';
import { check, Field, invalid } from '../../parts/field.js';
import { FileInput } from '../../parts/file_input.js';
import { icon } from '../../parts/icon.js';
import { fieldMessage } from '../../parts/problem.js';
import { accountById, accounts, today } from '../../session.js';
import { language, words } from '../../words.js';
import { importWords } from '../../words/imports.js';
import { rulesWords } from '../../words/rules.js';
import { Busy, FileProblem, isAboutFile, isWrongFile } from './file_problem.js';
import { bring } from './many.js';
import { drop, next } from './queue.js';
import { stepAfter } from './statement.js';

/** @typedef {import('./statement.js').Statement} Statement */

/** An area to drop or choose files. */
export const Drop = () => {
  const w = importWords.value,
    isOver = useSignal(false),
    depth = useRef(0);
  // Files dropped outside the area must not replace the page.
  useSignalEffect(() => {
    const enter = () => (isOver.value = ++depth.current > 0);
    const leave = () => (isOver.value = --depth.current > 0);
    const over = (/** @type {DragEvent} */ event) => event.preventDefault();
    const drop = (/** @type {DragEvent} */ event) => {
      event.preventDefault();
      depth.current = 0;
      isOver.value = false;
      if (event.dataTransfer) void bring(event.dataTransfer.files);
    };
    addEventListener('dragenter', enter);
    addEventListener('dragleave', leave);
    addEventListener('dragover', over);
    addEventListener('drop', drop);
    return () => {
      removeEventListener('dragenter', enter);
      removeEventListener('dragleave', leave);
      removeEventListener('dragover', over);
      removeEventListener('drop', drop);
    };
  });
  return section(
    { class: 'card', 'aria-labelledby': 'drop' },
    div(
      { class: classes('drop', isOver.value && 'over') },
      icon('imports'),
      h2({ id: 'drop' }, isOver.value ? w.drop_now : w.drop),
      h(FileInput, { text: w.choose, isMany: true, isPrimary: true, take: files => void bring(files) }),
      p({ class: 'quiet', id: 'drop-note' }, w.kinds),
    ),
    details(
      { class: 'how' },
      summary(null, w.how),
      ul(
        { class: 'plain bullets' },
        w.how_steps.map(step => li({ key: step }, step)),
      ),
    ),
    a({ class: 'button quiet-button', href: '/settings?show=rules' }, rulesWords.value.see),
  );
};

/** Creates an account for the file. @param {(id: number) => void} chosen */
const addAccount = async chosen => {
  const { openAccount } = await import('../accounts/account_form.js');
  const before = new Set(accountById.peek().keys());
  const done = async () => {
    await accounts.load();
    const added = [...accountById.peek().keys()].find(id => !before.has(id));
    if (added !== undefined) chosen(added);
  };
  await openAccount(() => void done());
};

/** The account of the file. @param {{ of: Statement }} props */
export const Place = ({ of }) => {
  const w = importWords.value;
  const tried = useSignal(false),
    account = of.account.value,
    element = useRef(/** @type {HTMLFormElement | null} */ (null)),
    proposed = useRef('');
  accounts.want();
  const several = of.accounts.value,
    isUnknown = several === null ? account === undefined : [...several.values()].every(id => id === null);
  const missing = [
    isUnknown && 'choose_account',
    of.isCard.value && of.isOnOneDay.value && !of.paymentDate.value && 'payment_date',
  ].filter(name => name !== false);
  const error = tried.value && missing.length > 0 ? invalid(...missing) : of.error.value;
  const submit = async (/** @type {Event} */ event) => {
    event.preventDefault();
    if (of.busy.value) return;
    tried.value = true;
    if (missing.length > 0)
      return void requestAnimationFrame(() =>
        /** @type {HTMLElement | null} */ (element.current?.querySelector('[aria-invalid=true]'))?.focus(),
      );
    if (!(await of.read())) {
      // The pressed button made room for the progress, and what was wrong with the file takes its place.
      requestAnimationFrame(() => {
        if (!document.activeElement?.matches('body, h1, h2')) return;
        /** @type {HTMLElement | null} */ (
          element.current?.querySelector('.wrong-file, [aria-invalid=true]') ??
            element.current?.querySelector('[type=submit]')
        )?.focus();
      });
      return;
    }
    const statements = of.preview.value?.statements ?? [];
    if (statements.length > 1 && of.accounts.value === null) {
      of.accounts.value = new Map(statements.map(({ index, account_id }) => [index, account_id]));
      return;
    }
    of.step.value = stepAfter(of.preview.value);
  };
  const known = [...(accounts.data.value ?? [])].sort((one, other) => one.name.localeCompare(other.name, 'pt-BR'));
  const choose = (/** @type {string} */ value) => {
    of.account.value = value === '' ? undefined : value === 'none' ? null : Number(value);
    const card = typeof of.account.value === 'number' ? accountById.value.get(of.account.value) : undefined;
    // A typed date stays; that of another card does not.
    if (of.paymentDate.value !== proposed.current) return;
    of.paymentDate.value = proposed.current = '';
    if (!card?.current_bill) return;
    // A bill that has closed and is not due yet is the one that a bank has just sent.
    const { due_date: due } = card.current_bill,
      before = dayIn(addMonths(monthOf(due), -1), card.due_day ?? 1);
    of.paymentDate.value = proposed.current = before >= today.value ? before : due;
  };
  return form(
    { class: 'form', noValidate: true, ref: element, onSubmit: submit },
    several === null &&
      !(of.busy.value && account === undefined) &&
      div(
        { class: 'with-action' },
        h(Field, {
          label: w.account,
          name: account === undefined ? 'choose_account' : 'account_id',
          error,
          hint: account === null ? w.no_account_hint : undefined,
          children: control =>
            select(
              {
                ...control,
                value: account === undefined ? '' : account === null ? 'none' : String(account),
                onChange: event => choose(event.currentTarget.value),
              },
              account === undefined && option({ value: '' }, w.choose_account),
              known.map(one =>
                option({ key: one.id, value: String(one.id) }, `${one.name} · ${words.value.kinds[one.kind]}`),
              ),
              option({ value: 'none' }, words.value.dashboard.no_account),
            ),
        }),
        button(
          { class: 'link-button', type: 'button', onClick: () => void addAccount(id => choose(String(id))) },
          w.new_account,
        ),
      ),
    several === null && account === null && check(w.is_card, of.isLooseCard.value, is => (of.isLooseCard.value = is)),
    several !== null && h(Several, { of, known, several, error }),
    of.isCard.value && several === null && h(Dating, { of, error }),
    of.error.value !== null && isAboutFile(of.error.value) && h(FileProblem, { of }),
    of.busy.value
      ? h(Busy, { text: w.reading(of.file.name), cancel: of.cancel })
      : !isWrongFile(of.error.value) &&
          div(
            { class: 'actions' },
            button({ class: 'button', type: 'button', onClick: () => void drop(of, next) }, words.value.app.cancel),
            button({ class: 'button primary', type: 'submit' }, w.read),
          ),
    tried.value && missing.length > 0 && span({ class: 'unseen', role: 'alert' }, words.value.problems.ErrValidation),
  );
};

/**
 * The accounts of a file with the statements of several.
 * @param {{ of: Statement, known: import('../../../../types/client').Schemas['Account'][], several: ReadonlyMap<number, number | null>, error: unknown }} props
 */
const Several = ({ of, known, several, error }) => {
  const w = importWords.value,
    statements = of.preview.value?.statements ?? [],
    isNone = [...several.values()].every(id => id === null);
  /** @param {number} index @param {number | null} id */
  const choose = (index, id) => (of.accounts.value = new Map(of.accounts.peek()).set(index, id));
  /** The first statement without an account gets the new one. @param {number} id */
  const added = id => {
    const open = statements.find(({ index }) => (of.accounts.peek()?.get(index) ?? null) === null);
    if (open) choose(open.index, id);
  };
  return fieldset(
    { class: 'field' },
    legend(null, w.several_accounts),
    statements.map(({ index, hint, rows }, at) =>
      h(Field, {
        key: index,
        label: w.statement_of(hint, rows),
        name: isNone && at === 0 ? 'choose_account' : `statements[${index}].account_id`,
        error,
        children: control =>
          select(
            {
              ...control,
              value: String(several.get(index) ?? ''),
              onChange: event => choose(index, Number(event.currentTarget.value) || null),
            },
            option({ value: '' }, w.leave_out),
            known.map(one => option({ key: one.id, value: String(one.id) }, one.name)),
          ),
      }),
    ),
    button({ class: 'link-button', type: 'button', onClick: () => void addAccount(added) }, w.new_account),
  );
};

/** The date on which the rows of a card's statement count. @param {{ of: Statement, error: unknown }} props */
const Dating = ({ of, error }) => {
  const w = importWords.value,
    isOnOneDay = of.isOnOneDay.value,
    date = of.paymentDate.value;
  const wrong = fieldMessage(error, 'payment_date');
  // A year may have more digits while it is typed.
  const day = /^\d{4}-/.test(date) && dayInWords(language.value, date, today.value);
  const choice = (/** @type {boolean} */ value, /** @type {string} */ title, /** @type {string} */ text) =>
    label(
      { class: classes('choice', isOnOneDay === value && 'chosen') },
      input({
        type: 'radio',
        name: 'dating',
        checked: isOnOneDay === value,
        onChange: () => (of.isOnOneDay.value = value),
      }),
      span(null, strong(null, title), small({ class: 'hint' }, text)),
    );
  return fieldset(
    { class: 'field' },
    legend(null, w.dating),
    div({ class: 'choices' }, choice(false, w.own_days, w.own_days_text), choice(true, w.one_day, w.one_day_text)),
    isOnOneDay &&
      h(Field, {
        label: w.payment_date,
        name: 'payment_date',
        error,
        children: control =>
          input({
            ...control,
            type: 'date',
            value: date,
            onInput: event => (of.paymentDate.value = event.currentTarget.value),
          }),
      }),
    isOnOneDay &&
      day &&
      !wrong &&
      p({ class: 'note', role: 'status' }, of.isHeld.value ? w.held_until(day) : w.dated(day)),
  );
};
