"""Tokens of a reply: its words in lower case, and the pauses between them.

These are other tokens than those of a phrase (`duly.language.text`): a reply has emoji, pauses and stretched letters,
and its accents count where they tell two words apart.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import NamedTuple

from duly.language.replies.form import ReplyRole

MAX_LENGTH = 200
_TOKEN = re.compile(
    r"(?P<space>[^\S\n]+|(?<=[^\W\d_])-(?=[^\W\d_])|(?<=\d)-(?=[^\W\d_])|[:;]-?[)D]+(?=\s|$))"
    r"|(?P<number>\d+(?:[.,:]\d{1,2})?(?![\d:]))"
    r"|(?P<word>(?i:[ap]\.m\.)|[^\W\d_]+(?:['’][^\W\d_]+)*['’]?)"
    r"|(?P<pause>[,.;:!¡…\n()]+|(?:(?<=\s)|^|(?<=\w))[-–—]+(?=\s|$))"
    r"|(?P<question>[?¿？]+)"
    r"|(?P<sign>.)",
    re.DOTALL,
)
_HOUR_OR_LENGTH = re.compile(r"(?<!\d)(\d{1,2})h(\d{2})(?!\d)")
_STRETCHED = re.compile(r"(.)\1\1|(.)\2$")  # three in a row anywhere ("nooope"), or two at the end ("yess")
_CYRILLIC_LETTER = re.compile("[\u0400-\u04ff]")
_SILENT = dict.fromkeys(map(ord, "\ufe0e\ufe0f\u200d\u200b♂♀🏻🏼🏽🏾🏿"))
_CYRILLIC = str.maketrans(
    dict(zip("абвгдђежзијклмнопрстћуфхцчш", "abvgdđežzijklmnoprstćufhcčš", strict=True))
    | {"љ": "lj", "њ": "nj", "џ": "dž"}
)
_UNMARKED = str.maketrans({"đ": "d", "ø": "o", "'": None})
EMOJI: dict[str, ReplyRole] = (
    dict.fromkeys("👍✅✔✓🗸☑👌🆗🫡💯", ReplyRole.YES)
    | dict.fromkeys("👎🙅", ReplyRole.NO)
    | dict.fromkeys("❌✖✗✘❎🚫⛔🛑🔕", ReplyRole.CROSS)
    | dict.fromkeys("⏰⏱⏲⏳⌛💤😴🥱🔜🔁🕐🕑🕒🕓🕔🕕🕖🕗🕘🕙🕚🕛", ReplyRole.LATER)
    | dict.fromkeys(
        "🙂😊🙏❤😀😃😄😁😆😅😂🤣😉😘🥰😇😎🎉💪👋💊🤗☺💙💚🌞☀😬🙈🙌🤭😋😌💗💕🥲🤦✌🤞🤝😜😛💖", ReplyRole.POLITE
    )
)


class ReplyToken(NamedTuple):
    """A word, a number or an emoji of a reply."""

    word: str
    start: int
    end: int
    pause: bool
    """Whether something like a comma stands before it."""
    unmarked: str
    """The word without accents."""
    squeezed: str
    """The word without repeated letters, if some were held down; otherwise empty."""


class TokenizedReply(NamedTuple):
    """A reply as tokens."""

    text: str
    items: tuple[ReplyToken, ...]
    cyrillic: bool
    """Serbian in Cyrillic; its words are given in Latin, letter by letter."""
    asked: bool
    """Whether it is a question."""


def tokenize(text: str) -> TokenizedReply | None:
    """Cut a reply into tokens; return None for one that no language could understand: unknown signs, long texts."""
    if len(text) > MAX_LENGTH:
        return None
    text = text.strip() if text.isascii() else unicodedata.normalize("NFC", text.translate(_SILENT)).strip()
    if "/" in text:
        text = text.replace("1/2", "½").replace("1/4", "¼")
    cyrillic = not text.isascii() and _CYRILLIC_LETTER.search(text) is not None
    items: list[ReplyToken] = []
    pause = asked = False
    for match in _TOKEN.finditer(text):
        kind = match.lastgroup
        if kind == "space":
            continue
        if kind in ("pause", "question"):
            pause = True
            asked = asked or kind == "question"
            continue
        word = match[0].casefold().replace("’", "'")
        if kind == "sign" and word not in EMOJI:
            return None
        if cyrillic:
            word = word.translate(_CYRILLIC)
        plain = word if word.isascii() else unmarked(word)
        stretched = squeezed(plain) if _STRETCHED.search(plain) else ""
        # By position, in the order of the fields: keywords would take a twentieth of the time of a whole reply.
        items.append(ReplyToken(word, match.start(), match.end(), pause, plain, stretched))
        pause = False
    return TokenizedReply(text=text, items=tuple(items), cyrillic=cyrillic, asked=asked)


def with_clocks(tokens: TokenizedReply) -> TokenizedReply | None:
    """Read "20h10", which may be a length, as a time of day; None where nothing like it stands."""
    said = _HOUR_OR_LENGTH.sub(r"\1:\2", tokens.text)
    return None if said == tokens.text else tokenize(said)


@lru_cache(maxsize=4096)
def unmarked(word: str) -> str:
    """Return the word as people type it in a hurry: no accents, no apostrophes."""
    if word.isascii():
        return word.replace("'", "")
    decomposed = unicodedata.normalize("NFD", word.translate(_UNMARKED))
    return "".join(letter for letter in decomposed if not unicodedata.combining(letter))


def squeezed(word: str) -> str:
    """Return the word with every run of a letter cut to one."""
    return re.sub(r"(.)\1+", r"\1", word)
