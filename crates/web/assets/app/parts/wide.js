// Whether there is room for columns.
import { signal } from '@preact/signals';

/** Whether the window matches a width, as a signal. @param {string} query */
export const wide = query => {
  const media = matchMedia(query),
    found = signal(media.matches);
  media.addEventListener('change', () => (found.value = media.matches));
  return found;
};
