"""What a tool said: its answer, session, cost and errors, out of whatever it printed."""

from __future__ import annotations

import json
import re
from collections import deque
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from duly.agents.assignment import amount
from duly.agents.capture import Capture
from duly.agents.profile import Parse, SpawnerProfile
from duly.agents.selectors import Selector, add_up

_LONGEST_LINE = 4 * 1024 * 1024
_MOST_OBJECTS = 100  # that an output may seem to end with
_DECODER = json.JSONDecoder()
_SESSION = re.compile(r"[A-Za-z0-9][\w.:-]{0,199}")  # nothing that could pass for an option or a path


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """What was understood of an output."""

    text: str | None = None
    session_id: str | None = None
    cost_usd: float | None = None
    usage: Any = None
    error: str | None = None
    understood: bool = True
    """Whether it was an answer at all."""


@dataclass(slots=True)
class _Finds:
    """Everything found so far, by what it is."""

    values: dict[str, list[Any]] = field(default_factory=dict)

    def look(self, document: Any, selectors: dict[str, Selector]) -> None:
        for name, selector in selectors.items():
            found = selector.find(document)
            if name == "cost":
                found = [cost for cost in map(amount, found) if cost is not None]
            if found:
                kept = self.values.setdefault(name, [])
                kept += found
                if name in ("cost", "usage"):
                    kept[:] = [add_up(kept)]
                elif name == "session":
                    del kept[1:]
                else:
                    del kept[:-1]

    def get(self, name: str) -> Any:
        return self.values[name][-1] if self.values.get(name) else None

    def reply(self) -> Reply:
        text, usage = self.get("text"), self.get("usage")
        said = None if text is None else text if isinstance(text, str) else json.dumps(text, ensure_ascii=False)
        return Reply(
            text=said,
            session_id=session_name(self.get("session")),
            cost_usd=self.get("cost"),
            usage=usage,
            error=_complaint(self.get("error"), said),
            understood=text is not None or usage is not None,
        )


class Reader:
    """Listens to standard output while it comes, line by line: what flies past is understood, not kept."""

    def __init__(self, profile: SpawnerProfile) -> None:
        self._profile = profile
        self._finds = _Finds()
        self._line = bytearray()
        self._too_long = False
        names = ("text", "session", "cost", "usage", "error") if profile.parse is not Parse.TEXT else ()
        chosen = {name: profile.selector(name) for name in names}
        self._selectors = {name: selector for name, selector in chosen.items() if selector is not None}

    @property
    def session_id(self) -> str | None:
        """The session, as soon as the tool has named it."""
        return session_name(self._finds.get("session"))

    @property
    def cost_usd(self) -> float | None:
        """The cost, as far as the tool has told it."""
        cost: float | None = self._finds.get("cost")
        return cost

    def feed(self, data: bytes) -> None:
        if self._profile.parse is not Parse.JSONL:
            return
        *whole, rest = data.split(b"\n")
        for part in whole:
            self._keep(part)
            self._end_of_line()
        self._keep(rest)

    def reply(self, stdout: Capture, stderr: Capture) -> Reply:
        """All that was said, once it is over."""
        if self._profile.parse is Parse.TEXT:
            return self._plain(stdout)
        if self._profile.parse is Parse.JSONL:
            self._end_of_line()
            return self._finds.reply()
        # Some tools answer on one stream and complain on the other.
        for stream in (stdout, stderr):
            if (document := last_object(stream.tail)) is not None:
                self._finds.look(document, self._selectors)
                break
        return self._finds.reply()

    def _plain(self, stdout: Capture) -> Reply:
        text, cost, error = stdout.text.strip(), None, None
        if self._profile.cost_path and (found := re.findall(self._profile.cost_path, stdout.tail)):
            cost = _number(found[-1])
        if self._profile.error_path and (complaint := re.search(self._profile.error_path, stdout.tail)):
            error = complaint[min(1, complaint.re.groups)].strip()
        if self._profile.text_path and (answer := re.search(self._profile.text_path, text)):
            text = answer[1].strip()
        return Reply(text=text, cost_usd=cost, error=error, understood=bool(text))

    def _keep(self, part: bytes) -> None:
        if len(self._line) + len(part) > _LONGEST_LINE:
            self._too_long = True
            self._line.clear()
        elif not self._too_long:
            self._line += part

    def _end_of_line(self) -> None:
        if not self._too_long and self._line.lstrip().startswith(b"{"):
            with suppress(ValueError, RecursionError):  # it may only look like an event
                self._finds.look(json.loads(self._line), self._selectors)
        self._line.clear()
        self._too_long = False


def session_name(value: object) -> str | None:
    """A session's id as a tool gave it, unless it is not fit to be handed to a command line."""
    return value if isinstance(value, str) and _SESSION.fullmatch(value) else None


def last_object(text: str) -> Any:
    """The JSON object an output is, or ends with; tools like to print warnings first."""
    try:
        document = json.loads(text)
    except (ValueError, RecursionError):
        document = None
    if isinstance(document, dict):
        return document
    text = text.rstrip()
    starts = deque((found.start() for found in re.finditer(r"(?m)^\{", text)), maxlen=_MOST_OBJECTS)
    for start in reversed(starts if text.endswith("}") else ()):
        with suppress(ValueError, RecursionError):
            document, end = _DECODER.raw_decode(text, start)
            if isinstance(document, dict) and end == len(text):
                return document
    return None


def _complaint(value: Any, text: str | None) -> str | None:
    if not value:
        return None
    if value is True:
        return text or "the tool reports an error"
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _number(text: str) -> float | None:
    try:
        return amount(float(text))
    except ValueError:
        return None
