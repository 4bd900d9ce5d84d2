// Reads the feeds of a folder with ical.js, the parser of Thunderbird's calendar, and compares them with what the API
// said.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import ICAL from 'ical.js';

const folder = process.argv[2];
ICAL.design.strict = true;

for (const name of ['empty', 'before', 'after']) {
  const entries = JSON.parse(readFileSync(join(folder, `${name}.json`), 'utf8'));
  for (const [file, text] of [
    [`${name}.ics`, 1],
    [`${name}-amounts.ics`, 2],
  ]) {
    const calendar = new ICAL.Component(ICAL.parse(readFileSync(join(folder, file), 'utf8')));
    assert.equal(calendar.getFirstPropertyValue('version'), '2.0');
    const found = {};
    for (const component of calendar.getAllSubcomponents('vevent')) {
      const event = new ICAL.Event(component, { strictExceptions: true });
      assert.ok(event.startDate.isDate && event.endDate.isDate && event.duration.toSeconds() === 86_400, event.uid);
      assert.ok(!(event.uid in found), event.uid);
      found[event.uid] = [event.startDate.toString(), event.summary];
    }
    const expected = Object.fromEntries(Object.entries(entries).map(([uid, entry]) => [uid, [entry[0], entry[text]]]));
    assert.deepEqual(found, expected, file);
    console.log(`${file}: ${Object.keys(found).length} events; ical.js reads what the API says`);
  }
}
