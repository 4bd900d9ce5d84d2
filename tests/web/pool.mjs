// Runs page files, three at a time, each with its own service and browser; `NAME:firefox` runs in Firefox. The output of
// a file is printed in one piece when the file ends, or at the end of the run if a test of it failed. With `--watch`
// the files run again after each change.
import { spawn } from 'node:child_process';
import {
  accessSync,
  chmodSync,
  constants,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statfsSync,
  statSync,
  watch,
  watchFile,
  writeFileSync,
} from 'node:fs';
import { freemem, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { client, finance, frozen, NAME, PASSWORD, pictures, prepare, serve, TODAY } from './support.mjs';
import { household } from './household.mjs';

const here = fileURLToPath(new URL('.', import.meta.url));
const web = fileURLToPath(new URL('../../crates/web/', import.meta.url));
/** Two leave two processors idle for a quarter of the time, because a page waits for timers and frames. */
const AT_ONCE = 3;
/** The room that data directories and profiles of browsers need in memory. */
const ROOM_BYTES = 4.5 * 1024 ** 3;
/** Changes within this time are one change. */
const CHANGE_MILLISECONDS = 200;
/** The times of the last run, by which the longest file comes first. */
const TIMES = join(pictures, 'times.json');

/** A short file that takes long: it begins first. */
const LONGEST = 'steady';

/** A test that may be repeated, and why. @typedef {{ file: string, test: string, date: string, cause: string }} Flake */
const known = /** @type {Flake[]} */ (JSON.parse(readFileSync(join(here, 'known_flakes.json'), 'utf8')));

/** @param {string} job */
const parts = job => {
  const [name = '', browser = 'chromium'] = job.split(':');
  return { file: `${name}.test.mjs`, browser };
};
/** The processes of the files that run now. */
const running = /** @type {Set<import('node:child_process').ChildProcess>} */ (new Set());

/** Runs a file, or one test of it. @param {string} job @param {string} [test] */
const execute = (job, test) =>
  new Promise(resolve => {
    const { file, browser } = parts(job);
    const failures = join(pictures, `failures-${job.replace(':', '-')}`);
    const only = test ? [`--test-name-pattern=^${test.replace(/[/\\^$.*+?()[\]{}|]/g, '\\$&')}$`] : [];
    const child = spawn(
      process.execPath,
      [
        '--test',
        '--test-reporter=spec',
        '--test-reporter-destination=stdout',
        '--test-reporter=./failures.mjs',
        `--test-reporter-destination=${failures}`,
        ...only,
        file,
      ],
      {
        cwd: here,
        env: { ...process.env, FINANCE_BROWSER: browser === 'firefox' ? 'firefox' : '' },
        stdio: ['ignore', 'pipe', 'pipe'],
      },
    );
    running.add(child);
    const output = /** @type {Buffer[]} */ ([]);
    for (const stream of [child.stdout, child.stderr]) stream.on('data', part => output.push(part));
    child.on('close', code => {
      running.delete(child);
      const failed = existsSync(failures)
        ? readFileSync(failures, 'utf8')
            .split('\n')
            .flatMap(line => (line ? [/** @type {string} */ (JSON.parse(line))] : []))
        : [];
      rmSync(failures, { force: true });
      resolve({ isPassed: code === 0, failed, output: Buffer.concat(output).toString() });
    });
  });

let repeated = 0;
/**
 * Repeats the tests that failed, each alone, if each of them is on the list of known flakes, or failed because the
 * browser had stopped drawing its page, as its output says.
 * @param {string} job @param {string[]} failed @param {string} output
 */
const repeat = async (job, failed, output) => {
  const { file } = parts(job);
  const causeOf = (/** @type {string} */ test) => {
    if (output.includes(frozen(test))) return 'the browser had stopped drawing';
    const flake = known.find(known => known.file === file && known.test === test);
    return flake && `known since ${flake.date}, ${flake.cause}`;
  };
  const causes = failed.map(causeOf);
  if (failed.length === 0 || causes.includes(undefined)) return false;
  for (const [index, test] of failed.entries()) {
    repeated += 1;
    console.log(`${job}: "${test}" failed and is repeated: ${causes[index]}`);
    const { isPassed, output } = await execute(job, test);
    if (isPassed) continue;
    console.log(output);
    return false;
  }
  return true;
};

/** Temporary directories in memory, if there is room and nobody has chosen another place. */
const scratch = () => {
  let place = tmpdir();
  try {
    accessSync('/dev/shm', constants.W_OK);
    const { bavail, bsize } = statfsSync('/dev/shm');
    if (!process.env.TMPDIR && bavail * bsize > ROOM_BYTES && freemem() > ROOM_BYTES) place = '/dev/shm';
  } catch {
    // This system has none.
  }
  const directory = mkdtempSync(join(place, 'finance-pages-'));
  // PostgreSQL's programs run as another user.
  chmodSync(directory, 0o1777);
  process.env.TMPDIR = directory;
  process.on('exit', () => rmSync(directory, { recursive: true, force: true }));
  return directory;
};

/** Makes the data directory that each service begins with a copy of. @param {string} directory */
const makePrepared = directory => {
  delete process.env.FINANCE_PREPARED;
  rmSync(directory, { recursive: true, force: true });
  prepare(directory);
  // A cluster in another place cannot be copied with its directory.
  if (lstatSync(join(directory, 'data/postgres')).isSymbolicLink())
    console.log(`${directory} cannot hold a cluster: each service makes its own`);
  else process.env.FINANCE_PREPARED = directory;
};

/** @param {string[]} jobs */
const runAll = async jobs => {
  const times = /** @type {Record<string, number>} */ (
    existsSync(TIMES) ? JSON.parse(readFileSync(TIMES, 'utf8')) : {}
  );
  const size = job => (job === LONGEST ? Number.POSITIVE_INFINITY : statSync(join(here, parts(job).file)).size);
  const unknown = jobs.filter(job => times[job] === undefined).sort((one, other) => size(other) - size(one));
  const waiting = [
    ...unknown,
    ...jobs.filter(job => !unknown.includes(job)).sort((one, other) => times[other] - times[one]),
  ];
  const failed = /** @type {string[]} */ ([]),
    outputs = /** @type {string[]} */ ([]);
  const began = Date.now();
  const work = async () => {
    for (let job = waiting.shift(); job !== undefined; job = waiting.shift()) {
      const start = Date.now(),
        result = await execute(job),
        took = (Date.now() - start) / 1000;
      const line = `${job}: ${result.isPassed ? 'passed' : 'FAILED'} after ${took.toFixed(1)} s`;
      console.log(`${line}\n${result.output}`);
      times[job] = took;
      if (result.isPassed) continue;
      outputs.push(`${line}\n${result.output}`);
      if (!(await repeat(job, result.failed, result.output))) failed.push(job);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  writeFileSync(TIMES, JSON.stringify(times));
  for (const output of outputs) console.log(output);
  const seconds = Math.round((Date.now() - began) / 1000);
  console.log(
    `${jobs.length} page files in ${seconds} s, ${failed.length} failed${failed.length ? `: ${failed.join(', ')}` : ''}; ` +
      `${repeated === 0 ? 'no test was' : `${repeated} tests were`} repeated`,
  );
  return failed.length === 0;
};

/** Runs the files again after each change of a page, a test or the program. @param {string[]} jobs @param {string} directory */
const watchAll = async (jobs, directory) => {
  // Every service shows the folder, so an edit of a page needs no build.
  process.env.FINANCE_WEB_ASSETS = join(web, 'assets');
  // This one stays, to look at the pages in a browser.
  const service = await serve();
  await household(await client(service.url));
  const tell = () => console.log(`${service.url}/login#name=${NAME}&password=${encodeURIComponent(PASSWORD)}`);
  tell();
  const types = spawn('npx', ['--no-install', 'tsc', '-p', web, '--watch', '--preserveWatchOutput'], {
    cwd: here,
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  let isChanged = true,
    wake = () => {},
    timer = /** @type {NodeJS.Timeout | undefined} */ (undefined);
  const change = () => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      isChanged = true;
      for (const child of running) child.kill('SIGTERM');
      wake();
    }, CHANGE_MILLISECONDS);
  };
  watch(join(web, 'assets'), { recursive: true }, change);
  watch(here, (_, name) => void (/\.mjs$/.test(name ?? '') && change()));
  watchFile(finance, { interval: CHANGE_MILLISECONDS }, async ({ size }) => {
    if (size === 0) return;
    makePrepared(join(directory, 'prepared'));
    change();
    // With the new program.
    await service.moveTo(TODAY);
    tell();
  });
  const stop = async () => {
    types.kill();
    await service.stop();
    end();
  };
  for (const signal of ['SIGINT', 'SIGTERM']) process.removeAllListeners(signal).on(signal, stop);
  for (;;) {
    if (!isChanged) await new Promise(resolve => (wake = () => resolve(undefined)));
    isChanged = false;
    await runAll(jobs);
  }
};

/** Ends with the processes that were started. */
const end = () => {
  for (const child of running) child.kill('SIGTERM');
  process.exit(130);
};
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, end);

const isWatching = process.argv[2] === '--watch';
const jobs = process.argv.slice(isWatching ? 3 : 2);
const missing = jobs.filter(job => !existsSync(join(here, parts(job).file)));
if (jobs.length === 0 || missing.length > 0) {
  console.error(jobs.length === 0 ? 'no page file is named' : `there is no page file ${missing.join(', ')}`);
  process.exit(2);
}
mkdirSync(pictures, { recursive: true });
// Only failures of this run have a picture.
for (const name of readdirSync(pictures)) if (/^failed-.*\.png$/.test(name)) rmSync(join(pictures, name));
const directory = scratch();
makePrepared(join(directory, 'prepared'));
if (isWatching) await watchAll(jobs, directory);
else process.exit((await runAll(jobs)) ? 0 : 1);
