// The published build of Actual, as a peer: its first page, and its demonstration when it is opened for the second
// time.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import { extname, join } from 'node:path';
import { gzipSync } from 'node:zlib';

const PACKAGE = '@actual-app/web@26.9.0';
const TYPES = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.wasm': 'application/wasm',
  '.json': 'application/json',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.webmanifest': 'application/manifest+json',
};

/** The folder of the build, which is installed from npm into `folder` once. Null if npm does not have it. */
export const peer = folder => {
  const build = join(folder, 'node_modules/@actual-app/web/build');
  if (!existsSync(build)) {
    mkdirSync(folder, { recursive: true });
    console.error(`Installing ${PACKAGE} from npm into ${folder}, to compare with.`);
    spawnSync(
      'npm',
      ['install', '--prefix', folder, '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error', PACKAGE],
      { stdio: ['ignore', 'ignore', 'inherit'] },
    );
  }
  return existsSync(build) ? build : null;
};

/** Serves the build with gzip and the headers that it needs. Everything is compressed before the measurement. */
export const servePeer = build =>
  new Promise(resolve => {
    const known = new Map();
    const answer = path => {
      const file = existsSync(join(build, path)) && !statSync(join(build, path)).isDirectory() ? path : '/index.html';
      if (!known.has(file))
        known.set(file, {
          type: TYPES[extname(file)] ?? 'application/octet-stream',
          body: gzipSync(readFileSync(join(build, file)), { level: 9 }),
        });
      return known.get(file);
    };
    const server = createServer((request, response) => {
      const path = decodeURIComponent(new URL(request.url, 'http://peer').pathname);
      const { type, body } = answer(path);
      const caching = path.startsWith('/static/') ? 'public, max-age=31536000, immutable' : 'no-cache';
      response
        .writeHead(200, {
          'Content-Type': type,
          'Content-Encoding': 'gzip',
          'Cache-Control': caching,
          'Cross-Origin-Opener-Policy': 'same-origin',
          'Cross-Origin-Embedder-Policy': 'require-corp',
        })
        .end(body);
    });
    server.listen(0, '127.0.0.1', () => resolve(server));
  });

/**
 * Milliseconds until the first page is shown, and until the demonstration is shown when it is opened again; bytes of
 * the first page.
 */
export const measurePeer = async (browser, url) => {
  const context = await browser.newContext({ viewport: { width: 1280, height: 860 }, locale: 'en-US' });
  const page = await context.newPage();
  const session = await context.newCDPSession(page);
  await session.send('Network.enable');
  let bytes = 0,
    requests = 0;
  session.on('Network.loadingFinished', ({ encodedDataLength }) => {
    bytes += encodedDataLength;
    requests += 1;
  });
  const now = () => page.evaluate(() => performance.now());
  await page.goto(url);
  await page.getByText('Try the demo').waitFor({ timeout: 60_000 });
  const first = await now();
  await page.waitForTimeout(2_000);
  const load = { bytes, requests };
  await page.getByText('Try the demo').click();
  await page.getByText('All accounts').first().waitFor({ timeout: 60_000 });
  await page.waitForTimeout(2_000);
  await page.goto(url);
  await page.getByText('All accounts').first().waitFor({ timeout: 60_000 });
  const again = await now();
  await context.close();
  return { first, again, ...load };
};
