r"""Texts of which every character is escaped, letters and digits as well: `\u0041\u0042`, `\x41`, `&#65;`, `%41`.

No encoder of JSON writes so, but an agent may be asked to. A run of such characters is read as what it says, and
replaced as a whole where a secret stands in it.
"""

from __future__ import annotations

import re
from collections.abc import Callable

_LETTERS = {b"n": 10, b"r": 13, b"t": 9}
_ONE = (
    rb"\\{1,16}(?:(?:u00|x)([0-7][0-9a-fA-F])|([nrt]))|&#(?:[xX]0{0,4}([0-7]?[0-9a-fA-F])|0{0,4}([0-9]{1,3}));"
    rb"|%(?:25){0,3}([0-7][0-9a-fA-F])"
)
_CHARACTER = re.compile(_ONE)
_RUN = re.compile(rb"(?:" + _ONE + rb")+")
_BEGINS = re.compile(rb"(?:\\{1,16}(?:u0?0?[0-7]?|x[0-7]?)?|&(?:#(?:[xX]?[0-9a-fA-F]{0,6})?)?|%(?:25){0,3}[0-7]?)?\Z")
"""The beginning of an escaped character where a text is cut."""
_LONGEST_CHARACTER = 32
_FEWEST = 8
"""Characters of a run that is looked at."""
_MOST_HELD = 65_536


class EscapedStage:
    """Looks at runs of escaped characters in a text that comes in parts."""

    def __init__(self, has_secret: Callable[[bytes], bool], replaced: bytes) -> None:
        self._has_secret = has_secret
        self._replaced = replaced
        self._held = b""

    def feed(self, data: bytes, *, is_last: bool = False) -> bytes:
        text = self._held + data
        if b"\\" not in text and b"&" not in text and b"%" not in text:
            self._held = b""
            return text
        out: list[bytes] = []
        done = 0
        held = len(text)
        if not is_last:
            begins = next(
                (at for at in range(max(0, held - _LONGEST_CHARACTER), held) if _BEGINS.match(text, at)), held
            )
            held = begins
        for run in _RUN.finditer(text):
            if not is_last and run.end() >= held and len(text) - run.start() < _MOST_HELD:
                held = min(held, run.start())
                break
            if self._is_secret(run[0]):
                out += [text[done : run.start()], self._replaced]
                done = run.end()
        held = max(held, done)
        self._held = text[held:]
        out.append(text[done:held])
        return b"".join(out)

    def _is_secret(self, run: bytes) -> bool:
        said = bytes(min(255, _code(found)) for found in _CHARACTER.finditer(run))
        return len(said) >= _FEWEST and self._has_secret(said)


def _code(found: re.Match[bytes]) -> int:
    """Return the code of an escaped character."""
    if found[2]:
        return _LETTERS[found[2]]
    return int(found[4]) if found[4] else int(found[1] or found[3] or found[5], 16)
