// The words of who has access, loaded with the views and parts that say them.
import { wordsOf } from '../words.js';

export const accessWords = await wordsOf('access');
