"""`duly chat`: talk to duly in plain words, in a terminal as in a chat."""

from __future__ import annotations

import json
import sys
from argparse import Namespace
from collections.abc import Iterator
from dataclasses import asdict
from typing import TYPE_CHECKING

from duly.cli.arguments import Parser, UsageError, add_person_arguments
from duly.cli.asking import whose, with_duly
from duly.cli.output import without_controls
from duly.operations.reminders import SendMessage

if TYPE_CHECKING:
    from duly.clock import Clock
    from duly.operations.views import ChatReplyView

_PROMPT = "> "
_CHANNEL = "cli"
_LONGEST_LINE = 10_000
_HELLO = "Write to duly in plain words: help shows how. Ctrl-D ends.\n"


def chat(parser: Parser, words: list[str], clock: Clock) -> str:
    """`duly chat [TEXT…]`: answer a text, every line of standard input, or what is typed at the prompt."""
    add_person_arguments(parser, "who writes")
    parser.add_argument("text", nargs="*", help='such as: remind me to call mom tomorrow at 9 · "what\'s on today?"')
    arguments = parser.read(words)
    if arguments.text:
        return _answered(arguments, " ".join(arguments.text), clock)
    for line in _typed() if sys.stdin.isatty() else _piped():
        sys.stdout.write(without_controls(_answered(arguments, line, clock)))
        sys.stdout.flush()
    return ""


def _answered(arguments: Namespace, text: str, clock: Clock) -> str:
    """Give what duly answers to one message."""
    if len(text) > _LONGEST_LINE:
        raise UsageError(f"a message has at most {_LONGEST_LINE} characters, got {len(text)}")
    ask = SendMessage(text, channel=_CHANNEL, user=whose(arguments))
    said = with_duly(arguments, clock, lambda duly: duly.ask(ask))
    return f"{json.dumps(_plain(said), ensure_ascii=False)}\n" if arguments.json else f"{said.reply or ''}\n"


def _plain(said: ChatReplyView) -> dict[str, object]:
    """Give the result of a message, the same as `POST /messages` does."""
    found: dict[str, object] = {"consumed": said.consumed, "reply": said.reply}
    buttons = [asdict(each) for each in said.buttons]
    return {**found, "buttons": buttons} if buttons else found


def _typed() -> Iterator[str]:
    """Give what is typed at the prompt, until Ctrl-D or Ctrl-C."""
    sys.stdout.write(_HELLO)
    while True:
        try:
            line = input(_PROMPT).strip()
        except (EOFError, KeyboardInterrupt):
            sys.stdout.write("\n")
            return
        if line:
            yield line


def _piped() -> Iterator[str]:
    """Give the lines of standard input that are not empty."""
    for line in sys.stdin:
        if line.strip():
            yield line.strip()
