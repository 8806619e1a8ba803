"""What a campaign expects: which schedules and messages there are, and the instants at which each of them fires.

Nothing of duly is used here, and nothing is asked of it: a series is a first instant, a distance and a number of times.
Instants are whole microseconds since 1970, so that they can be compared.
"""

from __future__ import annotations

import json
import random
from dataclasses import asdict, dataclass, replace
from pathlib import Path

SECOND = 1_000_000
LOOP_JOBS = ("quick", "short", "flaky")
"""Coroutines: they can be stopped."""
THREAD_JOBS = ("threaded",)
"""Plain functions: a thread cannot be stopped, so it goes on after its node has lost it."""
JOBS = LOOP_JOBS + THREAD_JOBS
DEADLY = "deadly"
"""The job that ends its process each time: the only one that may be given up."""
OVERLAPS = ("skip", "queue", "parallel")
ONE_AT_A_TIME = ("skip", "queue")
WEBHOOK, INBOX = "webhook", "inbox"
_LONGEST_JOB = 1.5


@dataclass(frozen=True, slots=True, kw_only=True)
class Series:
    """A schedule of a job."""

    name: str
    first: int
    every: int
    """Microseconds from one fire to the next."""
    times: int
    job: str
    overlap: str
    seconds: float
    """How long the job takes."""

    def instants(self) -> list[int]:
        """When it fires."""
        return [self.first + number * self.every for number in range(self.times)]


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """A reminder that fires once. Its text, which is also its name, tells the receiver which one arrived."""

    text: str
    at: int
    channel: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """Everything that is to happen."""

    seed: int
    start: int
    seconds: float
    series: tuple[Series, ...]
    messages: tuple[Message, ...]

    def write(self, file: Path) -> None:
        file.write_text(json.dumps(asdict(self)), encoding="utf-8")


def read_plan(file: Path) -> Plan:
    """A plan as it was written."""
    told = json.loads(file.read_text(encoding="utf-8"))
    told["series"] = tuple(Series(**each) for each in told["series"])
    told["messages"] = tuple(Message(**each) for each in told["messages"])
    return Plan(**told)


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """How much happens."""

    once: float = 3.0
    """Single fires in a second."""
    messages: float = 0.5
    """Messages in a second."""
    deadly: int = 0
    """Runs that end their process each time."""


def draw(seed: int, start: int, seconds: float, shape: Shape = Shape()) -> Plan:  # noqa: B008  a value
    """A plan from a seed, for so many seconds from `start` on."""
    chance = random.Random(f"plan/{seed}")
    once = [_once(number, chance, start, seconds) for number in range(int(seconds * shape.once))]
    steady = [
        _steady(overlap, job, chance, start, seconds)
        for overlap in OVERLAPS
        for job in ("short", chance.choice(("flaky", "threaded")))
    ]
    messages = [
        Message(
            text=f"message-{number}",
            at=_moment(chance, start, seconds),
            channel=WEBHOOK if number % 3 else INBOX,
        )
        for number in range(max(4, int(seconds * shape.messages)) if shape.messages else 0)
    ]
    deadly = [
        replace(_once(number, chance, start, seconds), name=f"{DEADLY}-{number}", job=DEADLY)
        for number in range(shape.deadly)
    ]
    return Plan(seed=seed, start=start, seconds=seconds, series=(*once, *steady, *deadly), messages=tuple(messages))


def _once(number: int, chance: random.Random, start: int, seconds: float) -> Series:
    return Series(
        name=f"once-{number}",
        first=_moment(chance, start, seconds),
        every=SECOND,
        times=1,
        job=chance.choice(JOBS),
        overlap="skip",
        seconds=round(chance.uniform(0, _LONGEST_JOB), 3),
    )


def _steady(overlap: str, job: str, chance: random.Random, start: int, seconds: float) -> Series:
    """One that fires every second or two, so that its runs meet when they are held up."""
    every = chance.choice((1, 2))
    return Series(
        name=f"steady-{overlap}-{job}",
        first=start,
        every=every * SECOND,
        times=int(seconds / every),
        job=job,
        overlap=overlap,
        seconds=round(chance.uniform(0.1, _LONGEST_JOB / 2), 3),
    )


def _moment(chance: random.Random, start: int, seconds: float) -> int:
    return start + int(chance.uniform(0, seconds) * SECOND)
