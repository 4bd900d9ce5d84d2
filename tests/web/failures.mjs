// A reporter of node's test runner: a line of JSON with the name of each test that failed.

/** @param {AsyncIterable<{ type: string, data: { name: string } }>} events */
export default async function* failures(events) {
  for await (const { type, data } of events) if (type === 'test:fail') yield `${JSON.stringify(data.name)}\n`;
}
