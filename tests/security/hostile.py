"""Makes requests that name too much: every field of every operation, tool and method, and calendar files.

Fields come from the OpenAPI document, from the schemas of the tools and from the methods of a WebSocket, so that a new
one is fed without being named here.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple
from urllib.parse import urlencode

from duly.rest.api import openapi_document

PHRASES = (
    "every second",
    "every second between 0:00 and 23:59",
    "every 7 seconds from 9 to 17 on weekdays",
    "every day at " + ", ".join(f"{number // 60}:{number % 60:02}" for number in range(0, 1400, 40)),
    "every day at 8 and every monday at 9 and every 1st at 10 and every friday at 11 and every 15th at 12",
    "every 1000000 days",
    "every 400 years",
    "every 13 months on the 31st at 2:30",
    "every second 100000000 times",
    "on 31 december 9998",
    "0 0 29 2 *",
    "0 0 * 2 1#5",
    "*/7 */5 * * *",
    "* * * * *",
)
INSTANTS = (
    *("0001-01-01T00:00:00Z", "0002-01-01T00:00:00+14:00", "1970-01-01T00:00:00Z", "2100-02-29T00:00:00Z"),
    *("2200-01-01T00:00:00Z", "9998-06-01T00:00:00Z", "9998-06-30T00:00:00Z", "9999-12-31T23:59:59Z"),
    *("0001-01-01", "2026-10-25", "9998-06-01", "9999-12-31"),
)
NUMBERS = (-1, 0, 1, 1000, 10_000, 10**9, 10**18, 10**40)
TEXTS = (
    *("", "x" * 300, "1:" * 150, "every day at 8 " * 20, "(" * 2000, "%" * 1900, "👍" * 450, "a\u0301" * 900),
    *("9" * 1900, "P99999999W", "1h" * 900, "America/New_York", "user:local", "[" * 1900, '{"a":' * 380),
)
DEEP: Any = json.loads("[" * 400 + "]" * 400)
LISTS: tuple[Any, ...] = ([0] * 5000, ["x" * 500] * 500, DEEP, [{"project_id": "blog"}] * 700)
OBJECTS: tuple[Any, ...] = (
    {str(each): each for each in range(5000)},
    {"a": DEEP},
    {"type": "cron", "expr": "* * * * *"},
    {"type": "interval", "every": "1s"},
    {"type": "text", "text": PHRASES[3]},
    {"type": "once", "at": "9999-12-31T23:59:59Z"},
)
VALUES: tuple[Any, ...] = (*PHRASES, *INSTANTS, *NUMBERS, *TEXTS, *LISTS, *OBJECTS, True)
BASES: dict[str, dict[str, Any]] = {
    "schedule_create": {"name": "x", "prompt": "p", "cron": "0 0 1 1 *"},
    "schedule_update": {"schedule_id": "hostile-0"},
    "schedule_backfill": {"schedule_id": "hostile-0", "start": "2026-11-01T00:00Z", "end": "2026-11-02T00:00Z"},
    "scheduler": {"action": "add", "message": "m", "schedule": {"type": "once", "at": "5m"}},
    "remind": {"message": "m", "delay_minutes": 5},
    "cron.add": {"message": "m", "schedule": {"type": "once", "at": "5m"}},
}
"""What a tool or a method needs besides the field that is fed, so that the field is read at all."""
ENDLESS = ("followEvents",)
"""Its answer is a stream that does not end."""
ZONE = "America/New_York"


class HostileRequest(NamedTuple):
    """A request to the API, ready to be sent."""

    method: str
    path: str
    body: bytes | None
    media: str

    @property
    def label(self) -> str:
        return f"{self.method} {self.path} {(self.body or b'')[:200]!r}"


class HostileCase(NamedTuple):
    """One value for one parameter, or for one member of the body, of an operation."""

    method: str
    path: str
    place: str
    """`query` or `body`."""
    name: str
    value: Any
    base: Mapping[str, Any]
    queries: Sequence[str]
    media: str

    def request(self, chance: random.Random) -> HostileRequest:
        """Make the request; what else it needs is chosen by chance."""
        query: dict[str, str] = {}
        body = dict(self.base)
        if self.place == "body":
            body[self.name] = self.value
        else:
            query = {self.name: _plain(self.value), **_spans(self.queries, self.name, chance)}
        content = None if self.method == "GET" else json.dumps(body).encode()
        if self.media == "text/calendar":
            content = calendar_file(chance)
        path = f"/api/v1{_filled(self.path, chance)}?{urlencode(query)[:4000]}"
        return HostileRequest(self.method, path, content, self.media)


def schedules() -> Iterator[dict[str, Any]]:
    """Schedules that must be worked out wherever many are shown."""
    for number, phrase in enumerate(PHRASES):
        yield {"name": f"hostile-{number}", "when": phrase, "prompt": "p", "cron_timezone": ZONE}


def rest_cases() -> Iterator[HostileCase]:
    """Each parameter and each member of a body of each operation, with every value."""
    document = openapi_document()
    for path, operations in document["paths"].items():
        for method, operation in operations.items():
            if operation.get("operationId") in ENDLESS:
                continue
            parameters = [_resolved(each, document) for each in operation.get("parameters", ())]
            queries = [each["name"] for each in parameters if each["in"] == "query"]
            base, members, media = _body(operation, document)
            for place, names in (("query", queries), ("body", members)):
                for name in names:
                    for value in VALUES:
                        yield HostileCase(method.upper(), path, place, name, value, base, queries, media)


def _resolved(given: dict[str, Any], document: dict[str, Any]) -> dict[str, Any]:
    found: Any = given
    while "$ref" in found:
        for part in found["$ref"].removeprefix("#/").split("/"):
            document = document[part]
        found = document
    return dict(found)


def _body(operation: dict[str, Any], document: dict[str, Any]) -> tuple[dict[str, Any], list[str], str]:
    content = operation.get("requestBody", {}).get("content", {})
    media = next(iter(content), "application/json")
    schema = _resolved(content.get(media, {}).get("schema", {}), document)
    for each in schema.get("anyOf", ()):
        schema = _resolved(each, document) if "$ref" in each else schema
    [base, *_] = schema.get("examples") or [{}]
    return base if isinstance(base, dict) else {}, list(schema.get("properties", {})), media


def _plain(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def _spans(queries: Sequence[str], name: str, chance: random.Random) -> dict[str, str]:
    """The other end of a span, so that the whole of it is looked at: a month somewhere, or all of time."""
    if not {"start", "end"} <= set(queries):
        return {}
    begin = chance.choice(["2026-11-20", "2030-06-01", "2090-06-01", "9998-05-20", "0001-01-02"])
    end = (datetime.fromisoformat(f"{begin}T00:00:00+00:00") + timedelta(days=chance.choice([1, 31]))).isoformat()
    return {key: value for key, value in {"start": f"{begin}T00:00:00+00:00", "end": end}.items() if key != name}


def _filled(path: str, chance: random.Random) -> str:
    while "{" in path:
        before, _, rest = path.partition("{")
        _, _, after = rest.partition("}")
        path = before + chance.choice(["hostile-1", "hostile-4", "local", "x" * 1000, "1" * 300]) + after
    return path


def calls(name: str, fields: Sequence[str]) -> Iterator[dict[str, Any]]:
    """The arguments of a tool or method: each with every value."""
    for field in fields:
        for value in VALUES:
            yield {**BASES.get(name, {}), field: value}


# calendar files

_PARTS: Mapping[str, Sequence[str]] = {
    "INTERVAL": ("1", "2", "7", "1000000000", "9" * 30),
    "COUNT": ("1", "9000", "19999", "1000000000", "9" * 30),
    "UNTIL": ("20270101", "99991231", "99991231T235959Z", "00010101"),
    "BYDAY": ("MO,TU,WE", "1MO", "-1FR,2TU", "53SU", ",".join(["MO"] * 3000)),
    "BYMONTHDAY": ("1", "30,31", "-31", ",".join(map(str, range(-31, 32)))),
    "BYMONTH": ("2", "4,6", ",".join(map(str, range(1, 13)))),
    "BYSETPOS": ("1", "-1", "7", "366"),
    "BYHOUR": ("1,2,3",),
    "BYYEARDAY": ("366",),
    "WKST": ("SU",),
}
_STARTS = ("20261201T090000", "00020101T090000", "19700101T090000", "99981231T090000")
_JUNK = ("X-A:1", "ATTENDEE;CN=x:mailto:a@b", "RDATE:20270101T090000", "CATEGORIES:a,b,c", "BEGIN:X", "COMMENT:\\n\\,")


def calendar_file(chance: random.Random, largest: int = 60_000) -> bytes:
    """A file of some entries, each with a rule, alarms and exceptions; now and then a time zone or much junk."""
    choose = chance.choice
    lines = ["BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:x"]
    if chance.random() < 0.2:
        rule = choose(["FREQ=SECONDLY", "FREQ=DAILY", "FREQ=YEARLY;BYMONTH=3;BYDAY=-1SU"])
        lines += ["BEGIN:VTIMEZONE", "TZID:Mine", "BEGIN:STANDARD", f"DTSTART:{choose(_STARTS)}", f"RRULE:{rule}"]
        lines += ["TZOFFSETFROM:+0100", "TZOFFSETTO:+0000", "END:STANDARD", "END:VTIMEZONE"]
    for number in range(choose([1, 1, 1, 3, 20, 200])):
        lines += _entry(number, chance)
    if chance.random() < 0.2:
        line = choose(_JUNK)
        lines[-1:-1] = [line] * (largest // len(line))
    return "\r\n".join([*lines, "END:VCALENDAR", ""]).encode()


def _entry(number: int, chance: random.Random) -> list[str]:
    choose = chance.choice
    parts = {"FREQ": choose(["DAILY", "DAILY", "WEEKLY", "MONTHLY", "YEARLY", "HOURLY", "SECONDLY"])}
    parts |= {name: choose(_PARTS[name]) for name in chance.sample(list(_PARTS), choose([0, 1, 2, 3]))}
    zone = choose([ZONE, ZONE, "Mine", "Europe/Berlin"])
    lines = ["BEGIN:VEVENT", f"UID:{number}", f"DTSTART;TZID={zone}:{choose(_STARTS)}"]
    lines.append("RRULE:" + ";".join(f"{name}={value}" for name, value in parts.items()))
    if chance.random() < 0.3:
        begin = datetime(2026, 12, 1, 9, tzinfo=UTC)
        days = (f"{begin + timedelta(days=each):%Y%m%dT%H%M%S}" for each in range(choose([1, 200, 2000])))
        lines.append(f"{choose(['EXDATE', 'RDATE'])};TZID={zone}:" + ",".join(days))
    for minutes in range(choose([0, 0, 1, 5, 200])):
        lines += ["BEGIN:VALARM", "ACTION:DISPLAY", f"TRIGGER:-PT{minutes}M", "END:VALARM"]
    return [*lines, "END:VEVENT"]


WORST = b"\r\n".join(
    [
        b"BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:x",
        *(
            b"BEGIN:VEVENT\r\nUID:%d\r\nDTSTART;TZID=America/New_York:20261201T090000\r\n"
            b"RRULE:FREQ=DAILY;BYSETPOS=7\r\nEND:VEVENT" % number
            for number in range(1900)
        ),
        b"END:VCALENDAR\r\n",
    ]
)
"""A file of which every entry uses its budget up: all of it takes longer than a file may."""
