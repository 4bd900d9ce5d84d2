// The words of imports, loaded with their view.
import { wordsOf } from '../words.js';

export const importWords = await wordsOf('imports');
