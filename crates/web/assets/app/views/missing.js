// The page for an unknown address.
import { a, h1, p, section } from '../dom.js';
import { words } from '../words.js';

export default () => {
  const w = words.value.views;
  return section(
    { class: 'page narrow' },
    h1({ tabIndex: -1 }, w.missing),
    p(null, w.missing_text),
    p(null, a({ class: 'button', href: '/' }, w.to_dashboard)),
  );
};
