"""dateparser, parsedatetime and recurrent read a table of phrases: what they get right, and how long it takes."""

import json
import sys
import time
import warnings
from datetime import datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import dateparser
import parsedatetime
from dateutil.rrule import rrulestr
from recurrent.event_parser import RecurringEvent

warnings.simplefilter("ignore")
CALENDAR = parsedatetime.Calendar()


def with_dateparser(text, now, zone, lang):
    settings = {
        "RELATIVE_BASE": now.replace(tzinfo=None),
        "TIMEZONE": zone,
        "RETURN_AS_TIMEZONE_AWARE": True,
        "PREFER_DATES_FROM": "future",
    }
    return dateparser.parse(text, languages=[lang], settings=settings)


def with_parsedatetime(text, now, zone, _lang):
    found, status = CALENDAR.parseDT(text, sourceTime=now.replace(tzinfo=None), tzinfo=ZoneInfo(zone))
    return found if status else None


def with_recurrent(text, now, zone, _lang):
    found = RecurringEvent(now_date=now.replace(tzinfo=None)).parse(text)
    return found.replace(tzinfo=ZoneInfo(zone)) if isinstance(found, datetime) else found


READERS = {"dateparser": with_dateparser, "parsedatetime": with_parsedatetime, "recurrent": with_recurrent}


def instants(found, now, zone, count):
    """The instants of an answer: one, or the next few of a rule."""
    if isinstance(found, datetime):
        return [found.timestamp()]
    local = now.replace(tzinfo=None)
    rule, upcoming, at = rrulestr(found, dtstart=local), [], local
    while len(upcoming) < count and (at := rule.after(at)) is not None:
        upcoming.append(at.replace(tzinfo=ZoneInfo(zone)).timestamp())
    return upcoming


def figures(read, cases):
    counted = dict.fromkeys(("at", "recurring", "one-shot", "accepted"), 0)
    spent = 0.0
    for case in cases:
        now = datetime.fromisoformat(case["now"]).astimezone(ZoneInfo(case["tz"]))
        begin = time.process_time()
        try:
            found = read(case["phrase"], now, case["tz"], case["lang"])
        except Exception:
            found = None
        spent += time.process_time() - begin
        if found is None or found == "":
            continue
        kind = case["expect"]["kind"]
        if kind == "error":
            counted["accepted"] += 1
            continue
        try:
            right = instants(found, now, case["tz"], len(case["next"])) == case["next"]
        except Exception:
            right = False
        if kind == "at":
            counted["at"] += right
        else:
            counted["one-shot"] += isinstance(found, datetime)
            counted["recurring"] += right and not isinstance(found, datetime)
    return {**counted, "us": spent / len(cases) * 1e6}


CASES = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
answers = {}
for name, read in READERS.items():
    figures(read, CASES[:20])  # warms up
    answers |= {f"{name} {what}": value for what, value in figures(read, CASES).items()}
print(json.dumps(answers))
