// The tags that transactions have, those used most first.
import { get, resource } from './api.js';

export const tags = resource(signal => get('/api/tags', { signal }));
