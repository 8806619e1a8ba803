"""How a secret may be written: as it is, in JSON within JSON, in a URL, as Python shows it, in base64.

A secret is taken apart into units, each a character with the backslashes before it, or the end of a line with the
indentation after it. `WrittenUnit` recognizes every way to write one; `spellings` writes a secret in the usual ways.
"""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Callable, Iterator
from functools import lru_cache
from urllib.parse import quote, quote_plus

_PLAIN = re.compile(r"[A-Za-z0-9_.-]")
"""Characters that every encoder leaves as they are."""
_UNITS = re.compile(r"(\\*)((?:[\r\n]+[ \t]*)+|%(?:25)*|[^\\])|\\+", re.DOTALL)
_SLASHES = 16
"""Backslashes that four levels of JSON within JSON make of one."""
_PERCENT = rb"%(?:25){0,3}"
_BACKSLASH = rb"(?:\\|" + _PERCENT + rb"5[cC])"
_LINE_END = (
    rb"(?:(?:\r\n?|\n|\\{1,16}r(?:\\{1,16}n)?|\\{1,16}(?:n|u000[aAdD]|x0[aAdD]))(?:[ \t]|\\{1,16}(?:t|u0009|x09)){0,64}"
    rb"|%(?:25){0,3}0[aAdD](?:\+|%(?:25){0,3}(?:20|09)){0,64})"
)
_LETTERS = {"\a": "a", "\b": "b", "\t": "t", "\v": "v", "\f": "f", "\0": "0"}
_IN_URLS = {"+": "-", "/": "_"}
"""Characters of base64, and those that stand for them in base64 for URLs."""
_OPEN = re.compile(rb"[\\%\r][\\%\rrnuUxX0-9a-fA-F]*")
"""What the beginning of a longer form of a character may look like where a text is cut."""


class WrittenUnit:
    """A character of a secret with the backslashes before it, in every form."""

    def __init__(self, slashes: int, rest: str, other: str = "") -> None:
        """Make a unit of backslashes and a character; `other` is another character that stands for the same."""
        self.size = slashes + bool(rest)
        """Characters it stands for; indentation counts for nothing, because it may have been changed."""
        self.ends_line = rest[:1] in ("\r", "\n")
        self.longest = 200 + 48 * slashes + 100 * len(rest)
        self._raw = as_bytes(rest)
        self.plain = self._raw if not slashes and _PLAIN.fullmatch(rest) else None
        """The only form of a character that no encoder changes."""
        self.begins_with = frozenset(self.plain or b"\\%+\r\n" + self._raw[:1] + other.encode())
        """Bytes with which its forms begin."""
        pattern = b"(?:" + _pattern(slashes, rest) + (b"|" + other.encode() if other else b"") + b")"
        self.forward = re.compile(pattern)
        self.backward = re.compile(pattern + rb"\Z")

    def may_go_on(self, rest: bytes) -> bool:
        """Tell whether the end of a text may be the beginning of this character."""
        return len(rest) < self.longest and (
            self._raw.startswith(rest.lstrip(b"\\")) or _OPEN.fullmatch(rest) is not None
        )

    def cut_short(self, rest: bytes) -> bool:
        """Tell whether the end of a text may be a longer form of this character than was found there."""
        return self.plain is None and len(rest) < 64 and _OPEN.fullmatch(rest) is not None


@lru_cache(maxsize=2048)
def _unit(slashes: int, rest: str, other: str = "") -> WrittenUnit:
    return WrittenUnit(slashes, rest, other)


def units_of(secret: str, *, is_base64: bool = False) -> list[tuple[str, WrittenUnit]]:
    """Take a secret apart: each part as it is written, and what recognizes it."""
    if is_base64:
        return [(each, _unit(0, each, _IN_URLS.get(each, ""))) for each in secret]
    units: list[tuple[str, WrittenUnit]] = []
    for found in _UNITS.finditer(secret):
        rest = found[2] or ""
        units.append((found[0], _unit(len(found[0]) - len(rest), rest)))
    return units


def as_bytes(text: str) -> bytes:
    """Encode a text; bytes of a variable that are no UTF-8 are what they were."""
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return text.encode("utf-8", "surrogatepass")


