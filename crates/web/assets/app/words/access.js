// The words of members, tokens and sessions, loaded with the views and parts that use them.
import { wordsOf } from '../words.js';

export const accessWords = await wordsOf('access');
