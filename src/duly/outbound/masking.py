"""Replaces secrets in everything that is kept or shown, while it comes and before anything is split or cut.

Found are whole secrets, and pieces of at least `PIECE` characters of longer ones, in every form that `written` knows.
A text is looked at in steps: where secrets are looked for that have at least n characters, it is enough to look up
every few bytes whether they stand in a secret, and to compare there. The time is that of one walk over the text,
however many secrets there are.
"""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import takewhile
from typing import Any

from duly.outbound.escaped import EscapedStage
from duly.outbound.written import WrittenUnit, in_base64, spellings, units_of

REDACTED = "[secret]"
PIECE = 16
"""Characters of the shortest piece of a longer secret that is replaced."""
_REPLACED = REDACTED.encode()
_FEWEST_KINDS = 6
"""Different bytes in a piece: a line of blanks or dashes tells nothing."""
_SHORTEST_IN_BASE64 = 8
_GRAM = 6
_LONGEST_RUN = 256
"""Plain characters that are compared at once."""
_ALL_LOOKED_UP = 16_384
"""Parts of a secret whose every place is looked up; of what follows, only some of each thousand."""
_MOST_PLACES = 32
"""Places in a secret that are compared for the same few bytes."""
_LONGEST_BEGINNING = 192
"""Bytes at the end of a text in which the first characters of a secret are looked for one by one."""
_TELLING_LITTLE = frozenset(b"\\%25 \t\r\n")
"""Bytes of which every escaped text has many."""
_OWN_TOKEN = re.compile(rb"duly_[\w-]{43}")
"""A token of duly itself, which an agent may have found in a file."""
_OWN_TOKEN_BEGINS = re.compile(rb"(?:d|du|dul|duly|duly_[\w-]{0,42})\Z")
_LONGEST_TOKEN = 48
_BREAK = re.compile(rb"(?:\r?\n|\\{1,16}n|%(?:25){0,3}0[aA])[ \t]*")
_BREAK_BEFORE = re.compile(_BREAK.pattern + rb"\Z")
_NUMBER = re.compile(r"([:\[,]\s*)([-+.\deE]*\[secret\](?:[-+.\deE]|\[secret\])*)(?=\s*[,}\]])")


class _Needle:
    """A secret as it is looked for: its units, and stretches of plain characters, which are compared at once."""

    def __init__(self, text: str, *, is_base64: bool = False) -> None:
        self.text = text
        parts = units_of(text, is_base64=is_base64)
        self.parts = [part for part, _ in parts]
        self.units: list[WrittenUnit] = [unit for _, unit in parts]
        self.is_base64 = is_base64
        self.before = [0]
        """How many characters there are before each unit."""
        for unit in self.units:
            self.before.append(self.before[-1] + unit.size)
        self.needed = min(self.before[-1], PIECE)
        self._flat = b"".join(unit.plain or b"\0" for unit in self.units)
        """One byte for each unit: the plain character, or zero."""

    def size(self, first: int, last: int) -> int:
        return self.before[last] - self.before[first]

    def is_plain(self, place: int, size: int) -> bool:
        """Tell whether so many plain characters follow each other from a unit on."""
        few = self._flat[place : place + size]
        return len(few) == size and b"\0" not in few

    def right(self, text: bytes, at: int, place: int) -> tuple[int, int, bool]:
        """Compare from a unit on; return the end in the text and in the secret, and whether the text ends first."""
        end = at, place
        before = at, place
        while place < len(self.units):
            run = self._flat[place : place + _LONGEST_RUN].partition(b"\0")[0]
            if run and text.startswith(run, at):
                at += len(run)
                place += len(run)
                end = at, place
                continue
            unit = self.units[place]
            found = unit.forward.match(text, at)
            if found is None and self.is_base64 and place >= _GRAM and (gap := _BREAK.match(text, at)) is not None:
                if gap.end() == len(text):
                    return *end, True
                found = unit.forward.match(text, gap.end())
            if found is None:  # where the text is cut, a shorter form of the unit before may have been found
                goes_on = unit.may_go_on(text[at : at + unit.longest])
                return *end, goes_on or (before[1] < place and self.units[before[1]].cut_short(text[before[0] :][:64]))
            before = at, place
            at = found.end()
            place += 1
            if not unit.ends_line:
                end = at, place
        return *end, at == len(text) and self.units[-1].plain is None

    def begin(self, text: bytes, at: int, place: int, floor: int) -> int:
        """Return where a unit begins that was found in a shorter form than it has."""
        found = None if self.units[place].plain is not None else self.units[place].forward.match(text, at)
        before = None if found is None else self._before(text, found.end(), place + 1, floor)
        if before is None and self.units[place].plain is None:  # the text may end within it
            return at - len(begun := text[max(floor, at - 64) : at]) + len(begun.rstrip(b"\\"))
        return at if before is None else before

    def left(self, text: bytes, at: int, place: int, floor: int) -> tuple[int, int]:
        """Compare the units before one; return where they begin in the text and in the secret."""
        start = at, place
        while place > 0:
            run = self._flat[max(0, place - _LONGEST_RUN) : place].rpartition(b"\0")[2]
            if run and at - len(run) >= floor and text.endswith(run, floor, at):
                at -= len(run)
                place -= len(run)
                start = at, place
                continue
            found = self._before(text, at, place, floor)
            if found is None and self.is_base64:
                gap = _BREAK_BEFORE.search(text, max(floor, at - 60), at)
                found = None if gap is None else self._before(text, gap.start(), place, floor)
            if found is None:
                break
            at = found
            place -= 1
            if not self.units[place].ends_line:
                start = at, place
        return start

    def _before(self, text: bytes, at: int, place: int, floor: int) -> int | None:
        unit = self.units[place - 1]
        if unit.plain is not None:
            return at - 1 if at > floor and text[at - 1] == unit.plain[0] else None
        found = unit.backward.search(text, max(floor, at - unit.longest), at)
        return None if found is None else found.start()


