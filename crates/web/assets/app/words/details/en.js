// Lines, tags and the note of a transaction, in English.
/** @type {typeof import('./pt-BR.js').default} */
export default {
  more: 'Split, tags and note',
  tags: 'Tags',
  tags_hint: 'Up to 10, separated by Enter or a comma.',
  remove_tag: tag => `Remove ${tag}`,
  history: 'History',
  note: 'Note',
  split: 'Split into categories',
  whole: 'Do not split',
  line: number => `Part ${number}`,
  add_line: 'One more part',
  remove_line: number => `Remove part ${number}`,
  left: amount => `${amount} left`,
  over: amount => `${amount} over the amount`,
  done: 'The parts add up to the amount.',
  fill: amount => `Put ${amount} in the empty part`,
};
