// Texts in the form in which they are compared.

/** Without accents, case and repeated blanks. @param {string} text */
export const fold = text => text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase().replace(/\s+/g, ' ').trim();

/** The form in which the service compares names of groups and tags. @param {string} text */
export const nameKey = text => text.normalize('NFC').toLowerCase();
