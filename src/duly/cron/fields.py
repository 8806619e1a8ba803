"""One field of an expression: text to bits, or an error that says exactly what is wrong, and where."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from duly.cron.days import Special
from duly.cron.dialect import DAY, SIX_FIELDS, WEEKDAY, Field
from duly.errors import FieldParseError

_NTH = re.compile(r"(.+)#(.*)")
_LAST = re.compile(r"l(?:-(\d+))?(w?)")
_NEAREST = re.compile(r"(?:(\d+)w|w(\d+))")
_TO_THE_LAST = re.compile(r"(\d+-)l(/.*)?")
_POSIX_TOKENS = re.compile(r"[0-9,*-]*")
_POSIX_ITEM = re.compile(r"([0-9]+)(?:-([0-9]+))?")


@dataclass(slots=True)  # not frozen: this is made for every field that is read
class FieldSet:
    """The values a field names."""

    bits: int
    anything: bool
    """A lone `*` or `?`: the field does not restrict."""
    starred: bool
    """Begins with `*`: a rhythm rather than a fixed value."""
    specials: tuple[Special, ...]


def _usual(field: Field) -> dict[str, FieldSet]:
    """Give what most expressions have in a field, ready to use: `*`, and each of its numbers."""
    usual = {"*": FieldSet(field.all, anything=True, starred=True, specials=())}
    for value in range(field.low, field.high + 1):
        usual[str(value)] = FieldSet(1 << value, anything=False, starred=False, specials=())
    return usual


_USUAL = {field: _usual(field) for field in SIX_FIELDS}


def parse_field(text: str, field: Field) -> FieldSet:
    """Read one field of the `standard` dialect, already in lower case."""
    return _USUAL[field].get(text) or _parse_field(text, field)


@lru_cache(maxsize=4096)
def _parse_field(text: str, field: Field) -> FieldSet:
    if text == "?" and field in (DAY, WEEKDAY):
        return FieldSet(field.all, anything=True, starred=False, specials=())
    bits = 0
    specials: list[Special] = []
    position = 0
    for item in text.split(","):
        found = _item(item, field, text, position)
        if isinstance(found, int):
            bits |= found
        else:
            specials.extend(found)
        position += len(item) + 1
    looked_up = tuple(sorted(set(specials))) if specials else ()
    return FieldSet(bits, anything=False, starred=text[0] == "*", specials=looked_up)


def _item(item: str, field: Field, text: str, position: int) -> int | list[Special]:
    """Read one element of a list: bits, or days that depend on the month."""
    if not item:
        raise _fault(text, field, "has an empty element; remove the comma or write a value", position)
    if field is DAY and ("l" in item or "w" in item):
        match = _TO_THE_LAST.fullmatch(item)
        if match is None:
            return _special_date(item, text, position)
        item = f"{match[1]}{DAY.high}{match[2] or ''}"  # "15-L": bits of days that a month does not have are harmless
    if field is WEEKDAY and ("#" in item or "l" in item):
        return _special_weekday(item, text, position)
    span, slash, step = item.partition("/")
    if slash and not step.isdecimal():
        raise _fault(text, field, f'has step "{step}", expected a number after the slash', position + len(span) + 1)
    every = int(step) if slash else 1
    if every == 0:
        raise _fault(text, field, "has step 0, expected 1 or more", position + len(span) + 1)
    low, high = _span(span, field, text, position, open_end=bool(slash))
    return _range(low, high, every, field)


def _span(span: str, field: Field, text: str, position: int, *, open_end: bool) -> tuple[int, int]:
    """Read the first and last value of `*`, `5`, `5-9`; a number before a step (`5/10`) reaches to the field's end."""
    if span == "*":
        return field.low, field.high
    low_text, dash, high_text = span.partition("-")
    if not dash:
        low = _number(span, field, text, position)
        return (low, field.high) if open_end else (low, low)
    if not low_text or not high_text:
        raise _fault(
            text,
            field,
            f'has the incomplete range "{span}", expected two values such as {_sample(field)}',
            position,
        )
    low = _number(low_text, field, text, position, sunday_last=True)
    high = _number(high_text, field, text, position + len(low_text) + 1, sunday_last=True)
    # "7-3" is Sunday to Wednesday: a Sunday that begins a range is 0. "5-7" keeps its 7: it ends with the week.
    return low % 7 if field is WEEKDAY and low > high else low, high


