// Actions in place: each shows its change at once, and they run one after the other.
import { signal } from '@preact/signals';

/**
 * The actions on what `of` shows. If the service refuses one, its change is reverted and the error is shown. `after` is called when
 * the last one has ended.
 * @template T @param {import('../../../types/client').Resource<T>} of @param {() => void} after
 */
export const inPlace = (of, after) => {
  /** The names of the running actions, such as `recurring 3`. @type {import('@preact/signals').Signal<string[]>} */
  const doing = signal([]);
  let done = Promise.resolve();
  /** @param {string} name @param {() => Promise<unknown>} work @param {(data: T) => T} change */
  const act = (name, work, change) => {
    doing.value = [...doing.value, name];
    const end = of.tentatively(change);
    done = done.then(async () => {
      try {
        await work();
        end(true);
      } catch (error) {
        end(false);
        void import('./toast.js').then(({ failed }) => failed(error));
      }
      doing.value = doing.value.slice(1);
      if (doing.value.length === 0) after();
    });
  };
  return { doing, act };
};
