"""The code blocks of the documentation, as a reader finds them.

A block that cannot run says why in a comment before it: `<!-- not run: it needs a bot of your own -->`. What a reader
has done before is a comment, too: `<!-- before: duly user add bob -->`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGES = sorted(
    [*(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "SECURITY.md")), *(ROOT / "docs").glob("*.md")]
)
_BLOCK = re.compile(
    r"(?ms)^(?:<!-- (?P<what>not run|before): (?P<said>[^\n]+?) -->\n)?"
    r"(?P<fence>```)(?P<language>\w*)\n(?P<text>.*?)^```$"
)
_SHORTEST_REASON = 15


@dataclass(frozen=True, slots=True)
class Block:
    """One fenced block of a page."""

    page: Path
    line: int
    language: str
    text: str
    reason: str | None
    """Why it is not run; None if it is."""
    before: str | None = None
    """The command that a reader has typed before."""

    def __str__(self) -> str:
        return f"{self.page.name}:{self.line}"


def blocks(*languages: str) -> list[Block]:
    """Give the blocks in these languages or in all, those that are not run included; `` is one that names none."""
    found = []
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        for match in _BLOCK.finditer(text):
            if not languages or match["language"] in languages:
                line = text.count("\n", 0, match.start("fence")) + 1
                said = {match["what"]: match["said"]}
                block = Block(page, line, match["language"], match["text"], said.get("not run"), said.get("before"))
                found.append(block)
    return found


def has_a_reason(block: Block) -> bool:
    """Tell whether a block that is not run says why."""
    return block.reason is None or len(block.reason) >= _SHORTEST_REASON
