"""Plain words: how many phrases are understood and how long one takes, beside dateparser, parsedatetime and recurrent.

The table of the tests, for all of them; the language is given to whoever can use it. A recurrence is right when its
next occurrences are; only `recurrent` and duly can return one.
"""

from __future__ import annotations

import json
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any
from unittest.mock import patch

from bench.measure import table, take_turns, verdict
from bench.peers import Peer
from duly.errors import PhraseError
from duly.language.requests import doubts, read_sentence
from duly.phrases import classify_reply, parse
from duly.zones import Zone

if TYPE_CHECKING:
    from duly.model.trigger import Trigger

EVERYDAY = Path(__file__).parents[1] / "tests" / "data" / "everyday_sentences.txt"
NOW = datetime.fromisoformat("2026-11-18T10:20:00+01:00")
ZONE = Zone.of("Europe/Zagreb")
REPLIES = Path(__file__).parents[1] / "tests" / "data" / "blind_replies.json"
TABLE = Path(__file__).parents[1] / "tests" / "data" / "time_phrases.json"
PEERS = Peer("phrase parsers", "phrase_parsers.py", ("dateparser", "parsedatetime", "recurrent"), "words", 0)
LIBRARIES = ("dateparser", "parsedatetime", "recurrent")
ROUNDS = 7
RUNS = 2
"""The slower one counts for duly."""
OCCURRENCES = 4

Case = dict[str, Any]


def cases() -> list[Case]:
    """The table, with the instants that a right answer gives."""
    found: list[Case] = json.loads(TABLE.read_text(encoding="utf-8"))
    for case in found:
        expected, now = case["expect"], datetime.fromisoformat(case["now"])
        if expected["kind"] == "at":
            case["next"] = [datetime.fromisoformat(expected["at"]).timestamp()]
        elif expected["kind"] != "error":
            case["next"] = occurrences(parse(case["phrase"], now=now, tz=case["tz"], lang=case["lang"]).trigger, now)
    return found


def occurrences(trigger: Trigger, now: datetime) -> list[float]:
    """The next few instants."""
    found: list[float] = []
    at: datetime | None = now
    while len(found) < OCCURRENCES and at is not None and (at := trigger.get_next_occurrence(at)) is not None:
        found.append(at.timestamp())
    return found


def ours(table_of_cases: list[Case], *, given: bool) -> dict[str, float]:
    """What duly makes of the table; `given` says whether it is told the language."""
    asked = [
        (case["phrase"], datetime.fromisoformat(case["now"]), case["tz"], case["lang"] if given else None)
        for case in table_of_cases
    ]
    figures = dict.fromkeys(("at", "recurring", "one-shot", "accepted"), 0.0)
    for case, (text, now, tz, lang) in zip(table_of_cases, asked, strict=True):
        try:
            canonical = parse(text, now=now, tz=tz, lang=lang).canonical()
        except PhraseError:
            continue
        _count(figures, case["expect"], canonical)

    def all_of_them() -> None:
        for text, now, tz, lang in asked:
            with suppress(PhraseError):
                parse(text, now=now, tz=tz, lang=lang)

    runs = [take_turns({"": all_of_them}, ROUNDS)[""] for _ in range(RUNS)]
    figures["us"] = max(runs) / len(asked) * 1e6
    return figures


def _count(figures: dict[str, float], expected: dict[str, Any], got: dict[str, Any]) -> None:
    if expected["kind"] == "error":
        figures["accepted"] += 1
    elif expected["kind"] == "at":
        same = got["kind"] == "at" and datetime.fromisoformat(got["at"]) == datetime.fromisoformat(expected["at"])
        figures["at"] += same
    else:
        figures["one-shot"] += got["kind"] == "at"
        figures["recurring"] += _plain(got) == _plain(expected)


def _plain(meaning: dict[str, Any]) -> str:
    rules = sorted(json.dumps(rule, sort_keys=True) for rule in meaning.get("rules", ()))
    return json.dumps({**meaning, "rules": rules}, sort_keys=True)


