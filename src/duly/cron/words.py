"""English for lists of numbers and names, shared by all descriptions of triggers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from duly.model.calendar import Month, Weekday

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

# By the numbers that cron gives them.
MONTHS = ("", *(month.name.capitalize() for month in Month))
WEEKDAYS = tuple(Weekday((number - 1) % 7).name.capitalize() for number in range(7))
NTH = ("", "first", "second", "third", "fourth", "fifth")

_LONG = 10  # a list of more than this many equal steps is abbreviated
_RUN = 3  # from this many on, neighbours are named by their first and last


def values(bits: int) -> list[int]:
    """The numbers of the bits that are set."""
    return [value for value in range(bits.bit_length()) if bits >> value & 1]


def joined(words: Iterable[str], last: str = "and") -> str:
    """`a`, `a and b`, `a, b and c`."""
    *head, tail = words
    return f"{', '.join(head)} {last} {tail}" if head else tail


def ordinal(number: int) -> str:
    """`1st`, `2nd`, `11th`."""
    suffix = "th" if 10 < number % 100 < 14 else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{suffix}"


def counted(number: int, unit: str) -> str:
    """`every minute`, `every 5 minutes`."""
    return f"every {unit}" if number == 1 else f"every {number} {unit}s"


def span(first: str, last: str) -> str:
    """`a to b`, both included."""
    return f"{first} to {last}"


def elements(numbers: Sequence[int], name: Callable[[int], str] = str) -> list[str]:
    """Name the elements of a list; neighbours become one element, and a long even list is abbreviated.

    No information is lost: `0, 7, 14, ..., 98` says every number.
    """
    step = equal_step(numbers)
    if step > 1 and len(numbers) > _LONG:
        return [f"{', '.join(map(name, numbers[:3]))}, ..., {name(numbers[-1])}"]
    found: list[str] = []
    for run in _runs(numbers):
        found += [span(name(run[0]), name(run[-1]))] if len(run) >= _RUN else map(name, run)
    return found


def listed(noun: str, numbers: Sequence[int]) -> str:
    """`minute 5`, `minutes 5, 7 and 20 to 30`."""
    return f"{noun}{'' if len(numbers) == 1 else 's'} {joined(elements(numbers))}"


def equal_step(numbers: Sequence[int]) -> int:
    """Give the distance between each number and the next when it is always the same, else 0; 1 for a single number."""
    if len(numbers) == 1:
        return 1
    step = numbers[1] - numbers[0]
    return step if list(numbers) == list(range(numbers[0], numbers[-1] + 1, step)) else 0


def circle_run(numbers: Sequence[int], size: int) -> tuple[int, int] | None:
    """Give first and last of numbers that are neighbours on a circle of `size`, which may lead over its end."""
    # A break is a number that does not follow its predecessor; the first number's predecessor is the last one.
    breaks = [index for index, number in enumerate(numbers) if (numbers[index - 1] + 1 - number) % size]
    if len(breaks) != 1:  # none at all: the whole circle, which has no first
        return None
    return numbers[breaks[0]], numbers[breaks[0] - 1]


def _runs(numbers: Iterable[int]) -> list[list[int]]:
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][-1] + 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    return runs
