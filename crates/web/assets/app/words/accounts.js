// The words of accounts and cards, loaded with their views and their form.
import { wordsOf } from '../words.js';

export const accountWords = await wordsOf('accounts');
