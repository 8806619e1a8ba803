"""Output of commands: tables, JSON, lengths of time and errors, without characters that control a terminal."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, Self

from duly.cli import FAILED
from duly.cli.arguments import UsageError
from duly.errors import InvalidCronExpressionError

if TYPE_CHECKING:
    from datetime import datetime

    from duly.errors import InvalidInputError
    from duly.zones import Zone

_TURNING = {*range(0x202A, 0x202F), *range(0x2066, 0x206A)}
"""Characters that turn the order of what follows round."""
_CONTROL_CHARACTERS = ({*range(32), *range(127, 160)} - {ord("\t"), ord("\n")}) | _TURNING
_REPLACEMENTS = dict.fromkeys(_CONTROL_CHARACTERS, "\N{REPLACEMENT CHARACTER}")
_JSON_ESCAPES = {code: f"\\u{code:04x}" for code in (*range(127, 160), *sorted(_TURNING))}
"""JSON escapes the other control characters by itself."""
_EXCERPT_WIDTH = 72  # with its indent it fits a terminal, so the caret stays below its character
_INDENT = "  "
_UNITS = ((86_400, "d"), (3_600, "h"), (60, "min"), (1, "s"))
_NAMES = {"d": "day", "h": "hour", "min": "minute", "s": "second"}


class CommandOutput(str):
    """The output of a command that worked and whose answer has an exit code of its own, such as a red health."""

    __slots__ = ("code",)

    def __new__(cls, text: str, code: int = FAILED) -> Self:
        output = super().__new__(cls, text)
        output.code = code
        return output

    code: int


def without_controls(text: str) -> str:
    """Replace control characters: what people and agents wrote is shown, and moves no cursor."""
    return text.translate(_REPLACEMENTS)


def write_now(text: str) -> None:
    """Write to standard output at once, without control characters."""
    sys.stdout.write(without_controls(text))
    sys.stdout.flush()


def as_json(value: Any, indent: int | None = 2) -> str:
    """Render what `--json` prints; control characters are escaped, so that all of it comes through."""
    import json  # late: people rarely ask for it

    return json.dumps(value, indent=indent, ensure_ascii=False, default=_as_text).translate(_JSON_ESCAPES) + "\n"


def _as_text(value: Any) -> str:
    from datetime import datetime

    from duly.zones import iso

    return iso(value) if isinstance(value, datetime) else str(value)


def table(headings: list[str], rows: list[list[str]]) -> str:
    """Align columns: each as wide as it needs to be, the last one as it is."""
    lines = [headings, *rows]
    widths = [max(len(line[column]) for line in lines) for column in range(len(headings))]
    return "".join(
        "  ".join(f"{cell:{width}}" for cell, width in zip(line, widths, strict=True)).rstrip() + "\n" for line in lines
    )


def one_line(text: str, longest: int | None = None) -> str:
    """Put a text on one line; of one that is too long the beginning."""
    line = " ".join(text.split())
    return line if longest is None or len(line) <= longest else f"{line[: longest - 1]}…"


def next_page_line(cursor: str | None) -> str:
    """Say how to see the next page; nothing after the last page."""
    return "" if cursor is None else f"more: --cursor {cursor}\n"


def warning_line(warning: str | None) -> str:
    """Warn that what was stored would not be carried out as things stand."""
    return "" if warning is None else f"  warning: {warning}\n"


def in_how_long(seconds: int, *, in_full: bool = False) -> str:
    """Say `in 3 h 20 min`: the two largest units that matter."""
    return f"in {how_long(seconds, in_full=in_full)}" if seconds >= 1 else "now"


def how_long(seconds: int, *, in_full: bool = False) -> str:
    """Say `3 h 20 min`, or in full `3 hours 20 minutes`: the two largest units that matter, to the nearest.

    Nothing is cut, here as in the dashboard: what comes in 2 h 59 min 59 s comes in 3 h.
    """

    def count(number: int, unit: str) -> str:
        name = f"{_NAMES[unit]}{'' if number == 1 else 's'}" if in_full else unit
        return f"{number} {name}"

    for index, (size, unit) in enumerate(_UNITS):
        smaller, smaller_unit = _UNITS[min(index + 1, 3)]
        nearest = (seconds + smaller // 2) // smaller * smaller
        if nearest >= size:
            text = count(nearest // size, unit)
            rest = nearest % size // smaller
            return f"{text} {count(rest, smaller_unit)}" if rest else text
    return count(0, "s")


def instant_in(value: str, zone: Zone) -> str:
    """Give an instant of the record on the clocks of a zone, to the second; any other text as it is."""
    from datetime import datetime

    from duly.zones import local_iso

    try:
        moment = datetime.strptime(value, f"%Y-%m-%dT%H:%M:%S{'.%f' if '.' in value else ''}%z")
    except ValueError:
        return value
    return local_iso(moment.replace(microsecond=0), zone) if value.endswith("Z") else value


def on_clocks(moment: datetime, zone: Zone) -> str:
    """Write a moment as `Mon 16 Nov 08:00`, with seconds only where there are any."""
    local = zone.localize(moment)
    return f"{local:%a} {local.day} {local:%b} " + (f"{local:%H:%M:%S}" if local.second else f"{local:%H:%M}")


def here(moment: datetime | None) -> str | None:
    """Write a moment that is no person's on the clock of this machine: `2026-11-16 08:00`."""
    from duly.clock import host_zone  # late: most output has no such moment
    from duly.zones import Zone

    return None if moment is None else f"{Zone.of(host_zone(moment)).localize(moment):%Y-%m-%d %H:%M}"


# errors: one line, and below it a cron expression with a caret under the fault, or commands to paste


def error_line(error: Exception | str) -> str:
    """Say in one line what is wrong."""
    return f"duly: {_printable(str(error))}\n"


def input_error(error: InvalidInputError, arguments: list[str]) -> str:
    """Say what is wrong with a value; below a cron expression a caret and advice, else the commands to choose from."""
    message = error_line(error)
    if isinstance(error, UsageError):
        message += "".join(f"{_INDENT}{_printable(command)}\n" for command in error.commands)
    if isinstance(error, InvalidCronExpressionError):
        message += _excerpt(error.expression, error.position) + _advice(error, arguments)
    return message


def _excerpt(expression: str, position: int) -> str:
    """Show the expression and a caret; of a long one the part around the fault."""
    if not expression.strip():
        return ""
    start = max(0, min(position - _EXCERPT_WIDTH // 2, len(expression) - _EXCERPT_WIDTH))
    shown = _printable(expression)[start : start + _EXCERPT_WIDTH]
    return f"{_INDENT}{shown}\n{_INDENT}{' ' * (position - start)}^\n"


def _advice(error: InvalidCronExpressionError, arguments: list[str]) -> str:
    """Name the option or the quotes that help; the error itself knows nothing of the command line."""
    if error.field != "expression":
        return ""
    if len(error.expression.split()) == 6:
        return f"{_INDENT}--dialect seconds reads six fields, seconds first\n"
    if " " in error.expression and not any(" " in argument for argument in arguments):
        return f"{_INDENT}quote the expression, or the shell puts file names in the place of *\n"
    return ""


def _printable(text: str) -> str:
    """Replace each character that moves the cursor by a space, so that positions stay."""
    return "".join(character if character.isprintable() else " " for character in text)
