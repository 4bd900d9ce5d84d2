// The form of a new or an existing account.
import { useSignal } from '@preact/signals';
import { post, put } from '../../api.js';
import { div, h, input, option, select } from '../../dom.js';
import { amount } from '../../money.js';
import { today } from '../../session.js';
import { words } from '../../words.js';
import { accountWords } from '../../words/accounts.js';
import { AmountField, decimalOf } from '../../parts/amount_field.js';
import { check, Field, Form, invalid, TextField } from '../../parts/field.js';
import { toast } from '../../parts/toast.js';
import { recording } from '../../parts/undo.js';
import { useYields, wrongYields, YieldFields, yieldsBody } from './yield_fields.js';
import { open } from '../../parts/dialog.js';

/** @typedef {import('../../session.js').Schemas['Account']} Account */
const KINDS = /** @type {const} */ (['current', 'savings', 'investment', 'credit']);

/** @param {{ account?: Account | undefined, first?: Account['kind'] | undefined, close: () => void, done: () => void }} props */
const AccountForm = ({ account, first = 'current', close, done }) => {
  const w = words.value.account_form,
    own = accountWords.value,
    kinds = words.value.kinds,
    day = today.value;
  const name = useSignal(account?.name ?? ''),
    kind = useSignal(account?.kind ?? first),
    balance = useSignal(''),
    opened = useSignal(day),
    isSpendable = useSignal(account ? account.spendable : /** @type {boolean | null} */ (null));
  const closing = useSignal(String(account?.closing_day ?? '')),
    due = useSignal(String(account?.due_day ?? ''));
  const yields = useYields(account),
    limit = useSignal(account?.credit_limit ? amount(account.credit_limit) : ''),
    isCard = kind.value === 'credit',
    isToday = opened.value === day,
    asked = isToday ? 'balance_today' : 'opening_balance';
  /** What it held at the end of today stays, whatever older rows come. @param {string | null} held */
  const opening = held =>
    isToday && held !== null
      ? { balance_today: held }
      : { opening_balance: held ?? '0.00', opening_date: opened.value };
  return h(Form, {
    submit: account ? words.value.app.save : w.submit,
    cancel: close,
    work: async key => {
      const held = balance.value.trim() ? decimalOf(balance.value) : null;
      const credit_limit = limit.value.trim() ? decimalOf(limit.value) : null;
      const days = { closing_day: Number(closing.value), due_day: Number(due.value), credit_limit };
      const wrong = Object.entries({
        name: !name.value.trim(),
        closing_day: isCard && !days.closing_day,
        due_day: isCard && !days.due_day,
        credit_limit: isCard && limit.value.trim() !== '' && credit_limit === null,
        [asked]: balance.value.trim() !== '' && held === null,
        ...wrongYields(kind.value, yields),
      });
      const fields = wrong.flatMap(([field, isWrong]) => (isWrong ? [field] : []));
      if (fields.length > 0) throw invalid(...fields);
      const body = {
        // Values without a field here stay as they are.
        ...account,
        name: name.value,
        kind: kind.value,
        spendable: isSpendable.value ?? (!isCard && kind.value === 'current'),
        ...(isCard ? days : !account && opening(held)),
        ...yieldsBody(kind.value, yields),
      };
      const { changed, offer } = recording();
      const stored = account
        ? await put('/api/accounts/{id}', { path: { id: account.id }, body, changed })
        : await post('/api/accounts', { body, key, changed });
      toast((account ? own.saved : w.created)(stored.name), offer(done));
      close();
      done();
    },
    children: error => [
      h(TextField, {
        label: w.name,
        name: 'name',
        error,
        hint: account ? undefined : w.name_hint,
        value: name,
        maxLength: 100,
      }),
      h(Field, {
        label: w.kind,
        name: 'kind',
        error,
        hint: account && own.fixed,
        children: control =>
          account
            ? input({ ...control, type: 'text', readOnly: true, value: kinds[account.kind] })
            : select(
                {
                  ...control,
                  value: kind.value,
                  onChange: event => (kind.value = /** @type {Account['kind']} */ (event.currentTarget.value)),
                },
                KINDS.map(known => option({ key: known, value: known }, kinds[known])),
              ),
      }),
      div(
        { class: 'pair' },
        isCard
          ? [
              h(TextField, {
                label: w.closing_day,
                name: 'closing_day',
                error,
                value: closing,
                inputMode: 'numeric',
                maxLength: 2,
              }),
              h(TextField, {
                label: w.due_day,
                name: 'due_day',
                error,
                value: due,
                inputMode: 'numeric',
                maxLength: 2,
              }),
              h(AmountField, { value: limit, name: 'credit_limit', label: w.limit, error, hint: w.limit_hint }),
            ]
          : !account && [
              h(AmountField, {
                value: balance,
                name: asked,
                label: isToday ? w.today : own.then,
                error,
                hint: isToday ? own.today_hint : w.balance_hint,
              }),
              h(TextField, {
                label: own.opened,
                name: 'opening_date',
                error,
                value: opened,
                type: 'date',
                max: day,
                // The opening balance includes the yield up to that day.
                onInput: event => (opened.value = yields.since.value = event.currentTarget.value),
              }),
            ],
      ),
      !isCard && check(own.spendable, isSpendable.value ?? kind.value === 'current', is => (isSpendable.value = is)),
      h(/** @type {any} */ (YieldFields), { kind: kind.value, yields, error }),
    ],
  });
};

/**
 * Opens the form of `account`, or of a new one, of the kind `first`. `done` reads again what it changes.
 * @param {() => void} done @param {{ account?: Account | undefined, first?: Account['kind'], title?: string }} [options]
 */
export const openAccount = (done, { account, first, title = words.value.account_form.title } = {}) =>
  open({ title: account?.name ?? title }, close => h(AccountForm, { account, first, close, done }));
