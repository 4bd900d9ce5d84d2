// Saves an answer of the service as a file.
import { counted } from '../api.js';

/** How long a browser may take to start reading the file. */
const KEPT_MILLISECONDS = 60_000;

/**
 * Saves a response as a file, by the name that it has, or by another one.
 * @param {Response} response
 * @param {string} otherwise
 */
export const save = async (response, otherwise) => {
  const name = /filename="([^"]+)"/.exec(response.headers.get('Content-Disposition') ?? '')?.[1] ?? otherwise;
  const address = URL.createObjectURL(await counted(() => response.blob()));
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), KEPT_MILLISECONDS);
};