def sentences() -> tuple[float, float]:
    """Microseconds for a sentence that says what and when, with its audit and without."""
    said: list[tuple[str, str]] = []
    lang = ""
    for line in EVERYDAY.read_text(encoding="utf-8").splitlines():
        if line.startswith("["):
            lang = line.strip("[]")
        elif line and not line.startswith("#"):
            said.append((lang, line))

    def read() -> None:
        for code, text in said:
            read_sentence(text, now=NOW, zone=ZONE, prefer=code)

    def unaudited() -> None:
        with patch.object(doubts, "audit", lambda *_: None):
            read()

    taken = take_turns({"audited": read, "unaudited": unaudited}, ROUNDS)
    return taken["audited"] / len(said) * 1e6, taken["unaudited"] / len(said) * 1e6


def replies() -> dict[str, float]:
    """Microseconds for a reply by itself, and for one that is read against its reminder."""
    given = [(each["text"], each["lang"]) for each in json.loads(REPLIES.read_text(encoding="utf-8"))]
    now = datetime(2026, 11, 16, 20, tzinfo=UTC)

    def alone() -> None:
        for text, lang in given:
            classify_reply(text, lang)

    def against_its_reminder() -> None:
        for text, lang in given:
            classify_reply(text, lang, "Take your medicine", now, now)

    took = take_turns({"alone": alone, "against": against_its_reminder}, ROUNDS)
    return {name: seconds / len(given) * 1e6 for name, seconds in took.items()}


def theirs(table_of_cases: list[Case]) -> dict[str, dict[str, float]]:
    """The same of the peers, in an environment of their own."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "cases.json"
        path.write_text(json.dumps(table_of_cases), encoding="utf-8")
        flat = PEERS.run(str(path))
    figures: dict[str, dict[str, float]] = {name: {} for name in LIBRARIES}
    for key, value in flat.items():
        name, _, what = key.partition(" ")
        figures[name][what] = value
    return figures


def report() -> str:
    """The measurements as Markdown."""
    known = cases()
    kinds = [case["expect"]["kind"] for case in known]
    once, refused = kinds.count("at"), kinds.count("error")
    recurring = len(kinds) - once - refused
    told, untold = ours(known, given=True), ours(known, given=False)
    reply = replies()
    figures = {"duly": told, "duly, language unknown": untold, **theirs(known)}
    audited, unaudited = sentences()
    right = (told["at"] + told["recurring"] + refused - told["accepted"]) / len(kinds) * 100
    rows = [
        [name, *(f"{each[what]:.0f}" for what in ("at", "recurring", "one-shot", "accepted")), f"{each['us']:.0f}"]
        for name, each in figures.items()
    ]
    head = [f"at /{once}", f"recurring /{recurring}", "recurring as one-shot", f"refusals accepted /{refused}", "µs"]
    how = (
        f"{len(known)} phrases in seven languages, processor time, the median of {ROUNDS} rounds; for duly the slower "
        f"of {RUNS} such runs. The peers are told the language where they can use it."
    )
    return "\n\n".join(
        [
            "## Phrases",
            how,
            "\n".join(
                [
                    verdict("phrases understood as written", right, 97, " %"),
                    verdict("recurring phrases read as one-shot", told["one-shot"], 0, "", at_most=True),
                    verdict("refusals overruled", told["accepted"], 0, "", at_most=True),
                    verdict("a phrase", told["us"], 80, " µs", at_most=True),
                    verdict("a phrase in an unknown language", untold["us"], 80, " µs", at_most=True),
                    verdict("a sentence with its audit, beside one without", audited / unaudited, 2, "x", at_most=True),
                    verdict("a reply by itself", reply["alone"], 60, " µs", at_most=True),
                    verdict("a reply against its reminder", reply["against"], 80, " µs", at_most=True),
                ]
            ),
            table(["library", *head], rows),
        ]
    )
