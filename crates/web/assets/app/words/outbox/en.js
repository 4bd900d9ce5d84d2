// What waits to be sent, in English.
import { plural } from '../en.js';

/** @type {typeof import('./pt-BR.js').default} */
export default {
  waiting: count => `To send (${count})`,
  title: 'To send',
  text: 'Kept on this device only, until Finance answers.',
  none: 'Nothing to send.',
  states: {
    waits: 'Waiting for the connection',
    asks: 'Needs an answer of yours',
    refused: 'Refused',
    doubtful: 'Perhaps sent already',
  },
  doubtful_text:
    'It was sent more than 23 hours ago and no answer came. Look at the transactions before you send it again.',
  refused: reason => `Refused: ${reason}`,
  mend: 'Correct',
  answer: 'Answer',
  resend: 'Send again',
  drop: 'Delete',
  dropped: text => `“${text}”: deleted.`,
  sent: count => `${plural(count, 'kept entry was sent', 'kept entries were sent')}.`,
  asked: count => `${plural(count, 'kept entry needs', 'kept entries need')} you, under To send.`,
  leave_title: 'Log out without sending?',
  leave_text: count =>
    `${count === 1 ? '1 item was not sent yet and will be deleted' : `${count} items were not sent yet and will be deleted`} from this device.`,
  leave: 'Log out and delete',
  enter_title: 'Log in and delete what was of somebody else?',
  enter_text: count =>
    `${count === 1 ? '1 item of somebody else was not sent yet and will be deleted' : `${count} items of somebody else were not sent yet and will be deleted`} from this device.`,
  enter: 'Log in and delete',
};
