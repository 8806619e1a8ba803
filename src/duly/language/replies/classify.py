"""What a person's reply to a reminder means: done, later, drop it, or unknown.

A reply is understood as a whole or not at all. An acknowledgement silences a reminder, so a reply is one only if every
word of it is known, none speaks against it, and the claim fits the reminder. After an unknown reply the reminder stays
open.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from functools import cache, lru_cache
from typing import TYPE_CHECKING, NamedTuple

from duly.language.languages import LANGUAGES
from duly.language.replies.claims.times import ClaimTime
from duly.language.replies.form import ReplyRole
from duly.language.replies.judgement import JudgedReply, ReplyMeaning, judge
from duly.language.replies.tokens import TokenizedReply, tokenize
from duly.language.replies.vocabulary import reply_vocabulary

if TYPE_CHECKING:
    from duly.language.replies.claims.weighing import Weighing

_READ_AS = {"sr": "hr", "bs": "hr", "cnr": "hr", "sh": "hr"}
"""Languages that are read with the words of another one."""
READERS = tuple(code for code in LANGUAGES if code not in _READ_AS)


class ReplyKind(StrEnum):
    """What follows from a reply for the open reminder."""

    ACK = "ack"
    SNOOZE = "snooze"
    DISMISS = "dismiss"
    UNKNOWN = "unknown"


class ReplyDoubt(StrEnum):
    """What to ask after a reply that nearly said something."""

    DONE = "done"
    """It claims that something is done, which may not be this reminder."""
    SKIP = "skip"
    """It says that the person does not want to, or must not."""


_KINDS = {ReplyRole.YES: ReplyKind.ACK, ReplyRole.LATER: ReplyKind.SNOOZE, ReplyRole.NO: ReplyKind.DISMISS}


@dataclass(frozen=True, slots=True)
class Reply:
    """A reply as it was understood. A snooze without `minutes` and `until` means the configured default."""

    kind: ReplyKind
    minutes: int | None = None
    """1 to 1440, when a snooze named a duration."""
    until: str | None = None
    """The words of a snooze that named a point in time, or a duration beyond a day, for `duly.phrases.parse`."""
    lang: str | None = None
    """The language in which it was understood and `until` is to be read; None if unknown, or if several agree."""
    denied: bool = False
    """Whether the snooze comes from a bare no to the question whether it is done: duly asks again."""
    doubt: ReplyDoubt | None = None
    """What to ask: only of an unknown reply, and only if it is known which reminder it is about."""
    named: bool = False
    """Whether it names what the reminder is about: only if that is known."""
    claimed: bool = False
    """Whether it says that it is done, and does not only agree: only if it is known which reminder it is about."""


_SHORTEST_FOREIGN_YES = 2
_UNKNOWN = Reply(ReplyKind.UNKNOWN)


class ReadReply(NamedTuple):
    """A reply, and how the languages that agree about it read it."""

    reply: Reply
    readings: dict[str, JudgedReply]


def classify_reply(
    text: str,
    lang: str | None = None,
    about: str | None = None,
    fired: datetime | None = None,
    now: datetime | None = None,
    every: timedelta | None = None,
) -> Reply:
    """Read an answer to a reminder: in the given language first, and if it does not know the words, in all of them.

    What the other languages read differently is unknown. So is what the given language understands without deciding it,
    and a yes of one or two letters in a foreign language: the German "da" is no Croatian "da".

    With `about`, the text of the reminder and of its question, a claim that it is done must also fit the reminder, and
    unwillingness does not drop it: otherwise the reply is unknown, and `doubt` says what to ask. `fired` is when the
    reminder came and `now` the time of the reply, both on the person's clocks; `every` how long after the one before
    it came.

    >>> classify_reply("no, I took it 10 minutes ago").kind
    <ReplyKind.ACK: 'ack'>
    >>> classify_reply("podsjeti me za pola sata", "hr").minutes
    30
    >>> classify_reply("I've eaten", "en", about="Take your medicine").doubt
    <ReplyDoubt.DONE: 'done'>
    """
    tokens = tokenize(text)
    if tokens is None:
        return _UNKNOWN
    if about is None:
        return read_reply(tokens, lang).reply
    return _weighings()(lang, about).weigh(tokens, ClaimTime(fired, now, every))


@cache
def _weighings() -> Callable[[str | None, str], Weighing]:
    from duly.language.replies.claims.weighing import weighing_of  # late: without a reminder they are not needed

    return weighing_of


@lru_cache(maxsize=64)
def own_code(lang: str | None) -> str | None:
    """Give the language with whose words a person's replies are read; None if it is not known."""
    wanted = lang.partition("-")[0].partition("_")[0].casefold() if lang else ""
    code = _READ_AS.get(wanted, wanted)
    return code if code in READERS else None


def read_reply(tokens: TokenizedReply, lang: str | None, *, elsewhere: bool = True) -> ReadReply:
    """Read a reply, without a look at the reminder; `elsewhere` says whether in other languages as well."""
    wanted = lang.partition("-")[0].partition("_")[0].casefold() if lang else ""
    known = own_code(lang)
    own = known if known and (known == "hr" or not tokens.cyrillic) else None
    if own and (judged := judge(reply_vocabulary(own), tokens)) is not None:
        return ReadReply(_reply(judged.meaning, wanted), {own: judged})
    if own and not elsewhere:
        return ReadReply(_UNKNOWN, {})
    readings = _read(["hr"] if tokens.cyrillic else READERS, tokens)
    if own and not readings:
        guessed = judge(reply_vocabulary(own), tokens, lenient=True)
        return ReadReply(_reply(guessed and guessed.meaning, wanted), {own: guessed} if guessed else {})
    # Languages may disagree about the words of a point in time, but not about whether there is one.
    if len({each.meaning._replace(until=each.meaning.until and "") for each in readings.values()}) != 1:
        return ReadReply(_UNKNOWN, {})
    code, judged = next(iter(readings.items()))
    meaning = judged.meaning
    if known and meaning.role is ReplyRole.YES and len(tokens.text.strip(" .!")) <= _SHORTEST_FOREIGN_YES:
        return ReadReply(_UNKNOWN, {})
    spoken = "sr" if tokens.cyrillic else code
    return ReadReply(_reply(meaning, spoken if len(readings) == 1 or meaning.until else None), readings)


def _read(codes: Iterable[str], tokens: TokenizedReply) -> dict[str, JudgedReply]:
    """Return the reading of each language that understands the reply."""
    judged = ((code, judge(reply_vocabulary(code), tokens)) for code in codes)
    return {code: each for code, each in judged if each is not None}


def _reply(meaning: ReplyMeaning | None, lang: str | None) -> Reply:
    if meaning is None or meaning.role not in _KINDS:
        return _UNKNOWN
    return Reply(
        kind=_KINDS[meaning.role],
        minutes=meaning.minutes,
        until=meaning.until,
        lang=lang,
        denied=meaning.denied,
    )


@lru_cache(maxsize=64)
def doubtful(doubt: ReplyDoubt, lang: str | None, named: bool = False) -> Reply:
    """Give an unknown reply that is worth a question."""
    return Reply(ReplyKind.UNKNOWN, doubt=doubt, lang=lang, named=named)
