// The files that have arrived, in English.
import { plural } from '../en.js';

/** @type {typeof import('./pt-BR.js').default} */
export default {
  title: 'Arrived',
  since: (when, until) => `arrived ${when}, kept until ${until}`,
  no_account: 'Account to be chosen',
  unnamed: 'file without a name',
  import_files: count => `Import ${plural(count, 'file', 'files')}`,
  open: 'Open',
  dismiss: 'Dismiss',
  dismissed: name => `${name}: dismissed.`,
  restored: name => `${name}: back.`,
  past: count => `${plural(count, 'dismissed or imported file', 'dismissed or imported files')}`,
  states: { dismissed: 'dismissed', imported: 'imported' },
  again: 'Bring back',
  delete: 'Delete',
  deleted: name => `${name}: deleted. What was imported of it stays.`,
  waits: 'What was shared is kept on this device, and arrives when the connection is back.',
  too_large: name => `${name} is too large to be kept on this device.`,
};
