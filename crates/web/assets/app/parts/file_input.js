// The button that opens the device's files.
import { classes, input, label } from '../dom.js';

/**
 * `take` gets the chosen files. Choosing the same file again calls it again.
 * @param {{ text: string, accept?: string, isMany?: boolean, isPrimary?: boolean, take: (files: File[]) => void }} props
 */
export const FileInput = ({ text, accept, isMany = false, isPrimary = false, take }) =>
  label(
    { class: classes('button', 'file-button', isPrimary && 'primary') },
    input({
      type: 'file',
      class: 'unseen',
      accept,
      multiple: isMany,
      onChange: ({ currentTarget }) => {
        const files = [...(currentTarget.files ?? [])];
        currentTarget.value = '';
        if (files.length) take(files);
      },
    }),
    text,
  );
