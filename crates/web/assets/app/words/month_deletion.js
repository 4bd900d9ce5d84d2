// The words of deleting a month and of files of all data, loaded with their parts.
import { wordsOf } from '../words.js';

export const monthDeletionWords = await wordsOf('month_deletion');
