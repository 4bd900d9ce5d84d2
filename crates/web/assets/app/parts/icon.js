// Drawings of 24 by 24, in the colour of the text; decoration, so hidden from screen readers.
import { path, svg } from '../dom.js';

const SHAPES = {
  dashboard: 'M4 13h6V4H4zm10 7h6v-9h-6zM4 20h6v-4H4zM14 4v4h6V4z',
  transactions: 'M4 6h16M4 12h16M4 18h10',
  imports: 'M12 15V4m0 0L7.5 8.5M12 4l4.5 4.5M4 15v4a1 1 0 0 0 1 1h14a1 1 0 0 0 1-1v-4',
  accounts: 'M3 9.5 12 4l9 5.5M5 10v8m4.7-8v8m4.6-8v8M19 10v8M3 20h18',
  cards:
    'M3 7a1.5 1.5 0 0 1 1.5-1.5h15A1.5 1.5 0 0 1 21 7v10a1.5 1.5 0 0 1-1.5 1.5h-15A1.5 1.5 0 0 1 3 17zM3 10h18M7 15h3',
  forecast: 'M3 17l6-6 4 4 8-9M15 6h6v6',
  recurring: 'M4 12a8 8 0 0 1 13.7-5.6L20 8.5M20 4v4.5h-4.5M20 12a8 8 0 0 1-13.7 5.6L4 15.5M4 20v-4.500h4.5',
  categories: 'M4 4h7l9 9-7 7-9-9zM8 8h.01',
  budgets: 'M4 20V9m5 11V4m5 16v-8m5 8V7',
  reports: 'M6 3.500h8l4 4v13H6zM14 3.500v4h4M9 12h6M9 16h6',
  changes: 'M4 4v5h5M4.500 9A8.500 8.500 0 1 1 4 14M12 8v4.500l3 2',
  character: 'M12 21v-8m0 0c0-4 3-6 7-6 0 4-3 6-7 6zm0 2c0-3-2.5-5-6-5 0 3 2.5 5 6 5z',
  settings: 'M4 7h9m4 0h3M4 17h3m4 0h9M15 4.800v4.400M9 14.800v4.4',
  plus: 'M12 5v14M5 12h14',
  more: 'M5 12h.01M12 12h.01M19 12h.01',
  left: 'm14.5 5-7 7 7 7',
  right: 'm9.5 5 7 7-7 7',
  close: 'M6 6l12 12M18 6 6 18',
  eye: 'M2.5 12S6 5.5 12 5.5 21.5 12 21.5 12 18 18.5 12 18.5 2.5 12 2.5 12zM12 9a3 3 0 1 1 0 6 3 3 0 0 1 0-6z',
  eye_off:
    'M4 4l16 16M9.9 5.800A9 9 0 0 1 12 5.500c6 0 9.5 6.5 9.5 6.500a16 16 0 0 1-3 3.700M6.2 7.800A16 16 0 0 0 2.5 12s3.5 6.5 9.5 6.500c1.5 0 2.8-.4 4-1M9.9 9.900a3 3 0 0 0 4.2 4.2',
  transfer: 'M4 9h15l-4-4M20 15H5l4 4',
  check: 'm5 12.5 4.5 4.500L19 7.5',
  bell: 'M6 17V11a6 6 0 0 1 12 0v6l1.5 1.500h-15zM10 21h4',
  clock: 'M12 3.500a8.5 8.5 0 1 1 0 17 8.5 8.5 0 0 1 0-17zM12 8v4.500l3 2',
  logout: 'M14 4h4a1.5 1.5 0 0 1 1.5 1.500v13A1.5 1.5 0 0 1 18 20h-4M4 12h11m-3.5-3.500L15 12l-3.5 3.5',
  edit: 'M4 20l1-4.500L15.500 5a2.100 2.100 0 0 1 3 3L8.500 19zM13.500 7l3 3',
  copy: 'M9 9h10v11H9zM5 15V4h10',
  trash: 'M5 7h14M10 7V4.500h4V7M7 7l.8 12.500h8.400L17 7M10.500 11v5M13.500 11v5',
  unlink: 'M10 8H8a4 4 0 0 0 0 8h2M14 8h2a4 4 0 0 1 0 8h-2M12 3.500V6M12 18v2.500',
  filter: 'M4 6h16M7 12h10M10 18h4',
  spark: 'M12 4l1.8 6.2L20 12l-6.2 1.800L12 20l-1.8-6.200L4 12l6.2-1.800z',
  search: 'M10.5 4a6.5 6.5 0 1 1 0 13 6.5 6.5 0 0 1 0-13zM15.5 15.5 20 20',
};

/** @typedef {keyof typeof SHAPES} IconName */

/** @param {IconName} name */
export const icon = name =>
  svg({ class: 'icon', viewBox: '0 0 24 24', 'aria-hidden': 'true', focusable: 'false' }, path({ d: SHAPES[name] }));
