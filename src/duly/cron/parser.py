"""A whole expression: text to `Spec`, or an error that says which field, where, and what to write instead."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from duly.cron.days import Days
from duly.cron.dialect import DAY, FIVE_FIELDS, MACROS, SIX_FIELDS, DayMatch, Dialect, Field
from duly.cron.fields import FieldSet, parse_field, parse_posix_field
from duly.cron.spec import Spec, SpecWithSeconds
from duly.errors import FieldParseError, InvalidCronExpressionError
from duly.model.checks import suggestion

MAX_LENGTH = 1024
_WORDS = re.compile(r"\S+")
_POSIX_WORDS = re.compile(r"[^ \t]+")
_ON_THE_MINUTE = FieldSet(1, anything=False, starred=False, specials=())


class Columns(NamedTuple):
    """The fields of an expression, each read by itself."""

    second: FieldSet
    minute: FieldSet
    hour: FieldSet
    day: FieldSet
    month: FieldSet
    weekday: FieldSet

    @property
    def has_seconds(self) -> bool:
        return self.second is not _ON_THE_MINUTE


def parse(expression: str, dialect: Dialect, day_match: DayMatch) -> Spec:
    """Read an expression; the same text gives the same object while it is in the cache."""
    if not isinstance(expression, str):  # before the cache, which would call a list unhashable
        raise _whole(str(expression), f"must be text, got {type(expression).__name__}")
    return _parse(expression, dialect, day_match)


@lru_cache(maxsize=1024)
def _parse(expression: str, dialect: Dialect, day_match: DayMatch) -> Spec:
    columns = read_columns(expression, dialect)
    second, minute, hour, day, month, weekday = columns
    days = Days(
        months=month.bits,
        dates=None if day.anything else day.bits,
        weekdays=None if weekday.anything else weekday.bits,
        specials=(day.specials, weekday.specials) if day.specials or weekday.specials else (),
        either=day_match is DayMatch.OR,
    )
    if not days.ever():
        raise _never(expression, columns)
    fixed = not (minute.starred or hour.starred)
    kind = Spec if second is _ON_THE_MINUTE else SpecWithSeconds
    return kind(second.bits, minute.bits, hour.bits, days, fixed)


def read_columns(expression: str, dialect: Dialect) -> Columns:
    """Read the fields of an expression, without asking whether any day fits all of them."""
    if len(expression) > MAX_LENGTH:
        raise _whole(expression[:40] + "…", f"is {len(expression)} characters long, allowed are {MAX_LENGTH}")
    posix = dialect is Dialect.POSIX
    text = _expand_macro(expression) if "@" in expression and not posix else expression
    words = _POSIX_WORDS.findall(text) if posix else text.lower().split()
    fields = SIX_FIELDS if dialect is Dialect.SECONDS and len(words) == 6 else FIVE_FIELDS
    if len(words) != len(fields):
        raise _wrong_count(expression, words, dialect)
    try:
        columns = map(parse_posix_field if posix else parse_field, words, fields)
        return Columns(*columns) if len(fields) == 6 else Columns(_ON_THE_MINUTE, *columns)
    except FieldParseError as error:
        raise _in_place(expression, text, fields, error, dialect) from error


def _expand_macro(expression: str) -> str:
    word = expression.strip().lower()
    if not word.startswith("@"):
        return expression
    if word in MACROS:
        return MACROS[word]
    hint = suggestion(word, MACROS, likeness=0.5) or f"known are {', '.join(MACROS)}"
    raise _whole(expression, f"is not a macro duly knows; {hint}")


def _wrong_count(expression: str, words: list[str], dialect: Dialect) -> InvalidCronExpressionError:
    if not words:
        return _whole(expression, 'is empty; write five fields, for example "0 9 * * *" for 09:00 every day')
    order = " ".join(field.name for field in FIVE_FIELDS)
    number = "1 field" if len(words) == 1 else f"{len(words)} fields"
    if dialect is Dialect.POSIX and words[0].lower() in MACROS:
        return _whole(expression, f'is a macro, which POSIX cron does not have; write "{MACROS[words[0].lower()]}"')
    if dialect is Dialect.SECONDS:
        return _whole(expression, f"has {number}, expected 5 ({order}) or 6 with seconds first")
    hint = ""
    if len(words) == 6:
        hint = f'; without seconds: "{" ".join(words[1:])}"'
        hint += ", or use the seconds dialect" if dialect is Dialect.STANDARD else ""
    return _whole(expression, f"has {number}, expected 5 ({order}){hint}")


def _in_place(
    expression: str, text: str, fields: tuple[Field, ...], error: FieldParseError, dialect: Dialect
) -> InvalidCronExpressionError:
    """Make the fault of one field a fault of the whole expression, with its position in it."""
    words = _POSIX_WORDS if dialect is Dialect.POSIX else _WORDS
    for match, field in zip(words.finditer(text), fields, strict=False):
        if field.name == error.field_name:
            return InvalidCronExpressionError(
                expression,
                field.name,
                error.reason,
                position=match.start() + error.position,
                allowed=(field.low, field.high),
            )
    raise AssertionError(f"no field {error.field_name} in {expression!r}")


def _never(expression: str, columns: Columns) -> InvalidCronExpressionError:
    column = (SIX_FIELDS if columns.has_seconds else FIVE_FIELDS).index(DAY)
    starts = [match.start() for match in _WORDS.finditer(expression)]
    reason = "names days that never come in the months given, so this would never fire"
    return InvalidCronExpressionError(
        expression, DAY.name, reason, position=starts[column], allowed=(DAY.low, DAY.high)
    )


def _whole(expression: str, reason: str) -> InvalidCronExpressionError:
    return InvalidCronExpressionError(expression, "expression", reason)
