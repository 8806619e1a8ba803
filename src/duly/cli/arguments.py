"""Arguments of a command: the parser, the options that many commands share, and values read from text.

The parser is the standard library's, made to raise where it would print and exit. No library for command lines is used,
because each takes a large part of the time of a short command: Typer imports Pydantic to look at a single argument,
which alone takes about as long as everything else that `duly next` does.
"""

from __future__ import annotations

from argparse import Action, ArgumentParser, ArgumentTypeError, HelpFormatter, Namespace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, NoReturn

from duly.errors import InvalidInputError

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence

    from duly.zones import Zone

PAGE = 100
"""Items on a page where `--limit` is not given."""
_WIDTH = 80  # fixed, so that the text is the same in every terminal
_GIVEN = "options that were given"  # a space: no option can have this name
_POSITIONAL = ("name", "what", "more", "reminder")  # where verbs share a parser
_REQUIRED = "the following arguments are required: "  # how argparse begins this message


class UsageError(InvalidInputError):
    """Arguments that the command does not take; `commands` are those that may have been meant, to be pasted."""

    def __init__(self, message: str, commands: Sequence[str] = ()) -> None:
        super().__init__(message)
        self.commands = tuple(commands)


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
        self.register("action", None, _SingleValue)
        self.register("action", "store", _SingleValue)
        self._words: list[str] = []
        self.example = ""
        """A whole command, shown where its arguments are missing."""

    def read(self, arguments: list[str]) -> Namespace:
        """Give the arguments by name. After `--` nothing is an option."""
        self._words = _shielded(arguments)
        taken = Namespace()
        _, surplus = self.parse_known_intermixed_args(self._words, taken)
        if surplus:
            self.error(self._surplus([_bared(word) for word in surplus]))
        return Namespace(**{name: _bared(value) for name, value in vars(taken).items() if name != _GIVEN})

    def _surplus(self, words: list[str]) -> str:
        """Say which argument has no place: the first misspelt option, else the words."""
        if option := next((word for word in words if word.startswith("-")), None):
            return self._unknown(option)
        return f"unexpected: {' '.join(words)}; what has spaces or * in it needs quotes, see {self.prog} --help"

    def _unknown(self, option: str) -> str:
        """Suggest an option that begins with what was typed, else one that is like it."""
        from duly.model.checks import suggestion  # late: only mistakes need it

        typed = option.partition("=")[0]
        longer = [each for each in self._option_string_actions if len(typed) > 2 and each.startswith(typed)]
        lists = f"{self.prog} --help lists them; text that begins so follows --"
        hint = suggestion(typed, longer, likeness=0) or suggestion(typed, self._option_string_actions) or lists
        return f"no such option: {option}; {hint}"

    def print_help(self, file: object = None) -> NoReturn:  # noqa: ARG002
        raise HelpAsked(self.format_help())

    def error(self, message: str) -> NoReturn:
        if message.startswith(_REQUIRED):
            message = self._missing(message.removeprefix(_REQUIRED).split(", "))
        raise UsageError(message)

    def _missing(self, names: list[str]) -> str:
        """Say what is missing; of a verb which there are, because the verb decides which other arguments are needed.

        argparse looks for missing arguments before it looks for unknown options: the unknown option of
        `duly token --nope` comes first here, because the user meant something by it.
        """
        if option := next(filter(self._is_unknown_option, self._words), None):
            return self._unknown(option)
        first = next((each for each in self._get_positional_actions() if names[0] in (each.metavar, each.dest)), None)
        if first is not None and first.choices:
            return f"{self.prog} needs {names[0]}: {', '.join(first.choices)}; see {self.prog} --help"
        example = f", such as: {self.example}" if self.example else ""
        return f"{self.prog} needs {', '.join(names)}{example}; see {self.prog} --help"

    def _is_unknown_option(self, word: str) -> bool:
        if not word.startswith("-") or word == "-" or " " in word:
            return False
        known = self._option_string_actions
        return word.partition("=")[0] not in known and (word.startswith("--") or word[:2] not in known)


