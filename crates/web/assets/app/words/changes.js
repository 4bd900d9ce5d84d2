// The words of what changed, loaded with the first part that shows changes.
import { wordsOf } from '../words.js';

export const changeWords = await wordsOf('changes');
