// The words of accounts and cards, loaded with their views and their form.
import { inLanguage } from '../words.js';

/** @typedef {typeof import('./accounts/pt-BR.js').default} AccountWords */

/** @type {Record<import('../words.js').Language, () => Promise<{ default: AccountWords }>>} */
const LANGUAGES = { 'pt-BR': () => import('./accounts/pt-BR.js'), en: () => import('./accounts/en.js') };

export const accountWords = await inLanguage(LANGUAGES);
