// The words of imports, loaded with their view.
import { inLanguage } from '../words.js';

/** @typedef {typeof import('./imports/pt-BR.js').default} ImportWords */

/** @type {Record<import('../words.js').Language, () => Promise<{ default: ImportWords }>>} */
const LANGUAGES = { 'pt-BR': () => import('./imports/pt-BR.js'), en: () => import('./imports/en.js') };

export const importWords = await inLanguage(LANGUAGES);
