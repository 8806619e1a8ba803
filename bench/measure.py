"""Fair timing: contenders take turns, garbage collection waits, the median of the rounds counts."""

from __future__ import annotations

import gc
from contextlib import contextmanager
from math import exp, log
from statistics import median
from time import process_time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence


def take_turns(
    contenders: Mapping[str, Callable[[], object]], rounds: int, clock: Callable[[], float] = process_time
) -> dict[str, float]:
    """Seconds each contender takes: the median over rounds in which all of them run once, in turning order.

    Processor time, so that a busy machine does not punish whoever runs longest.
    """
    names = list(contenders)
    times: dict[str, list[float]] = {name: [] for name in names}
    with _no_gc():
        for turn in range(rounds):
            for name in names[turn % len(names) :] + names[: turn % len(names)]:
                begin = clock()
                contenders[name]()
                times[name].append(clock() - begin)
    return {name: median(taken) for name, taken in times.items()}


@contextmanager
def _no_gc() -> Iterator[None]:
    gc.collect()
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def geometric_mean(ratios: Iterable[float]) -> float:
    logs = [log(ratio) for ratio in ratios]
    return exp(sum(logs) / len(logs))


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A Markdown table; numbers to the right."""
    lines = [head, ["---", *("--:" for _ in head[1:])], *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def verdict(name: str, value: float, target: float, unit: str, *, at_most: bool = False) -> str:
    """One line that says whether a target is met."""
    met = value <= target if at_most else value >= target
    bound = "at most" if at_most else "at least"
    return f"- {'met' if met else '**missed**'}: {name} {value:.1f}{unit}, target {bound} {target:g}{unit}"
