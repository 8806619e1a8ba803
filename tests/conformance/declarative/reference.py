"""The specification once more, small and slow: second by second, with nothing but minutes, attempts and retries."""

from __future__ import annotations

from dataclasses import dataclass, field

MINUTE = 60


@dataclass
class Behaviour:
    """What a callback does from its next call on."""

    seconds: int = 0
    fails: bool = False


@dataclass
class ModelTask:
    """One task: what it was registered with, and what is remembered of it."""

    minutes: frozenset[int]
    """The minutes of the hour at which it is due."""
    delay: int
    last_attempt: int | None = None
    last_success: int | None = None
    retry_at: int | None = None
    ends_at: int | None = None
    will_fail: bool = False
    orphaned: bool = False
    calls: list[int] = field(default_factory=list)

    def matches(self, second: int) -> bool:
        return second // MINUTE % 60 in self.minutes

    def owed(self, now: int) -> bool:
        """Whether a due minute has begun since the last attempt."""
        if self.last_attempt is None:
            return False
        first = self.last_attempt // MINUTE + 1
        return any(self.matches(minute * MINUTE) for minute in range(first, now // MINUTE + 1))


class Model:
    """The whole scheduler. Times are whole seconds."""

    def __init__(self, now: int) -> None:
        self.now = now
        self.alive = False
        self.tasks: dict[str, ModelTask] = {}
        self.behaviours: dict[str, Behaviour] = {}
        self.history: dict[str, list[int]] = {}

    def initialize(self, registrations: dict[str, tuple[frozenset[int], int]]) -> None:
        known = self.tasks
        self.tasks = {}
        for name, (minutes, delay) in registrations.items():
            task = known.get(name)
            if task is None:
                task = ModelTask(minutes, delay, calls=self.history.setdefault(name, []))
            task.minutes, task.delay = minutes, delay
            self.tasks[name] = task
        self.alive = True
        for name, task in self.tasks.items():
            first_start = task.last_attempt is None and task.matches(self.now)
            retry = task.retry_at is not None and task.retry_at <= self.now
            if task.orphaned or first_start or task.owed(self.now) or retry:
                self._begin(name, task)

    def pass_time(self, seconds: int) -> None:
        if not self.alive:
            self.now += seconds
            return
        for _ in range(seconds):
            self.now += 1
            self._second(may_start=True)

    def stop(self) -> int:
        """Let what runs end; gives the seconds it takes."""
        began = self.now
        while any(task.ends_at is not None for task in self.tasks.values()):
            self.now += 1
            self._second(may_start=False)
        self.alive = False
        return self.now - began

    def crash(self) -> None:
        for task in self.tasks.values():
            if task.ends_at is not None:
                task.ends_at, task.orphaned = None, True
        self.alive = False

    def _second(self, *, may_start: bool) -> None:
        for name, task in self.tasks.items():
            if task.ends_at == self.now:
                self._end(task)
            if may_start and task.ends_at is None and self._is_due(task):
                self._begin(name, task)

    def _is_due(self, task: ModelTask) -> bool:
        first = task.last_attempt is None and self.now % MINUTE == 0 and task.matches(self.now)
        return first or task.owed(self.now) or (task.retry_at is not None and task.retry_at <= self.now)

    def _begin(self, name: str, task: ModelTask) -> None:
        behaviour = self.behaviours.setdefault(name, Behaviour())
        task.calls.append(self.now)
        task.last_attempt, task.retry_at, task.orphaned = self.now, None, False
        task.ends_at, task.will_fail = self.now + behaviour.seconds, behaviour.fails
        if behaviour.seconds == 0:
            self._end(task)

    def _end(self, task: ModelTask) -> None:
        task.ends_at = None
        if task.will_fail:
            task.retry_at = self.now + max(task.delay, 1)
        else:
            task.last_success = self.now
