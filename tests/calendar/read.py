"""Reads the feeds of a folder with the packages icalendar and vobject, and compares them with what the API said."""

import json
import sys
from datetime import date, timedelta
from pathlib import Path

import icalendar
import vobject

folder = Path(sys.argv[1])


def check_lines(feed):
    """RFC 5545, 3.1: lines end in CRLF and are 75 bytes at most; none here is folded inside a character."""
    assert feed.endswith(b"\r\n") and b"\n" not in feed.replace(b"\r\n", b"") and b"\r" not in feed.replace(b"\r\n", b"")
    lines = feed.split(b"\r\n")
    for line in lines:
        assert len(line) <= 75, line
        line.decode()
    return sum(line.startswith(b" ") for line in lines)


def by_icalendar(feed):
    """The day and the text of each event by its id."""
    calendar = icalendar.Calendar.from_ical(feed)
    assert calendar["VERSION"] == "2.0" and calendar["PRODID"]
    found = {}
    for event in calendar.walk("VEVENT"):
        assert not event.errors, event.errors
        first, end = event.decoded("DTSTART"), event.decoded("DTEND")
        assert type(first) is date and end == first + timedelta(days=1), (first, end)
        assert str(event["UID"]) not in found, event["UID"]
        found[str(event["UID"])] = (str(first), str(event["SUMMARY"]))
    return found


def by_vobject(feed):
    """The same; `validate` knows which properties a component has to have, and how many of each."""
    calendar = vobject.readOne(feed.decode())
    assert calendar.validate(raiseException=True)
    found = {}
    for event in getattr(calendar, "vevent_list", []):
        assert type(event.dtstart.value) is date, event.dtstart
        found[event.uid.value] = (str(event.dtstart.value), event.summary.value)
    return found


for name in ["empty", "before", "after"]:
    said = json.loads((folder / f"{name}.json").read_text())
    for file, text in [(f"{name}.ics", 1), (f"{name}-amounts.ics", 2)]:
        feed = (folder / file).read_bytes()
        folded = check_lines(feed)
        expected = {uid: (entry[0], entry[text]) for uid, entry in said.items()}
        for reader in [by_icalendar, by_vobject]:
            found = reader(feed)
            different = {uid: (found.get(uid), expected.get(uid)) for uid in found.keys() | expected.keys()}
            different = {uid: pair for uid, pair in different.items() if pair[0] != pair[1]}
            assert not different, (file, reader.__name__, different)
        print(f"{file}: {len(expected)} events, {folded} lines are folded; icalendar and vobject read what the API says")
paid = (folder / "paid.txt").read_text()
gone = set(json.loads((folder / "before.json").read_text())) - set(json.loads((folder / "after.json").read_text()))
assert gone == {paid}, (gone, paid)
