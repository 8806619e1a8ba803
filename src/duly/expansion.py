"""How much may be expanded: what a caller writes never decides that.

A rule of a few characters can name a thousand million times. Code that visits times one by one therefore takes a step
for each (`step`), and a request has a budget of steps (`bounded`): when it is used up, the request is refused. Steps
are counted and no seconds, so that the same request is refused on every machine, or on none.

Without a budget nothing is counted: what a program asks of the library in its own process is its own affair.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from duly.errors import ExpansionError

MOST_STEPS = 20_000
"""The budget of a request, and of each schedule or entry where a request looks at many. A step takes 1 to 20 µs."""
REQUEST = "this request"
LESS = "ask for fewer times, or for a shorter span"


class Budget:
    """The steps that are left."""

    __slots__ = ("_advice", "_left", "_most", "_what")

    def __init__(self, what: str, advice: str = LESS, most: int = MOST_STEPS) -> None:
        """`what` and `advice` are the beginning and the end of the refusal."""
        self._what = what
        self._advice = advice
        self._most = most
        self._left = most

    @property
    def taken(self) -> int:
        """How many steps were taken; more than there were when the budget is used up."""
        return self._most - self._left

    def take(self, number: int) -> None:
        self._left -= number
        if self._left < 0:
            raise ExpansionError(self._what, self._most, self._advice)


_budget: ContextVar[Budget | None] = ContextVar("duly_expansion", default=None)


def step(number: int = 1) -> None:
    """Take steps from the budget of the present request; raise `ExpansionError` when it is used up."""
    budget = _budget.get()
    if budget is not None:
        budget.take(number)


@contextmanager
def bounded(what: str, advice: str = LESS, most: int = MOST_STEPS) -> Iterator[Budget]:
    """Give what happens inside a budget of its own."""
    budget = Budget(what, advice, most)
    before = _budget.set(budget)
    try:
        yield budget
    finally:
        _budget.reset(before)