def _pattern(slashes: int, rest: str) -> bytes:
    many = _SLASHES * (slashes + 1)
    run = _BACKSLASH + b"{%d,%d}" % (slashes, many) if slashes else b""
    if not rest:
        return run
    if rest[0] in "\r\n":
        return run + b"(?:" + _LINE_END + b")+"
    if rest[0] == "%":
        return run + rb"(?:%(?:25){0,8}|\\{1,16}(?:u0025|x25))"
    raw = re.escape(as_bytes(rest))
    if _PLAIN.fullmatch(rest):
        return run + raw
    escaped = b"(?:" + b"|".join(_escapes(rest)) + b")"
    percent = b"".join(_PERCENT + b"(?i:%02X)" % byte for byte in as_bytes(rest))
    plus = rb"|\+" if rest == " " else b""
    if slashes:
        return run + b"(?:" + raw + b"|" + escaped + b"|" + percent + plus + b")"
    optional = rb"\\{0,16}" if rest in "\"'/" else b""
    return optional + raw + rb"|\\{1,16}" + escaped + b"|" + percent + plus


def _escapes(character: str) -> Iterator[bytes]:
    """Write what may follow the backslash of an escaped character."""
    code = ord(character)
    if code > 0xFFFF:
        high = 0xD800 + (code - 0x10000 >> 10)
        low = 0xDC00 + (code - 0x10000 & 0x3FF)
        yield rb"(?i:u%04x\\{1,16}u%04x)" % (high, low)
        yield rb"(?i:U%08x)" % code
    else:
        yield rb"(?i:u%04x)" % code
    yield rb"(?i:" + rb"\\{1,16}".join(b"x%02x" % byte for byte in as_bytes(character)) + b")"
    if 0x7F < code <= 0xFF:
        yield rb"(?i:x%02x)" % code
    if character in _LETTERS:
        yield _LETTERS[character].encode()


# the usual ways to write a secret

Spelling = Callable[[str], str]


def _json(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)[1:-1]


def _json_ascii(text: str) -> str:
    return json.dumps(text)[1:-1]


def _json_slash(text: str) -> str:
    return _json_ascii(text).replace("/", "\\/")


def _json_html(text: str) -> str:
    return re.sub("[<>&'\u2028\u2029+]", lambda found: f"\\u{ord(found[0]):04x}", _json(text))


def _json_upper(text: str) -> str:
    return re.sub(r"(?<!\\)\\u[0-9a-f]{4}", lambda found: "\\u" + found[0][2:].upper(), _json_ascii(text))


def _url(text: str) -> str:
    return quote(as_bytes(text), safe="")


def _url_path(text: str) -> str:
    return quote(as_bytes(text), safe="/!'()*~:@&=+$,;")


def _form(text: str) -> str:
    return quote_plus(as_bytes(text))


def _url_lower(text: str) -> str:
    return re.sub("%..", lambda found: found[0].lower(), _url(text))


def _python(text: str) -> str:
    return repr(text)[1:-1]


def _python_bytes(text: str) -> str:
    return repr(as_bytes(text))[2:-1]


def _twice(outer: Spelling, inner: Spelling) -> Spelling:
    return lambda text: outer(inner(text))


_ONCE = (_json, _json_ascii, _json_slash, _json_html, _json_upper)
_TWO = [_twice(outer, inner) for outer in (_json, _json_slash) for inner in _ONCE]
_THREE = [_twice(_json, inner) for inner in _TWO[: len(_ONCE)]]
_OTHERS = (_url, _url_path, _form, _url_lower, _twice(_url, _url), _python, _python_bytes, _twice(_json, _python))
_SPELLINGS: tuple[Spelling, ...] = (str, *_ONCE, *_TWO, *_THREE, *_OTHERS)


def _base64_for_urls(text: str) -> str:
    return _IN_URLS.get(text, text)


_OF_BASE64: tuple[Spelling, ...] = (str, _base64_for_urls, _json_slash, _twice(_json, _json_slash), _json_html, _url)


def spellings(parts: list[str], *, is_base64: bool = False) -> Iterator[list[bytes]]:
    """Write a secret in the usual ways, part by part; each way only once."""
    seen: set[bytes] = set()
    different = set(parts)
    changing = {part for part in different if not _PLAIN.fullmatch(part)}
    ways = _OF_BASE64 if is_base64 else _SPELLINGS
    for spell in ways if changing else (str,):
        table = {part: as_bytes(spell(part)) if part in changing else part.encode() for part in different}
        written = [table[part] for part in parts]
        whole = b"".join(written)
        if whole not in seen:
            seen.add(whole)
            yield written


def in_base64(secret: str) -> Iterator[str]:
    """Write a secret in base64 as it stands in a longer text, wherever it begins there; without what others change."""
    raw = as_bytes(secret)
    for before in range(3):
        written = base64.b64encode(bytes(before) + raw).decode()
        yield written[(0, 2, 3)[before] : (before + len(raw)) * 8 // 6]
