// The savings goal, as the first steps ask for it.
import { useSignal } from '@preact/signals';
import { put } from '../api.js';
import { h } from '../dom.js';
import { settings } from '../session.js';
import { words } from '../words.js';
import { Form, invalid, TextField } from './field.js';
import { toast } from './toast.js';
import { recording } from './undo.js';

/** @param {{ goal: number, close: () => void, done: () => void }} props */
export const GoalForm = ({ goal, close, done }) => {
  const w = words.value.dashboard,
    typed = useSignal(String(goal).replace('.', ','));
  return h(Form, {
    submit: w.step_goal_do,
    cancel: close,
    work: async () => {
      const text = typed.value.trim().replace(',', '.');
      if (!/^\d{1,3}(\.\d{1,2})?$/.test(text)) throw invalid('savings_goal_pct');
      const { changed, offer } = recording();
      settings.set(await put('/api/settings', { body: { savings_goal_pct: Number(text) }, changed }));
      toast(w.goal_saved, offer(done));
      close();
      done();
    },
    children: error =>
      h(TextField, {
        label: w.goal_label,
        name: 'savings_goal_pct',
        value: typed,
        error,
        class: 'short',
        inputMode: 'decimal',
      }),
  });
};