@dataclass(frozen=True, slots=True)
class _Match:
    """A place in a text where a secret, or a piece of one, stands."""

    start: int
    end: int
    size: int
    """Characters of the secret."""
    is_enough: bool
    is_open: bool
    """Whether the text ends before it shows how far the secret goes."""


class _GramTable:
    """Which few bytes stand where in some secrets."""

    def __init__(self, needles: list[_Needle]) -> None:
        self.needles = needles
        needed = min(needle.needed for needle in needles)
        self.gram = max(1, min(_GRAM, needed // 2))
        self.step = needed - self.gram + 1
        self.places: dict[bytes, list[tuple[int, int, int]]] = {}
        """Few bytes → secret, unit, and how many bytes before them that unit begins."""
        self._beginning_with: dict[int, list[_Needle]] = {}
        """Byte → the secrets of which a form begins with it."""
        for number, needle in enumerate(needles):
            for byte in needle.units[0].begins_with:
                self._beginning_with.setdefault(byte, []).append(needle)
            telling = bool(set(needle.text.encode("utf-8", "surrogatepass")) - _TELLING_LITTLE)
            for count, written in enumerate(spellings(needle.parts, is_base64=needle.is_base64)):
                self._note(number, written, is_first=count == 0, telling=telling)

    def _note(self, number: int, written: list[bytes], *, is_first: bool, telling: bool) -> None:
        """Note the places of a secret in one form; of other forms than the first, only what is different there."""
        whole = b"".join(written)
        needle = self.needles[number]
        at = 0
        for unit, part in enumerate(written):
            known = not is_first and needle.is_plain(unit, self.gram)
            if not known and (unit < _ALL_LOOKED_UP or unit % 1024 < 64):
                for behind in range(len(part)):
                    few = whole[at + behind : at + behind + self.gram]
                    if not telling or not _TELLING_LITTLE.issuperset(few):
                        self._add(few, (number, unit, behind))
            at += len(part)

    def may_begin(self, text: bytes, start: int) -> bool:
        """Tell whether a secret may begin at a place and go on where the text ends."""
        return any(needle.right(text, start, 0)[2] for needle in self._beginning_with.get(text[start], ()))

    def _add(self, few: bytes, place: tuple[int, int, int]) -> None:
        if len(few) < self.gram:
            return
        known = self.places.get(few)
        if known is None:
            self.places[few] = [place]
            return
        same = list(takewhile(lambda each: each[0] == place[0], reversed(known)))
        if place not in same and len(same) < _MOST_PLACES:
            known.append(place)

    def look(self, text: bytes, at: int, floor: int) -> list[_Match]:
        """Compare the secrets in which the bytes at a place stand."""
        found: list[_Match] = []
        for number, unit, behind in self.places.get(text[at : at + self.gram], ()):
            if at - behind < floor:
                continue
            needle = self.needles[number]
            begins = needle.begin(text, at - behind, unit, floor)
            end, last, is_open = needle.right(text, begins, unit)
            start, first = needle.left(text, begins, unit, floor)
            size = needle.size(first, last)
            is_whole = first == 0 and last == len(needle.units)
            is_piece = size >= PIECE and len(set(text[start:end])) >= _FEWEST_KINDS
            may_be_piece = needle.size(first, len(needle.units)) >= PIECE
            found.append(_Match(start, end, size, is_whole or is_piece, is_open and (first == 0 or may_be_piece)))
        return found


class _Stage:
    """Looks for the secrets of one table in a text that comes in parts."""

    def __init__(self, table: _GramTable) -> None:
        self._table = table
        self._held = b""

    def feed(self, data: bytes, *, is_last: bool = False) -> bytes:
        """Return what is certain by now; the rest is held back until more comes."""
        text = self._held + data
        out: list[bytes] = []
        done = 0
        held = len(text)
        table = self._table
        places = table.places
        gram = table.gram
        step = table.step
        last = len(text) - gram
        at = 0
        while at <= last:
            if text[at : at + gram] in places:
                found = table.look(text, at, done)
                waiting = [each.start for each in found if each.is_open and not is_last]
                if waiting:
                    held = min(*waiting, self._unclear(text, done))
                    break
                best = max((each for each in found if each.is_enough), key=lambda each: each.size, default=None)
                if best is not None:
                    out += [text[done : best.start], _REPLACED]
                    at = done = best.end
                    continue
            at = min(at + step, last) if at < last else at + step  # the last place too: a secret may begin there
        else:
            if not is_last:
                held = self._unclear(text, done)
        self._held = text[held:]
        out.append(text[done:held])
        return b"".join(out)

    def _unclear(self, text: bytes, done: int) -> int:
        """Return where the beginning of a secret may stand at the end of a text."""
        starts = range(max(done, len(text) - _LONGEST_BEGINNING), len(text))
        return next((start for start in starts if self._table.may_begin(text, start)), len(text))


class _TokenStage:
    """Looks for tokens of duly."""

    def __init__(self) -> None:
        self._held = b""

    def feed(self, data: bytes, *, is_last: bool = False) -> bytes:
        text = _OWN_TOKEN.sub(_REPLACED, self._held + data)
        begins = None if is_last else _OWN_TOKEN_BEGINS.search(text, max(0, len(text) - _LONGEST_TOKEN))
        held = len(text) if begins is None else begins.start()
        self._held = text[held:]
        return text[:held]


def _plain_stages(tables: Iterable[_GramTable]) -> list[_Stage | _TokenStage | EscapedStage]:
    return [*(_Stage(table) for table in tables), _TokenStage()]


class MaskedStream:
    """Replaces secrets in bytes that come in parts, cut anywhere."""

    def __init__(self, tables: Iterable[_GramTable]) -> None:
        tables = tuple(tables)

        def has_secret(text: bytes) -> bool:
            stages = _plain_stages(tables)
            for stage in stages:
                fed = stage.feed(text, is_last=True)
                if fed != text:
                    return True
            return False

        self._stages = [*_plain_stages(tables), EscapedStage(has_secret, _REPLACED)]
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")

    def feed(self, data: bytes) -> bytes:
        """Take some bytes; return those that can be shown now."""
        for stage in self._stages:
            data = stage.feed(data)
        return data

    def end(self) -> bytes:
        """Return what was held back."""
        data = b""
        for stage in self._stages:
            data = stage.feed(data, is_last=True)
        return data

    def feed_text(self, text: str) -> str:
        """Take some text; return what can be shown now."""
        return self._decoder.decode(self.feed(text.encode("utf-8", "replace")))

    def end_text(self) -> str:
        """Return the text that was held back."""
        return self._decoder.decode(self.end(), final=True)


class Mask:
    """Some secrets, for any number of texts and streams."""

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        self._tables = _tables(frozenset(secrets))

    def stream(self) -> MaskedStream:
        """Begin a text that comes in parts."""
        return MaskedStream(self._tables)

    def text(self, text: str) -> str:
        """Replace secrets in a text, and tokens of duly as well."""
        data = text.encode("utf-8", "surrogatepass")
        stream = self.stream()
        return (stream.feed(data) + stream.end()).decode("utf-8", "surrogatepass")

    def all(self, value: Any) -> Any:
        """Replace secrets in objects and lists, in their keys too; a number that contains one is replaced as well."""
        if isinstance(value, Mapping):
            return {self.text(str(key)): self.all(item) for key, item in value.items()}
        if isinstance(value, list | tuple):
            return [self.all(item) for item in value]
        if isinstance(value, str):
            return self.text(value)
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        return REDACTED if is_number and REDACTED in self.text(str(value)) else value


@lru_cache(maxsize=16)
def _tables(secrets: frozenset[str]) -> tuple[_GramTable, ...]:
    """Prepare secrets; the long ones are looked for first, because a short one may be a part of a long one."""
    texts = {secret.strip() for secret in secrets}
    encoded = {each for text in texts if len(text) >= _SHORTEST_IN_BASE64 for each in in_base64(text) if len(each) >= 8}
    needles = [_Needle(text) for text in sorted(texts - {""})]
    needles += [_Needle(text, is_base64=True) for text in sorted(encoded)]
    long = [needle for needle in needles if needle.before[-1] >= PIECE]
    short = [needle for needle in needles if needle.before[-1] < PIECE]
    return tuple(_GramTable(each) for each in (long, short) if each)


def load_masked(text: str) -> Any:
    """Read JSON in which secrets were replaced: a number of which one was a part is a text then."""
    try:
        return json.loads(text)
    except ValueError:
        return json.loads(with_quoted_numbers(text))


def with_quoted_numbers(text: str) -> str:
    """Quote the numbers of JSON of which a secret was a part."""
    return _NUMBER.sub(r'\1"\2"', text) if REDACTED in text else text