def _range(low: int, high: int, step: int, field: Field) -> int:
    """Give the bits of a range; one whose start lies behind its end goes round the clock, keeping its step."""
    if low <= high <= field.high:
        # The sum of 2^(low + k·step) for k = 0 … n - 1 is a geometric series: (2^(n·step) - 1) / (2^step - 1) · 2^low.
        # A step beyond the field gives one value, and a shorter number to compute with.
        step = min(step, field.high + 1)
        return ((1 << ((high - low) // step + 1) * step) - 1) // ((1 << step) - 1) << low
    # Round the end of the field: value by value, each taken modulo the size. A weekday range that ends with 7 is here,
    # too: 7 becomes 0.
    size = field.high - field.low + 1
    bits = 0
    for value in range(low, high + (size if low > high else 0) + 1, step):
        bits |= 1 << (value - field.low) % size + field.low
    return bits


def _number(word: str, field: Field, text: str, position: int, *, sunday_last: bool = False) -> int:
    """Read a number or a name. Sunday is 0 and 7; at the ends of a range the 7 stays: it means the week's end."""
    if word in field.names:
        return field.names[word]
    if not word.isdecimal():
        raise _fault(text, field, _not_a_number(word, field), position)
    value = int(word)
    if field is WEEKDAY and value == 7:
        return 7 if sunday_last else 0
    if not field.low <= value <= field.high:
        top = "0-7 (0 and 7 are Sunday)" if field is WEEKDAY else f"{field.low}-{field.high}"
        raise _fault(text, field, f"value {word} is out of range {top}", position)
    return value


def _not_a_number(word: str, field: Field) -> str:
    if word[:1] in "+-" and word[1:].isdecimal():
        return f'has the signed value "{word}", expected {_takes(field)}'
    if word == "?":
        return 'has "?", which stands alone and only in the day and weekday fields; write *'
    return f'has "{word}", expected {_takes(field)}'


def _takes(field: Field) -> str:
    names = tuple(field.names)
    return f"{field.low}-{field.high}" + (f" or {names[0]}-{names[-1]}" if names else "")


def _special_date(item: str, text: str, position: int) -> list[Special]:
    """Read `L`, `L-3`, `LW`, `L-3W` and `15W` (also `W15`)."""
    if match := _LAST.fullmatch(item):
        before = int(match[1] or 0)
        working = bool(match[2])
        if before > DAY.high - 1:
            raise _fault(text, DAY, f"counts {before} days back from the last, allowed 0-30", position)
        return [Special("nearest", 0, before) if working else Special("last", 0, before)]
    if match := _NEAREST.fullmatch(item):
        return [Special("nearest", _number(match[1] or match[2], DAY, text, position))]
    raise _fault(text, DAY, f'has "{item}", expected L, L-n, nW, LW or L-nW', position)


def _special_weekday(item: str, text: str, position: int) -> list[Special]:
    """Read `5#2`, `fri#2`, `mon-wed#1`, `5L` and `L5`."""
    if match := _NTH.fullmatch(item):
        which = match[2]
        if not which.isdecimal() or not 1 <= int(which) <= 5:
            raise _fault(text, WEEKDAY, f'has "#{which}", expected #1 to #5', position + len(match[1]))
        low, high = _span(match[1], WEEKDAY, text, position, open_end=False)
        days = _range(low, high, 1, WEEKDAY)
        return [Special("nth", day, int(which)) for day in range(7) if days >> day & 1]
    day = item.removeprefix("l") if item.startswith("l") else item.removesuffix("l")
    if not day or "l" in day:
        raise _fault(text, WEEKDAY, f'has "{item}", expected a day before the L, such as 5L or friL', position)
    return [Special("last-weekday", _number(day, WEEKDAY, text, position))]


def _sample(field: Field) -> str:
    return f"{field.low}-{field.high}"


def _fault(text: str, field: Field, reason: str, position: int) -> FieldParseError:
    return FieldParseError(text, field.name, reason, position)


@lru_cache(maxsize=4096)
def parse_posix_field(text: str, field: Field) -> FieldSet:
    """Read one field by the POSIX grammar; an error says what to write instead."""
    reason, position = _not_posix(text, field)
    if reason:
        raise FieldParseError(text, field.name, reason, position)
    return parse_field(text, field)


def _not_posix(text: str, field: Field) -> tuple[str, int]:
    if "/" in text:
        return f"uses the step {text}, which POSIX cron does not have{_spelled_out(text, field)}", text.index("/")
    match = _POSIX_TOKENS.match(text)
    end = match.end() if match else 0
    if end < len(text):
        return _foreign(text, field, text[end:]), end
    position = 0
    for item in text.split(","):
        if "*" in item and text != "*":
            return "has * beside other values; write * alone or list the values", position
        reason, offset = _not_posix_item(item, field)
        if reason:
            return reason, position + offset
        position += len(item) + 1
    return "", 0


def _not_posix_item(item: str, field: Field) -> tuple[str, int]:
    """Find what `standard` reads and POSIX does not: 7 for Sunday, and ranges that go round the end."""
    if item in ("", "*"):
        return "", 0
    match = _POSIX_ITEM.fullmatch(item)
    if match is None:
        return f'has "{item}", expected a number or a range such as {_sample(field)}', 0
    low = match[1]
    high = match[2] or low
    for value, offset in ((low, 0), (high, len(item) - len(high))):
        if field is WEEKDAY and int(value) > field.high:
            hint = "; write 0 for Sunday" if int(value) == 7 else ""
            return f"value {value} is out of range 0-6{hint}", offset
    if field.low <= int(high) < int(low) <= field.high:
        instead = f"{low}-{field.high},{field.low}-{high}"
        return f"range {item} runs backwards, which POSIX cron does not have; write {instead}", 0
    return "", 0


def _foreign(text: str, field: Field, rest: str) -> str:
    word = re.match(r"[^\W\d_]+", rest)
    if word and word[0].lower() in field.names:
        return f'uses the name "{word[0]}", which POSIX cron does not have; write {field.names[word[0].lower()]}'
    if word and word[0].lower() in ("l", "w", "lw"):
        return f'uses "{text}", which POSIX cron does not have; use the standard dialect'
    if rest[0] == "?":
        return 'uses "?", which POSIX cron does not have; write *'
    if rest[0] == "#":
        return f'uses "{text}", which POSIX cron does not have; use the standard dialect'
    return f'has {rest[0]!r}, expected digits, "*", "," and "-" only'


def _spelled_out(text: str, field: Field) -> str:
    try:
        bits = parse_field(text.lower(), field).bits
    except FieldParseError:
        return ""
    values = [str(value) for value in range(field.low, field.high + 1) if bits >> value & 1]
    return f"; write {','.join(values)}" if len(values) <= 15 else "; list the values"
