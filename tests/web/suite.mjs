// What most page files begin with: a service, a browser, and users with a profile of their own.
import { after, afterEach } from 'node:test';
import { client, createUser, launch, serve, showFailure } from './support.mjs';

/**
 * Starts the service and the browser of a page file, and stops them at its end. If a test fails, a picture of its pages
 * is saved. `user` creates a user and returns a client that is logged in; each user has a profile of its own.
 * @param {Parameters<typeof serve>[0]} [options]
 */
export const suite = async options => {
  const [service, browser] = await Promise.all([serve(options), launch()]);
  after(async () => {
    await browser.close();
    await service.stop();
  });
  afterEach(async context => {
    if (context.error) await showFailure(context.name);
  });
  let users = 0;
  const user = async ({ name = `user${++users}`, where = service } = {}) => {
    createUser(where, name);
    return client(where.url, name);
  };
  return { service, browser, user };
};
