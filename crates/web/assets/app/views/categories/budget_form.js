// The monthly budget of a category.
import { useSignal } from '@preact/signals';
import { put } from '../../api.js';
import { h } from '../../dom.js';
import { categoryById } from '../../session.js';
import { words } from '../../words.js';
import { AmountField, decimalOf } from '../../parts/amount_field.js';
import { CategoryField } from '../../parts/category_select.js';
import { Form, invalid } from '../../parts/field.js';
import { toast } from '../../parts/toast.js';
import { recording } from '../../parts/undo.js';
import { open } from '../../parts/dialog.js';

/** @param {{ close: () => void, done: () => void }} props */
const BudgetForm = ({ close, done }) => {
  const w = words.value.budget_form;
  const first =
    [...categoryById.value.values()]
      .filter(one => !one.hidden)
      .sort((one, other) => one.name.localeCompare(other.name, 'pt-BR'))[0]?.id ?? null;
  const id = useSignal(first),
    typed = useSignal('');
  return h(Form, {
    submit: w.submit,
    cancel: close,
    work: async () => {
      const category = id.value === null ? undefined : categoryById.value.get(id.value);
      if (!category) throw invalid('category_id');
      const budget = decimalOf(typed.value);
      if (budget === null) throw invalid('monthly_budget');
      const { changed, offer } = recording();
      await put('/api/categories/{id}', {
        path: { id: category.id },
        body: { name: category.name, is_tax: category.is_tax, tax_kind: category.tax_kind, monthly_budget: budget },
        changed,
      });
      toast(w.saved(category.name), offer(done));
      close();
      done();
    },
    children: error => [
      h(CategoryField, { label: w.category, error, value: id, none: null }),
      h(AmountField, { value: typed, name: 'monthly_budget', label: w.budget, error }),
    ],
  });
};

/** @param {() => void} done */
export const openBudget = done =>
  open({ title: words.value.budget_form.title }, close => h(BudgetForm, { close, done }));
