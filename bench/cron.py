"""Cron: `next`, `prev`, parsing and memory, beside croniter, cronsim and cronexpr.

The same expressions, the same points and the same number of steps for every library, and the same answers from all.
"""

from __future__ import annotations

import gc
import tracemalloc
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, tzinfo
from itertools import product
from typing import TYPE_CHECKING, Any
from zoneinfo import ZoneInfo

from croniter import croniter
from cronsim import CronSim

from bench.contenders import ASKS, WALKS
from bench.measure import geometric_mean, table, take_turns, verdict
from duly.cron import Cron, days, fields, parser
from duly.zones import Zone

if TYPE_CHECKING:
    from collections.abc import Callable

    from bench.contenders import Run

    Times = dict[str, dict[str, float]]  # library, expression: seconds per step

CORPUS = (
    *("* * * * *", "*/2 * * * *", "*/5 * * * *", "*/15 * * * *", "*/30 * * * *", "7-59/10 * * * *", "0 * * * *"),
    *("30 * * * *", "0 */2 * * *", "0 */6 * * *", "15 */4 * * *", "*/10 9-17 * * *", "*/20 8-18 * * 1-5"),
    *("0 0 * * *", "30 4 * * *", "15 2 * * *", "0 9,17 * * *", "0 6,12,18 * * *", "5,25,45 7 * * *", "0 22-23 * * *"),
    *("30 9 * * 1-5", "0,30 9-17 * * 1-5", "0 8 * * 1", "5 4 * * 0", "0 18 * * 5", "0 10 * * 6,0", "45 23 * * 2,4"),
    *("0 9 * * 1#1", "0 9 * * 5#5", "0 0 1 * *", "0 12 15 * *", "0 6 1,15 * *", "0 0 L * *", "0 3 31 * *"),
    *("30 5 */10 * *", "0 9 1-7 * *", "0 0 1 1,4,7,10 *", "0 0 1 1 *", "0 0 25 12 *", "0 12 14 2 *"),
    *("0 0 13 * 5", "0 0 29 2 *"),
)
START = datetime(2026, 1, 15, 10, 17, 42, tzinfo=UTC)
STEPS = 100
ROUNDS = 5
LENGTHS = (20, 40)


@dataclass(frozen=True)
class Contest:
    """One question to all libraries."""

    name: str
    zone: tzinfo = UTC
    back: bool = False
    fresh: bool = False
    """Ask about a new point each time; otherwise walk from fire to fire."""
    steps: int = STEPS

    def runs(self, expression: str) -> dict[str, Run]:
        """What to time: the libraries that can answer."""
        names = ["duly", "croniter", "cronsim"]
        if self.zone is UTC and not self.back and _cronexpr_can(expression):
            names.append("cronexpr")
        start = START.astimezone(self.zone)
        if self.fresh:
            points = [start + number * timedelta(days=37, minutes=181) for number in range(self.steps)]
            return {name: ASKS[name](expression, points, self.back) for name in names}
        return {name: WALKS[name](expression, start, self.back, self.steps, ROUNDS + 1) for name in names}

    def times(self) -> Times:
        """Seconds per step of every library and expression."""
        taken: Times = {}
        for expression in CORPUS:
            runs = self.runs(expression)
            ends = {name: run().astimezone(UTC) for name, run in runs.items()}  # warms up, too
            assert len(set(ends.values())) == 1, (self.name, expression, ends)
            for name, seconds in take_turns(runs, ROUNDS).items():
                taken.setdefault(name, {})[expression] = seconds / self.steps
        return taken


NEXT, NEXT_BERLIN, PREV = "next, UTC", "next, Europe/Berlin", "prev, UTC"
WALKING, FRESH = "walking", "fresh points"
BERLIN = ZoneInfo("Europe/Berlin")
CONTESTS = tuple(
    Contest(f"{name}, {how}", zone, back, how == FRESH)
    for name, zone, back in ((NEXT, UTC, False), (NEXT_BERLIN, BERLIN, False), (PREV, UTC, True))
    for how in (WALKING, FRESH)
)
TARGETS = (
    (NEXT, "croniter", 45),
    (NEXT, "cronsim", 22),
    (NEXT_BERLIN, "croniter", 25),
    (NEXT_BERLIN, "cronsim", 12),
    (PREV, "croniter", 50),
)


def _cronexpr_can(expression: str) -> bool:
    """It joins the two day fields otherwise, has no nth weekday, and gives up before 29 February comes."""
    _, _, day, _, weekday = expression.split()
    return "*" in (day, weekday) and "#" not in weekday and day != "29"


def ratios(taken: Times, peer: str) -> tuple[float, float]:
    """How many times longer a peer takes: for everything, and as the geometric mean of the single expressions."""
    ours, theirs = taken["duly"], taken[peer]
    total = sum(theirs.values()) / sum(ours[expression] for expression in theirs)
    return total, geometric_mean(theirs[expression] / ours[expression] for expression in theirs)


