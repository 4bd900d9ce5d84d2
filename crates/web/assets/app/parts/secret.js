// Shows a secret once: a token, or an address that contains one.
import { useRef } from 'preact/hooks';
import { button, div, input, label, newId, p } from '../dom.js';
import { words } from '../words.js';
import { accessWords } from '../words/access.js';
import { toast } from './toast.js';

/**
 * @param {{ text: string, name: string, value: string, close: () => void, children?: import('preact').ComponentChildren }} props
 */
export const Secret = ({ text, name, value, close, children }) => {
  const w = accessWords.value,
    id = useRef(''),
    field = useRef(/** @type {HTMLInputElement | null} */ (null));
  id.current ||= newId();
  const copy = async () => {
    field.current?.select();
    try {
      await navigator.clipboard.writeText(value);
      toast(w.copied);
    } catch {
      // Without https, or if the browser forbids it. The text is selected, so that the user can copy it.
      toast(words.value.app.copy_refused, { isProblem: true });
    }
  };
  return div(
    { class: 'form' },
    p({ role: 'status' }, text),
    div(
      { class: 'field' },
      label({ for: id.current }, name),
      input({
        id: id.current,
        ref: field,
        type: 'text',
        readOnly: true,
        value,
        onFocus: event => event.currentTarget.select(),
      }),
    ),
    children,
    div(
      { class: 'actions' },
      button({ class: 'button', type: 'button', onClick: close }, words.value.app.close),
      button({ class: 'button primary', type: 'button', autoFocus: true, onClick: () => void copy() }, w.copy),
    ),
  );
};
