// The page uses everything that the service can do. The test compares the page's calls with the routes of the OpenAPI
// document.
import assert from 'node:assert/strict';
import test from 'node:test';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { openApi } from './support.mjs';

const web = fileURLToPath(new URL('../../crates/web/', import.meta.url));

/**
 * The functions of `api.js` that call the service with a path of the document. `request` takes the method before the
 * path.
 */
const CALLS = { get: 'GET', getPage: 'GET', post: 'POST', postOnce: 'POST', put: 'PUT', remove: 'DELETE' };

/** Routes that the page does not call, and why. */
const EXCEPTIONS = {
  'GET /readyz': 'for operators and load balancers',
  'GET /docs/{file}': 'what the page of the API, which the settings link, loads by itself',
  'GET /sprites/{name}.svg': 'an image, whose address comes with the profile',
  'GET /api/categories/{id}': 'the page reads all categories at once',
  'GET /api/installments/{id}': 'the page reads all plans of a card at once',
  'GET /api/rules/{id}': 'the page reads all rules at once',
  'GET /api/recurring/{id}': 'the page reads all recurring items of a month at once',
  'GET /calendar.ics': 'for the calendars of phones',
  'DELETE /api/accounts/{id}/anchors/{date}': 'the page says the balance of a day again',
  'GET /api/accounts/{id}/keys': 'the page shows the account that a statement is known to be of',
  'DELETE /api/accounts/{id}/keys': 'the page chooses another account, which takes the key',
  'POST /api/auth/renew': 'a renewal is no call: it has no token, and one tab makes it for all',
  'GET /api/inbox/{id}': 'the page reads all files of the inbox at once',
};

/**
 * The method and path of every call in the modules that the page can load, found by their types. A call of an unknown
 * path is an error of `tsc`.
 */
const called = () => {
  const { config, error } = ts.readConfigFile(`${web}tsconfig.json`, ts.sys.readFile);
  assert.equal(error, undefined);
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, dirname(`${web}tsconfig.json`));
  // The program begins with the first module, so a module that is not imported does not count.
  const program = ts.createProgram([`${web}assets/app/main.js`], options),
    checker = program.getTypeChecker();
  const found = new Set();
  /** @param {ts.Expression} expression */
  const literals = expression => {
    const type = checker.getTypeAtLocation(expression);
    return (type.isUnion() ? type.types : [type]).flatMap(one => (one.isStringLiteral() ? [one.value] : []));
  };
  /** @param {ts.Node} node */
  const visit = node => {
    if (ts.isCallExpression(node) && ts.isIdentifier(node.expression)) {
      const name = node.expression.text,
        [first, second] = node.arguments;
      if (name === 'request' && first && second)
        for (const method of literals(first)) for (const path of literals(second)) found.add(`${method} ${path}`);
      if (name in CALLS && first) for (const path of literals(first)) found.add(`${CALLS[name]} ${path}`);
      if (name === 'fetch' && first) for (const path of literals(first)) found.add(`GET ${path}`);
    }
    // This is a link.
    if (ts.isPropertyAssignment(node) && node.name.getText() === 'href')
      for (const path of literals(node.initializer)) found.add(`GET ${path}`);
    ts.forEachChild(node, visit);
  };
  for (const source of program.getSourceFiles()) if (source.fileName.startsWith(`${web}assets/app/`)) visit(source);
  return found;
};

test('the page reaches every route, and exceptions have a reason', () => {
  const routes = Object.entries(openApi().paths).flatMap(([path, methods]) =>
    Object.keys(methods).map(method => `${method.toUpperCase()} ${path}`),
  );
  assert.ok(routes.length > 60, `${routes.length} routes`);
  const reached = called();
  assert.deepEqual(
    routes.filter(route => !reached.has(route) && !(route in EXCEPTIONS)),
    [],
    'not reached',
  );
  assert.deepEqual(
    Object.keys(EXCEPTIONS).filter(route => !routes.includes(route)),
    [],
    'an exception that is no route',
  );
  assert.deepEqual(
    Object.keys(EXCEPTIONS).filter(route => reached.has(route)),
    [],
    'an exception that is reached',
  );
});
