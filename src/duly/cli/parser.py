"""Arguments of one command: the standard library's parser, made to raise where it would print and exit.

No library for command lines is used, because each is a large part of what a short command may take: Typer imports
Pydantic to look at a single argument, which alone takes about as long as everything else that `duly next` does.
"""

from __future__ import annotations

from argparse import ArgumentParser, ArgumentTypeError, HelpFormatter, Namespace
from typing import TYPE_CHECKING, NoReturn

from duly.errors import InvalidInputError

if TYPE_CHECKING:
    from collections.abc import Callable

_WIDTH = 80  # whatever the terminal: the same text everywhere


class UsageError(InvalidInputError):
    """Arguments that no command takes."""


class HelpAsked(Exception):  # noqa: N818  # not an error
    """`--help` was among the arguments; the text is the message."""


class Parser(ArgumentParser):
    """A parser whose options may stand anywhere among the words of an expression."""

    def __init__(self, prog: str, summary: str) -> None:
        super().__init__(
            prog,
            description=f"{summary[:1].upper()}{summary[1:]}.",
            formatter_class=lambda prog: HelpFormatter(prog, width=_WIDTH),
            allow_abbrev=False,
        )

    def read(self, arguments: list[str]) -> Namespace:
        return self.parse_intermixed_args(arguments)

    def print_help(self, file: object = None) -> NoReturn:  # noqa: ARG002
        raise HelpAsked(self.format_help())

    def error(self, message: str) -> NoReturn:
        raise UsageError(message)


def whole_number(low: int, high: int) -> Callable[[str], int]:
    """A reader of whole numbers within a range."""

    def read(text: str) -> int:
        if not (text.isascii() and text.isdecimal() and low <= int(text) <= high):
            raise ArgumentTypeError(f"expected a whole number from {low} to {high}, got {text!r}")
        return int(text)

    return read
