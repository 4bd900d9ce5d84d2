// The words of purchases by instalments and limits, loaded with cards and their forms.
import { wordsOf } from '../words.js';

export const installmentWords = await wordsOf('installments');
