// The savings goal, in the settings and in the first steps.
import { useSignal } from '@preact/signals';
import { put } from '../../api.js';
import { h } from '../../dom.js';
import { figure } from '../../money.js';
import { settings } from '../../session.js';
import { words } from '../../words.js';
import { Form, invalid, TextField } from '../../parts/field.js';
import { toast } from '../../parts/toast.js';
import { recording } from '../../parts/undo.js';
import { open } from '../../parts/dialog.js';

/**
 * `saved` is called once the goal is stored, and `undone` once it is taken back.
 * @param {{ goal: number, submit: string, cancel?: () => void, saved?: () => void, undone: () => void }} props
 */
export const GoalForm = ({ goal, submit, cancel, saved = () => {}, undone }) => {
  const w = words.value.dashboard,
    typed = useSignal(figure(goal));
  return h(Form, {
    submit,
    ...(cancel ? { cancel } : {}),
    work: async () => {
      const text = typed.value.trim().replace(',', '.');
      if (!/^\d{1,3}(\.\d{1,2})?$/.test(text)) throw invalid('savings_goal_pct');
      const { changed, offer } = recording();
      settings.set(await put('/api/settings', { body: { savings_goal_pct: Number(text) }, changed }));
      toast(w.goal_saved, offer(undone));
      saved();
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

/** @param {number} goal @param {() => void} after Called when it is saved, and when that is undone. */
export const openGoal = (goal, after) => {
  const w = words.value.dashboard;
  return open({ title: w.step_goal }, close =>
    h(GoalForm, {
      goal,
      submit: w.step_goal_do,
      cancel: close,
      saved: () => {
        close();
        after();
      },
      undone: after,
    }),
  );
};
