"""The output of a tool: kept within bounds, and read for the answer, the session, the cost and errors."""

from __future__ import annotations

import json
import re
from collections import deque
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from duly.agents.assignment import amount
from duly.agents.profile import READ_PATHS, Parse, SpawnerProfile
from duly.agents.selectors import add_up
from duly.model.sessions import is_session
from duly.outbound.masking import load_masked, with_quoted_numbers

_LONGEST_LINE = 4 * 1024 * 1024
_MOST_OBJECTS = 100  # places at the end of an output at which its JSON object may begin
_DECODER = json.JSONDecoder()


class Capture:
    """Takes any amount of bytes, and keeps the first and the last half of `cap`."""

    def __init__(self, cap: int) -> None:
        self._half = max(cap // 2, 1)
        self._head = bytearray()
        self._tail: deque[bytes] = deque()
        self._tail_size = 0
        self.total = 0

    def feed(self, data: bytes) -> None:
        self.total += len(data)
        room = self._half - len(self._head)
        if room > 0:
            self._head += data[:room]
            data = data[room:]
        if data:
            self._tail.append(data[-self._half :])
            self._tail_size += len(self._tail[-1])
            # Whole pieces are dropped while the rest is long enough: cutting pieces would copy the tail each time.
            while self._tail_size - len(self._tail[0]) >= self._half:
                self._tail_size -= len(self._tail.popleft())

    @property
    def left_out(self) -> int:
        """How many bytes were dropped between head and tail."""
        return self.total - len(self._head) - min(self._tail_size, self._half)

    @property
    def tail(self) -> str:
        """The end of the output; all of it when nothing was dropped."""
        rest = b"".join(self._tail)[-self._half :]
        return (rest if self.left_out else bytes(self._head) + rest).decode("utf-8", "replace")

    @property
    def text(self) -> str:
        """The whole output, or head and tail with the number of bytes between them."""
        if not self.left_out:
            return self.tail
        head = bytes(self._head).decode("utf-8", "replace")
        return f"{head}\n[… {self.left_out} bytes left out …]\n{self.tail}"


def shorten(text: str, limit: int) -> str:
    """Return a text of at most about `limit` characters: the beginning and the end of a longer one."""
    if len(text) <= limit:
        return text
    mark = f"\n[… {len(text) - limit} characters left out …]\n"
    half = max((limit - len(mark)) // 2, 1)
    return text[:half] + mark + text[-half:]


@dataclass(frozen=True, slots=True, kw_only=True)
class ParsedOutput:
    """What was read from an output."""

    text: str | None = None
    session_id: str | None = None
    cost_usd: float | None = None
    usage: Any = None
    error: str | None = None
    limit: Any = None
    """The time at which a spent window resets, as the tool tells it."""
    understood: bool = True
    """Whether the output was an answer."""


class _Found:
    """The values found so far, by name: of sessions the first, of costs and usage the sum, of others the last.

    Texts of events with `"delta": true` that follow each other are parts of one text.
    """

    def __init__(self, profile: SpawnerProfile) -> None:
        chosen = {name: profile.selector(name) for name in READ_PATHS} if profile.parse is not Parse.TEXT else {}
        self._selectors = {name: selector for name, selector in chosen.items() if selector is not None}
        self._values: dict[str, Any] = {}
        self._goes_on = False

    def search(self, document: Any) -> None:
        is_part = isinstance(document, dict) and document.get("delta") is True
        for name, selector in self._selectors.items():
            values = selector.find(document)
            if name == "cost":
                values = [cost for cost in map(amount, values) if cost is not None]
            if values and name == "text" and is_part and all(isinstance(each, str) for each in values):
                self._values[name] = "".join([self._values.get(name) or "" if self._goes_on else "", *values])
            elif values:
                self._add(name, values)
        self._goes_on = is_part

    def _add(self, name: str, values: list[Any]) -> None:
        if name == "session":
            self._values.setdefault(name, values[0])
        elif name in ("cost", "usage"):
            before = [self._values[name]] if name in self._values else []
            self._values[name] = add_up(before + values)
        else:
            self._values[name] = values[-1]

    def get(self, name: str) -> Any:
        return self._values.get(name)

    def parsed(self) -> ParsedOutput:
        value = self.get("text")
        text = value if value is None or isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        usage = self.get("usage")
        return ParsedOutput(
            text=text,
            session_id=session_name(self.get("session")),
            cost_usd=self.get("cost"),
            usage=usage,
            error=_complaint(self.get("error"), text),
            limit=self.get("limit"),
            understood=text is not None or usage is not None,
        )


def parse_document(profile: SpawnerProfile, document: Any) -> ParsedOutput:
    """Read one JSON document by the selectors of a profile."""
    found = _Found(profile)
    found.search(document)
    return found.parsed()


class Reader:
    """Reads the standard output of a tool. Streams of events are read while they come, because not all is kept."""

    def __init__(self, profile: SpawnerProfile) -> None:
        self._profile = profile
        self._found = _Found(profile)
        self._line = bytearray()
        self._too_long = False

    @property
    def session_id(self) -> str | None:
        """The session, as soon as the tool has named it."""
        return session_name(self._found.get("session"))

    @property
    def cost_usd(self) -> float | None:
        """The cost that the tool has reported so far."""
        cost: float | None = self._found.get("cost")
        return cost

    def feed(self, data: bytes) -> None:
        if self._profile.parse is not Parse.JSONL:
            return
        *whole, rest = data.split(b"\n")
        for part in whole:
            self._keep(part)
            self._end_line()
        self._keep(rest)

    def parsed(self, stdout: Capture, stderr: Capture) -> ParsedOutput:
        """Return what was read, once the tool has ended."""
        if self._profile.parse is Parse.TEXT:
            return self._parsed_text(stdout)
        if self._profile.parse is Parse.JSONL:
            self._end_line()
            parsed = self._found.parsed()
            # A command of the configuration may print one object at the end instead, on several lines.
            return parsed if parsed.understood or parsed.error is not None else self._document(stdout, stderr) or parsed
        return self._document(stdout, stderr) or self._found.parsed()

    def _document(self, stdout: Capture, stderr: Capture) -> ParsedOutput | None:
        """Read the object at the end; some tools answer on one stream and complain on the other."""
        for stream in (stdout, stderr):
            if (document := last_object(stream.tail)) is not None:
                return parse_document(self._profile, document)
        return None

    def _parsed_text(self, stdout: Capture) -> ParsedOutput:
        text = stdout.text.strip()
        cost = None
        error = None
        if self._profile.cost_path and (found := re.findall(self._profile.cost_path, stdout.tail)):
            cost = _number(found[-1])
        if self._profile.error_path and (complaint := re.search(self._profile.error_path, stdout.tail)):
            error = complaint[min(1, complaint.re.groups)].strip()
        if self._profile.text_path and (answer := re.search(self._profile.text_path, text)):
            text = answer[1].strip()
        return ParsedOutput(text=text, cost_usd=cost, error=error, understood=bool(text))

    def _keep(self, part: bytes) -> None:
        if len(self._line) + len(part) > _LONGEST_LINE:
            self._too_long = True
            self._line.clear()
        elif not self._too_long:
            self._line += part

    def _end_line(self) -> None:
        if not self._too_long and self._line.lstrip().startswith(b"{"):
            with suppress(ValueError, RecursionError):  # a line of text may begin like an event
                self._found.search(load_masked(self._line.decode("utf-8", "surrogatepass")))
        self._line.clear()
        self._too_long = False


def session_name(value: object) -> str | None:
    """Return the id of a session that a tool has named; None if it is not fit for a command line."""
    return value if isinstance(value, str) and is_session(value) else None


def last_object(text: str) -> Any:
    """Return the JSON object that a text is, or ends with: tools print warnings before it."""
    try:
        document = load_masked(text)
    except (ValueError, RecursionError):
        document = None
    if isinstance(document, dict):
        return document
    text = with_quoted_numbers(text.rstrip())
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
