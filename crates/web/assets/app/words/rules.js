// The words of rules, for the views and parts that share them.
import { wordsOf } from '../words.js';

export const rulesWords = await wordsOf('rules');
