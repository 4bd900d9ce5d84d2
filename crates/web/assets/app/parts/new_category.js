// A new category, from a select of categories.
import { useSignal } from '@preact/signals';
import { post } from '../api.js';
import { h } from '../dom.js';
import { categories, wrote } from '../session.js';
import { words } from '../words.js';
import { open } from './dialog.js';
import { Form, invalid, TextField } from './field.js';
import { toast } from './toast.js';
import { recording } from './undo.js';

/** @param {{ close: () => void, created: (id: number) => void }} props */
const NewCategory = ({ close, created }) => {
  const w = words.value.form,
    name = useSignal('');
  return h(Form, {
    submit: w.create_category,
    cancel: close,
    work: async key => {
      if (!name.value.trim()) throw invalid('name');
      const { changed, offer } = recording();
      const made = await post('/api/categories', { body: { name: name.value.trim() }, key, changed });
      categories.set([...(categories.data.peek() ?? []), made]);
      close();
      created(made.id);
      toast(
        w.category_created(made.name),
        offer(() => void categories.load()),
      );
      void wrote();
    },
    children: error =>
      h(TextField, {
        label: words.value.account_form.name,
        name: 'name',
        value: name,
        error,
        maxLength: 100,
        autoFocus: true,
      }),
  });
};

/** Asks for the name of a new category, and creates it. @param {(id: number) => void} created */
export const openNewCategory = created =>
  open({ title: words.value.form.new_category_title }, close => h(NewCategory, { close, created }));
