// The words of the page's language.
import { effect, signal } from '@preact/signals';
import { remembered } from './dom.js';
import { numbersIn } from './money.js';

/** @typedef {typeof import('./words/pt-BR.js').default} Words */
/** @typedef {'pt-BR' | 'en'} Language */

/** @type {Record<Language, () => Promise<{ default: Words }>>} */
const LANGUAGES = { 'pt-BR': () => import('./words/pt-BR.js'), en: () => import('./words/en.js') };

/** @type {import('@preact/signals').Signal<Language>} */
export const language = remembered('language', /** @type {Language} */ ('pt-BR'));
if (!(language.value in LANGUAGES)) language.value = 'pt-BR';
effect(() => numbersIn(language.value));

/**
 * Words in the page's language, reloaded when the user chooses another.
 * @template T @param {Record<Language, () => Promise<{ default: T }>>} languages @returns {Promise<import('@preact/signals').Signal<T>>}
 */
const inLanguage = async languages => {
  const found = signal((await languages[language.value]()).default);
  effect(() => {
    const chosen = language.value;
    void languages[chosen]().then(loaded => {
      if (language.peek() === chosen) found.value = loaded.default;
    });
  });
  return found;
};

/**
 * The words of views and parts that load later, by their folder in `words/`; the file in Portuguese is their type.
 * @typedef {{
 *   access: typeof import('./words/access/pt-BR.js').default,
 *   accounts: typeof import('./words/accounts/pt-BR.js').default,
 *   arrived: typeof import('./words/arrived/pt-BR.js').default,
 *   budgets: typeof import('./words/budgets/pt-BR.js').default,
 *   changes: typeof import('./words/changes/pt-BR.js').default,
 *   categories: typeof import('./words/categories/pt-BR.js').default,
 *   character: typeof import('./words/character/pt-BR.js').default,
 *   forecast: typeof import('./words/forecast/pt-BR.js').default,
 *   imports: typeof import('./words/imports/pt-BR.js').default,
 *   installments: typeof import('./words/installments/pt-BR.js').default,
 *   month_deletion: typeof import('./words/month_deletion/pt-BR.js').default,
 *   line: typeof import('./words/line/pt-BR.js').default,
 *   notices: typeof import('./words/notices/pt-BR.js').default,
 *   notice_channels: typeof import('./words/notice_channels/pt-BR.js').default,
 *   outbox: typeof import('./words/outbox/pt-BR.js').default,
 *   reports_flow: typeof import('./words/reports_flow/pt-BR.js').default,
 *   reports: typeof import('./words/reports/pt-BR.js').default,
 *   recurring: typeof import('./words/recurring/pt-BR.js').default,
 *   rules: typeof import('./words/rules/pt-BR.js').default,
 *   search: typeof import('./words/search/pt-BR.js').default,
 *   settings: typeof import('./words/settings/pt-BR.js').default,
 *   details: typeof import('./words/details/pt-BR.js').default,
 *   webhooks: typeof import('./words/webhooks/pt-BR.js').default,
 * }} Vocabularies
 */

/**
 * @template {keyof Vocabularies} Name
 * @param {Name} name
 * @returns {Promise<import('@preact/signals').Signal<Vocabularies[Name]>>}
 */
export const wordsOf = name =>
  inLanguage({ 'pt-BR': () => import(`./words/${name}/pt-BR.js`), en: () => import(`./words/${name}/en.js`) });

/** The texts: `words.value.login.title`. Views that load later have their own words. */
export const words = await inLanguage(LANGUAGES);

effect(() => {
  document.documentElement.lang = language.value;
});
