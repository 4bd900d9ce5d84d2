// Reports: where the money went, in which months, to whom; a year; and the figures for the income tax.
import { effect, signal, untracked } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { a, classes, div, h, nav } from '../dom.js';
import { Head } from '../parts/overview.js';
import { ghost } from '../parts/problem.js';
import { place } from '../router.js';
import { today } from '../session.js';
import { wordsOf } from '../words.js';

const flowWords = await wordsOf('reports_flow');

/** @typedef {keyof typeof flowWords.value.shows} Show */

/** The reports, in order. */
const SHOWS = /** @type {Show[]} */ (['where', 'months', 'flow', 'payees', 'tags', 'people', 'year', 'irpf']);

/** The chosen report. An address with only a year is that of the income tax. @returns {Show} */
export const shown = () => {
  const { query } = place.value,
    named = /** @type {Show} */ (query.get('show'));
  return SHOWS.includes(named) ? named : query.has('year') ? 'irpf' : 'where';
};

/** @param {Show} show */
const load = show =>
  show === 'year'
    ? import('./reports/year.js')
    : show === 'irpf'
      ? import('./reports/irpf.js')
      : import('./reports/flow.js');

/** The view of the report, once it is loaded. */
const view = signal(/** @type {{ of: unknown, view: import('preact').FunctionComponent<any> } | null} */ (null));

/** @param {Show} show */
const address = show => {
  const { query } = place.value,
    kept = new URLSearchParams();
  if (show === 'irpf') kept.set('year', String(Number(today.value.slice(0, 4)) - 1));
  else kept.set('show', show);
  if (show !== 'irpf' && show !== 'year')
    for (const name of ['from', 'to']) {
      const value = query.get(name);
      if (value) kept.set(name, value);
    }
  return `/reports?${kept}`;
};

export default () => {
  const w = flowWords.value,
    show = shown();
  useEffect(
    () =>
      effect(() => {
        const wanted = shown();
        untracked(
          () =>
            void load(wanted).then(
              module => {
                if (shown() === wanted) view.value = { of: module, view: module.default };
              },
              () => {},
            ),
        );
      }),
    [],
  );
  return div(
    { class: 'page' },
    show !== 'irpf' && h(Head, { title: show === 'where' ? w.title : `${w.title}: ${w.shows[show]}` }),
    nav(
      { class: 'report-tabs', 'aria-label': w.kinds },
      SHOWS.map(one =>
        a(
          {
            key: one,
            class: classes('tab', one === show && 'here'),
            href: address(one),
            'aria-current': one === show ? 'page' : undefined,
          },
          w.shows[one],
        ),
      ),
    ),
    view.value ? h(view.value.view, { key: show, show }) : ghost(6),
  );
};
