"""How a `duly` command ends, for scripts that look at `$?`."""

from __future__ import annotations

from typing import Self

OK = 0
FAILED = 1
"""The question was fine, the answer is not: a time beyond the calendar, for example."""
BAD_INPUT = 2
"""Something in the command was wrong; standard error says what, and where."""
INTERRUPTED = 130
"""Stopped with Ctrl-C."""
BROKEN_PIPE = 141
"""Whoever was reading the output had enough, as `head` does. What shells show for a program stopped by SIGPIPE."""


class Verdict(str):
    """What a command has to say, when it worked and its answer is a bad one: said as any other, with another code."""

    __slots__ = ("code",)

    def __new__(cls, said: str, code: int = FAILED) -> Self:
        verdict = super().__new__(cls, said)
        verdict.code = code
        return verdict

    code: int
