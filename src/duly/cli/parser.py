"""Arguments of one command: the standard library's parser, made to raise where it would print and exit.

No library for command lines is used, because each is a large part of what a short command may take: Typer imports
Pydantic to look at a single argument, which alone takes about as long as everything else that `duly next` does.
"""

from __future__ import annotations

from argparse import Action, ArgumentParser, ArgumentTypeError, HelpFormatter, Namespace
from typing import TYPE_CHECKING, Any, NoReturn

from duly.errors import InvalidInputError

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping

_WIDTH = 80  # whatever the terminal: the same text everywhere
_GIVEN = "options that were given"  # no option is called so
_WORDS = ("name", "what", "more", "reminder")  # arguments that are no options, where verbs share a parser
_LIKE = 0.7  # from here on two options may be one, misspelt


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
        self.register("action", None, _Once)
        self.register("action", "store", _Once)

    def read(self, arguments: list[str]) -> Namespace:
        """The arguments by name. After `--` nothing is an option."""
        words, taken = _shielded(arguments), Namespace()
        _, surplus = self.parse_known_intermixed_args(words, taken)
        if surplus:
            self.error(self._surplus([_bared(word) for word in surplus]))
        return Namespace(**{name: _bared(value) for name, value in vars(taken).items() if name != _GIVEN})

    def _surplus(self, words: list[str]) -> str:
        """What to say of arguments that have no place: the first misspelt option, else the words."""
        if option := next((word for word in words if word.startswith("-")), None):
            from difflib import get_close_matches  # late: only mistakes need it

            near = get_close_matches(option.partition("=")[0], self._option_string_actions, n=1, cutoff=_LIKE)
            hint = (
                f"did you mean {near[0]}?" if near else f"{self.prog} --help lists them; text that begins so follows --"
            )
            return f"no such option: {option}; {hint}"
        return f"unexpected: {' '.join(words)}; what has spaces or * in it needs quotes, see {self.prog} --help"

    def print_help(self, file: object = None) -> NoReturn:  # noqa: ARG002
        raise HelpAsked(self.format_help())

    def error(self, message: str) -> NoReturn:
        missing = message.removeprefix("the following arguments are required: ")
        raise UsageError(message if missing == message else f"{self.prog} needs {missing}: see {self.prog} --help")


class _Once(Action):
    """An argument with one value. Given twice it contradicts itself, and neither value is surely the one meant."""

    def __call__(
        self, parser: ArgumentParser, namespace: Namespace, values: Any, option_string: str | None = None
    ) -> None:
        given: set[str] = vars(namespace).setdefault(_GIVEN, set())
        if option_string is not None and self.dest in given:
            parser.error(f"{option_string} is given twice, the second time as {values!r}: say it once")
        if option_string is not None:
            given.add(self.dest)
        setattr(namespace, self.dest, values)


def _shielded(arguments: list[str]) -> list[str]:
    """Words after `--` so that none of them is taken for an option; no argument has a NUL of its own."""
    if "--" not in arguments:
        return arguments
    end = arguments.index("--")
    return arguments[:end] + [f"\0{word}" if word.startswith("-") else word for word in arguments[end + 1 :]]


def _bared(value: Any) -> Any:
    if isinstance(value, list):
        return [_bared(each) for each in value]
    return value.removeprefix("\0") if isinstance(value, str) else value


def refuse_surplus(arguments: Namespace, takes: Mapping[str, Collection[str]], prog: str) -> None:
    """Refuse what was given although the verb takes it not: it would be ignored. `takes` has the names by verb."""
    known = {name for names in takes.values() for name in names}
    for name, value in vars(arguments).items():
        if name in known and name not in takes[arguments.verb] and value not in (None, []):
            others = ", ".join(verb for verb, names in takes.items() if name in names)
            option = "" if name in _WORDS else f"--{name.removeprefix('is_')} "
            raise UsageError(f"{prog} {arguments.verb} does not take {option}{value!r}: that goes with {others}")


def whole_number(low: int, high: int) -> Callable[[str], int]:
    """A reader of whole numbers within a range."""

    def read(text: str) -> int:
        if not (text.isascii() and text.isdecimal() and low <= int(text) <= high):
            raise ArgumentTypeError(f"expected a whole number from {low} to {high}, got {text!r}")
        return int(text)

    return read