class _SingleValue(Action):
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
    """Mark words after `--` with a NUL, so that argparse takes none of them for an option; arguments have no NUL."""
    if "--" not in arguments:
        return arguments
    end = arguments.index("--")
    return arguments[:end] + [f"\0{word}" if word.startswith("-") else word for word in arguments[end + 1 :]]


def _bared(value: Any) -> Any:
    if isinstance(value, list):
        return [_bared(each) for each in value]
    return value.removeprefix("\0") if isinstance(value, str) else value


def refuse_surplus(arguments: Namespace, takes: Mapping[str, Collection[str]], prog: str) -> None:
    """Refuse an argument that the verb would ignore. `takes` has the names of arguments by verb."""
    known = {name for names in takes.values() for name in names}
    for name, value in vars(arguments).items():
        if name in known and name not in takes[arguments.verb] and value not in (None, []):
            others = ", ".join(verb for verb, names in takes.items() if name in names)
            option = "" if name in _POSITIONAL else f"--{name.removeprefix('is_')} "
            raise UsageError(f"{prog} {arguments.verb} does not take {option}{value!r}: that goes with {others}")


# options that many commands share


def add_settings_arguments(parser: Parser) -> None:
    """Add the options of every command that needs settings."""
    parser.add_argument(
        "--config",
        metavar="FILE",
        help="settings file (default: duly.toml here once it is trusted, or in the data directory)",
    )
    parser.add_argument(
        "--data-dir", metavar="DIR", help="folder of the store (default: DULY_DATA_DIR, or the user's own)"
    )


def add_common_arguments(parser: Parser) -> None:
    """Add the options of every command that needs the store and has an answer."""
    add_settings_arguments(parser)
    parser.add_argument("--json", action="store_true", help="print JSON, for programs")


def add_person_arguments(parser: Parser, text: str = "whose reminders and messages") -> None:
    """Add the options of every command about the reminders of a person; `text` is the help of `--user`."""
    from duly.ports.people import LOCAL_USER

    add_common_arguments(parser)
    parser.add_argument("--user", metavar="NAME", default=LOCAL_USER, help=f"{text}, by name or id (default: you)")


def add_page_arguments(parser: Parser) -> None:
    """Add the options of every list."""
    from duly.service.pages import MAX_PAGE

    parser.add_argument(
        "--limit", metavar="N", type=whole_number(1, MAX_PAGE), help=f"show at most N (default: {PAGE})"
    )
    parser.add_argument("--cursor", help="next_cursor of the page before")


# values


def whole_number(low: int, high: int) -> Callable[[str], int]:
    """Make a reader of whole numbers within a range."""

    def read(text: str) -> int:
        if not (text.isascii() and text.isdecimal() and low <= int(text) <= high):
            raise ArgumentTypeError(f"expected a whole number from {low} to {high}, got {text!r}")
        return int(text)

    return read


def read_moment(text: str, zone: Zone, option: str = "--from") -> datetime:
    """Read an instant from ISO 8601; a time without an offset is on the clocks of `zone`."""
    try:
        moment = datetime.fromisoformat(text)
        return moment.astimezone(UTC) if moment.utcoffset() is not None else zone.shifted(moment)
    except (ValueError, OverflowError):
        raise InvalidInputError(
            f'{option} "{text}" is not a time: write it as 2026-11-15, 2026-11-15T09:30 or 2026-11-15T09:30Z'
        ) from None


def read_since(text: str | None, now: datetime, zone: Zone, option: str = "--since") -> datetime | None:
    """Read a length of time before now, or an instant; None where the option is not given."""
    from duly.service.schedules.values import duration

    if text is None:
        return None
    try:
        return now - duration(text, option)
    except InvalidInputError:
        return read_moment(text, zone, option)
