// The words of the line that is read as an entry, loaded with quick add.
import { wordsOf } from '../words.js';

export const lineWords = await wordsOf('line');
