"""Errors as the command line shows them: one line, then the expression with a caret under the fault."""

from __future__ import annotations

from typing import TYPE_CHECKING

from duly.errors import InvalidCronExpressionError

if TYPE_CHECKING:
    from duly.errors import InvalidInputError

_WIDTH = 72  # of the excerpt, so that with its indent it fits a terminal and the caret stays in place
_INDENT = "  "


def line(error: Exception | str) -> str:
    """The one line that says what is wrong."""
    return f"duly: {_printable(str(error))}\n"


def of_input(error: InvalidInputError, arguments: list[str]) -> str:
    """A value that cannot be used, with a caret and advice where it is an expression."""
    said = line(error)
    if isinstance(error, InvalidCronExpressionError):
        said += _excerpt(error.expression, error.position) + _advice(error, arguments)
    return said


def _excerpt(expression: str, position: int) -> str:
    """The expression and a caret; of a long one the part around the fault."""
    if not expression.strip():
        return ""
    start = max(0, min(position - _WIDTH // 2, len(expression) - _WIDTH))
    shown = _printable(expression)[start : start + _WIDTH]
    return f"{_INDENT}{shown}\n{_INDENT}{' ' * (position - start)}^\n"


def _advice(error: InvalidCronExpressionError, arguments: list[str]) -> str:
    """What the error, which does not know of the command line, cannot advise."""
    if error.field != "expression":
        return ""
    if len(error.expression.split()) == 6:
        return f"{_INDENT}--dialect seconds reads six fields, seconds first\n"
    if " " in error.expression and not any(" " in argument for argument in arguments):
        return f"{_INDENT}quote the expression, or the shell puts file names in the place of *\n"
    return ""


def _printable(text: str) -> str:
    """One character for each, with none that moves the cursor."""
    return "".join(character if character.isprintable() else " " for character in text)
