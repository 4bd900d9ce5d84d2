// The tags of transactions, the most used first.
import { get, resource } from './api.js';

export const tags = resource(signal => get('/api/tags', { signal }));