def parse_times() -> dict[str, float]:
    """Seconds to read one expression: from nothing, and again."""

    def forget() -> None:
        parser._parse.cache_clear()
        fields._parse_field.cache_clear()
        days._table.cache_clear()

    def each(*steps: Callable[[str], object]) -> Callable[[], object]:
        return lambda: [step(expression) for expression in CORPUS for step in steps]

    contenders = {
        "duly, cold": each(lambda _: forget(), Cron),
        "forgetting": each(lambda _: forget()),
        "cronsim": each(lambda expression: CronSim(expression, START)),
        "croniter": each(lambda expression: croniter(expression, START)),
    }
    taken = take_turns(contenders, 25)
    taken["duly, cold"] -= taken.pop("forgetting")
    taken |= take_turns({"duly, warm": each(Cron)}, 25)
    return {name: seconds / len(CORPUS) for name, seconds in taken.items()}


def bytes_each(make: Callable[[str], Any], use: Callable[[Any], object]) -> tuple[float, float]:
    """Memory of one expression among 10,080 different ones: when parsed, and when asked once."""
    texts = [f"{minute} {hour} * * {day}" for minute in range(60) for hour in range(24) for day in range(7)]
    use(make(texts[0]))
    gc.collect()
    tracemalloc.start()
    before = tracemalloc.get_traced_memory()[0]
    kept = [make(text) for text in texts]
    parsed = tracemalloc.get_traced_memory()[0] - before
    for one in kept:
        use(one)
    used = tracemalloc.get_traced_memory()[0] - before
    tracemalloc.stop()
    return parsed / len(kept), used / len(kept)


def first_look_ahead() -> float:
    """Seconds to see four centuries of a zone for the first time: once per zone and process."""
    berlin = Zone.of("Europe/Berlin")
    listed = berlin.segments(0)._replace(horizon=0)
    fresh = Zone(berlin.name, berlin.tzinfo, listed, berlin._rule)
    return take_turns({"": lambda: fresh.segments(START.toordinal() + 400 * 366)}, 1)[""]


def report() -> str:
    """The measurements as Markdown."""
    results = {contest.name: contest.times() for contest in CONTESTS}
    parsing = parse_times()
    memory = {
        "duly": bytes_each(Cron, lambda cron: cron.next(START)),
        "cronsim": bytes_each(lambda text: CronSim(text, START), next),
        "croniter": bytes_each(lambda text: croniter(text, START), next),
    }
    how = (
        f"{len(CORPUS)} expressions, {STEPS} steps each, processor time, the median of {ROUNDS} rounds in which the "
        "libraries take turns. *total* compares the time for the whole corpus, *mean* is the geometric mean of the "
        "ratios of its expressions."
    )
    return "\n\n".join(
        [
            "## Cron",
            how,
            _verdicts(results, parsing, memory["duly"]),
            _contest_table(results),
            "The length of a run is a choice, and the ratios depend on it: longer runs favour duly.",
            _length_table(),
            table(["parse", "µs"], [[name, f"{seconds * 1e6:.2f}"] for name, seconds in parsing.items()]),
            table(
                ["memory", "bytes parsed", "bytes in use"],
                [[name, *(f"{each:.0f}" for each in both)] for name, both in memory.items()],
            ),
            f"Seeing four centuries of Europe/Berlin for the first time: {first_look_ahead() * 1e3:.1f} ms.",
            _expression_table(results[f"{NEXT}, {WALKING}"]),
        ]
    )


def _verdicts(results: dict[str, Times], parsing: dict[str, float], memory: tuple[float, float]) -> str:
    lines = []
    for (name, peer, target), how in product(TARGETS, (WALKING, FRESH)):
        total, mean = ratios(results[f"{name}, {how}"], peer)
        lines.append(verdict(f"{name}, {how}, beside {peer} (total)", total, target, "x"))
        lines.append(verdict(f"{name}, {how}, beside {peer} (mean)", mean, target, "x"))
    cold, warm = (parsing["cronsim"] / parsing[f"duly, {kind}"] for kind in ("cold", "warm"))
    return "\n".join(
        [
            *lines,
            verdict("parse cold, beside cronsim", cold, 1, "x"),
            verdict("parse warm, beside cronsim", warm, 1, "x"),
            verdict("memory of a parsed expression", memory[0], 500, " bytes", at_most=True),
        ]
    )


def _contest_table(results: dict[str, Times]) -> str:
    rows = []
    for question, taken in results.items():
        for peer, times in taken.items():
            micros = sum(times.values()) / len(times) * 1e6
            total, mean = ratios(taken, peer)
            rows.append([question, peer, str(len(times)), f"{micros:.2f}", f"{total:.1f}x", f"{mean:.1f}x"])
    return table(["question", "library", "expressions", "µs a step", "total", "mean"], rows)


def _length_table() -> str:
    """How the ratios depend on the length of a run, which is a choice of ours."""
    rows = []
    for name, steps in product((NEXT, PREV), LENGTHS):
        taken = Contest(name, back=name == PREV, steps=steps).times()
        rows.append([f"{name}, {WALKING}", str(steps), *(_both(taken, peer) for peer in ("croniter", "cronsim"))])
    return table(["question", "steps in a run", "croniter, total and mean", "cronsim, total and mean"], rows)


def _both(taken: Times, peer: str) -> str:
    return " ".join(f"{ratio:.1f}x" for ratio in ratios(taken, peer))


def _expression_table(taken: Times) -> str:
    rows = [
        [
            f"`{expression}`",
            *(f"{times[expression] * 1e6:.2f}" if expression in times else "" for times in taken.values()),
        ]
        for expression in CORPUS
    ]
    return table([f"{NEXT}, {WALKING}, µs a step", *taken], rows)
