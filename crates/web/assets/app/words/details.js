// The words of lines, tags and notes, loaded with the forms that have them.
import { wordsOf } from '../words.js';

export const detailWords = await wordsOf('details');
