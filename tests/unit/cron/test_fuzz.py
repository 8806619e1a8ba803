"""For any text the answer is a `Cron` that works or an `InvalidCronExpressionError` that points at the fault."""

from __future__ import annotations

import pickle
from datetime import UTC, datetime

from hypothesis import example, given
from hypothesis import strategies as st

from duly.cron import Cron, Dialect, is_valid
from duly.errors import InvalidCronExpressionError
from tests.unit.cron.strategies import BY_DIALECT, examples, mutated

NOW = datetime(2026, 11, 15, 2, 3, 4, 567_890, tzinfo=UTC)
FIELDS = {"second", "minute", "hour", "day", "month", "weekday", "expression"}
DIALECTS = st.sampled_from(list(Dialect))

ALPHABET = st.sampled_from(
    [*"0123456789*,-/?LWHRlw#@+._ \t\n\r\f", "\u00a0", "\u2003", "٣", "²", "İ", "ß", "\0", "\ud800"]
)
WORDS = st.text(ALPHABET, max_size=6) | st.sampled_from(["mon", "jan", "L-3", "5#2", "*/5", "1-5", "@daily", "LW"])
SOUP = st.lists(WORDS, max_size=7).map(" ".join)
NEARLY = st.one_of(*(mutated(texts) for texts in BY_DIALECT.values()))


def check(expression: str, dialect: Dialect) -> None:
    try:
        cron = Cron(expression, dialect=dialect, tz="Europe/Berlin")
    except InvalidCronExpressionError as error:
        assert not is_valid(expression, dialect=dialect)
        check_error(error, expression)
    else:
        assert is_valid(expression, dialect=dialect)
        assert cron.prev(NOW) < NOW < cron.next(NOW)


def check_error(error: InvalidCronExpressionError, expression: str) -> None:
    assert error.expression == expression
    assert error.field in FIELDS
    assert 0 <= error.position <= len(expression)
    assert (error.allowed is None) == (error.field == "expression")
    assert str(error) == f'Invalid cron expression "{expression}": {error.field} field {error.reason}'
    assert pickle.loads(pickle.dumps(error)).details == error.details  # noqa: S301


@examples(300)
@given(SOUP, DIALECTS)
@example("", Dialect.STANDARD)
@example("İİ * * * *", Dialect.STANDARD)
@example("1,İ * * * *", Dialect.SECONDS)
@example("* * * * * " * 50, Dialect.SECONDS)
def test_anything_that_looks_like_cron(expression: str, dialect: Dialect) -> None:
    check(expression, dialect)


@examples(300)
@given(st.text(max_size=60), DIALECTS)
def test_any_text_at_all(expression: str, dialect: Dialect) -> None:
    check(expression, dialect)


@examples(300)
@given(NEARLY, DIALECTS)
def test_a_slip_of_the_finger(expression: str, dialect: Dialect) -> None:
    check(expression, dialect)


@examples(150)
@given(st.one_of(*BY_DIALECT.values()))
def test_a_larger_dialect_reads_every_expression_of_a_smaller_one(expression: str) -> None:
    """Everything POSIX is standard, and everything standard is a seconds expression, with the same meaning."""
    for small, large in ((Dialect.POSIX, Dialect.STANDARD), (Dialect.STANDARD, Dialect.SECONDS)):
        if is_valid(expression, dialect=small):
            assert Cron(expression, dialect=small, dst="once") == Cron(expression, dialect=large, dst="once")
