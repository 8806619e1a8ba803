"""What a tool prints, as lines for people: the words of the agent, the commands it runs, and warnings.

Events are recognized by their shape, so that a profile of the configuration that reads the events of a known tool is
shown as well as the preset of that tool.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from duly.agents.profile import Parse
from duly.outbound.masking import Mask, load_masked
from duly.ports.run_history import LineKind

Said = tuple[LineKind, str]
_LONGEST_LINE = 1024 * 1024
"""Bytes of a line that is read as an event; of a longer one only the beginning is shown."""
_SHOWN = 4000
_CONTROLS = re.compile(r"\x1b\[[0-9;?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|[\x00-\x08\x0b-\x1f\x7f-\x9f]")
_WARNING = re.compile(r"\s*(?:warn(?:ing)?|error|fatal)\b", re.IGNORECASE)
_COMMAND_KEYS = ("command", "cmd", "file_path", "filePath", "path", "pattern", "query", "url", "description", "prompt")
"""The arguments of a tool that say best what it does, the best first."""
_SILENT = frozenset(
    {"turn.started", "turn.completed", "item.updated", "step_start", "step_finish", "stream_event", "rate_limit_event"}
)


class Transcript:
    """Reads the output of one tool while it comes."""

    def __init__(self, parse: Parse, secrets: Mask | None = None) -> None:
        """Read this kind of output; `secrets` may stand in a text that comes in several events."""
        self._parse = parse
        self._masked = (secrets or Mask()).stream()
        self._line = bytearray()
        self._is_cut = False
        self._partial = ""
        self.model: str | None = None
        """The model that the tool has named."""

    def feed(self, data: bytes) -> list[Said]:
        """Return the lines that are complete with this data. One object at the end is no line for people."""
        if self._parse is Parse.JSON:
            return []
        found: list[Said] = []
        *whole, rest = data.split(b"\n")
        for part in whole:
            self._keep(part)
            found += self._end_line()
        self._keep(rest)
        return found

    def end(self) -> list[Said]:
        """Return what is left when the tool has ended."""
        return [*self._end_line(), *self._whole_partial()]

    def _keep(self, part: bytes) -> None:
        room = _LONGEST_LINE - len(self._line)
        self._is_cut |= len(part) > room
        self._line += part[: max(room, 0)]

    def _end_line(self) -> list[Said]:
        text = self._line.decode("utf-8", "replace").rstrip("\r")
        is_event = self._parse is Parse.JSONL and not self._is_cut and text.lstrip().startswith("{")
        self._line.clear()
        self._is_cut = False
        if is_event:
            try:
                event = load_masked(text)
            except (ValueError, RecursionError):
                event = None
            if isinstance(event, dict):
                return self._of_event(event)
        return [*self._whole_partial(), *_texts(text)] if text.strip() else []

    def _of_event(self, event: dict[str, Any]) -> list[Said]:
        kind = event.get("type")
        if kind in ("system", "init") and isinstance(event.get("model"), str):
            self.model = _clean(event["model"])
        if kind == "message" and event.get("delta") is True and event.get("role") == "assistant":
            content = self._masked.feed_text(_text(event.get("content")))
            *whole, self._partial = f"{self._partial}{content}".split("\n")
            return [each for line in whole for each in _texts(line)]
        return [*self._whole_partial(), *readable(event)]

    def _whole_partial(self) -> list[Said]:
        text = self._partial + self._masked.end_text()
        self._partial = ""
        return list(_texts(text))


def as_complaints(lines: Iterable[Said]) -> list[Said]:
    """Show what a tool prints on standard error: what looks like a warning as one, the rest as notes."""
    return [(LineKind.WARNING if _WARNING.match(line) else LineKind.NOTE, line) for _, line in lines]


def as_lines(text: str, kind: LineKind = LineKind.TEXT) -> list[Said]:
    """Split a text into lines for people."""
    return list(_texts(text, kind))


def readable(event: Mapping[str, Any]) -> list[Said]:
    """Turn an event of a known tool into lines; an event of an unknown kind is shown as it is."""
    kind = event.get("type")
    teller = _TELLERS.get(kind) if isinstance(kind, str) else None
    if teller is not None:
        return list(teller(event))
    return [] if kind in _SILENT else [(LineKind.NOTE, cut(json.dumps(event, ensure_ascii=False)))]


def cut(text: str) -> str:
    """Return a single line that is not too long to be shown."""
    text = _clean(text).replace("\n", " ")
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}… ({len(text) - _SHOWN} characters more)"


def _clean(text: str) -> str:
    """Leave colours and control characters out, and what no database can store."""
    return _CONTROLS.sub("", text).encode("utf-8", "replace").decode()


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _texts(text: object, kind: LineKind = LineKind.TEXT) -> Iterator[Said]:
    """Split a text into lines; a line of text that begins with a warning is one."""
    for line in re.split(r"\r?\n|\u2028|\u2029", _text(text).strip("\n")):
        if shown := cut(line).rstrip():
            is_warning = kind is LineKind.TEXT and shown.lower().startswith("warning:")
            yield LineKind.WARNING if is_warning else kind, shown


def _command(name: object, arguments: object) -> Iterator[Said]:
    """Show what an agent does: the command of a shell, or a tool with the argument that says most."""
    given = arguments if isinstance(arguments, Mapping) else {}
    key = next((each for each in _COMMAND_KEYS if isinstance(given.get(each), str)), None)
    tool = _text(name) or "tool"
    if key in ("command", "cmd"):
        yield LineKind.COMMAND, cut(given[key])
    else:
        yield LineKind.COMMAND, cut(tool if key is None else f"{tool} {given[key]}")


def _system(event: Mapping[str, Any]) -> Iterator[Said]:
    if event.get("subtype") in (None, "init"):
        named = (("model", ""), ("session_id", "session "))
        facts = [f"{word}{event[name]}" for name, word in named if isinstance(event.get(name), str)]
        yield LineKind.NOTE, cut(" · ".join(facts) or "started")


def _blocks(event: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    message = event.get("message")
    content = message.get("content") if isinstance(message, Mapping) else None
    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    return [each for each in content if isinstance(each, Mapping)] if isinstance(content, list) else []


def _assistant(event: Mapping[str, Any]) -> Iterator[Said]:
    for block in _blocks(event):
        if block.get("type") == "text":
            yield from _texts(block.get("text"))
        elif block.get("type") == "tool_use":
            yield from _command(block.get("name"), block.get("input"))


def _tool_answers(event: Mapping[str, Any]) -> Iterator[Said]:
    for block in _blocks(event):
        if block.get("type") == "tool_result" and block.get("is_error") is True:
            content = block.get("content")
            parts = content if isinstance(content, list) else [{"text": content}]
            for part in parts:
                yield from _texts(part.get("text") if isinstance(part, Mapping) else None, LineKind.WARNING)


def _item_started(event: Mapping[str, Any]) -> Iterator[Said]:
    item = event.get("item")
    if isinstance(item, Mapping):
        kind = item.get("type")
        if kind == "command_execution":
            yield LineKind.COMMAND, cut(_text(item.get("command")))
        elif kind == "mcp_tool_call":
            yield LineKind.COMMAND, cut(f"{item.get('server')} {item.get('tool')}")
        elif kind == "web_search":
            yield LineKind.COMMAND, cut(f"search {_text(item.get('query'))}")


def _item_completed(event: Mapping[str, Any]) -> Iterator[Said]:
    item = event.get("item")
    if not isinstance(item, Mapping):
        return
    kind = item.get("type")
    if kind == "agent_message":
        yield from _texts(item.get("text"))
    elif kind == "reasoning":
        yield from _texts(item.get("text"), LineKind.NOTE)
    elif kind == "error":
        yield from _texts(item.get("message"), LineKind.WARNING)
    elif kind == "command_execution" and item.get("exit_code") not in (None, 0):
        yield LineKind.WARNING, f"exit code {item['exit_code']}"
    elif kind == "file_change":
        changes = item.get("changes")
        for change in changes if isinstance(changes, list) else []:
            if isinstance(change, Mapping):
                yield LineKind.COMMAND, cut(f"{change.get('kind', 'edit')} {_text(change.get('path'))}")


def _tool_use(event: Mapping[str, Any]) -> Iterator[Said]:
    part = event.get("part")
    if isinstance(part, Mapping):
        state = part.get("state")
        done = state if isinstance(state, Mapping) else {}
        yield from _command(part.get("tool"), done.get("input"))
        yield from _texts(done.get("error"), LineKind.WARNING)
    else:
        yield from _command(event.get("tool_name"), event.get("parameters"))


def _tool_result(event: Mapping[str, Any]) -> Iterator[Said]:
    if event.get("status") == "error":
        error = event.get("error")
        words = error.get("message") if isinstance(error, Mapping) else event.get("output")
        yield from _texts(words, LineKind.WARNING)


def _part_text(event: Mapping[str, Any]) -> Iterator[Said]:
    part = event.get("part")
    yield from _texts(part.get("text") if isinstance(part, Mapping) else event.get("text"))


def _reasoning(event: Mapping[str, Any]) -> Iterator[Said]:
    for _, line in _part_text(event):
        yield LineKind.NOTE, line


def _message(event: Mapping[str, Any]) -> Iterator[Said]:
    if event.get("role") == "assistant":
        yield from _texts(event.get("content"))


def _error(event: Mapping[str, Any]) -> Iterator[Said]:
    error = event.get("error")
    data = error.get("data") if isinstance(error, Mapping) else None
    places = (data, error, event)
    words = next((each["message"] for each in places if isinstance(each, Mapping) and "message" in each), error)
    yield from _texts(words if isinstance(words, str) else json.dumps(words), LineKind.WARNING)


def _failed(event: Mapping[str, Any]) -> Iterator[Said]:
    for _, line in _error(event):
        yield LineKind.ERROR, line


def _result(event: Mapping[str, Any]) -> Iterator[Said]:
    """Show the end of claude and gemini; the answer was shown before, but for a failure without one."""
    errors = event.get("errors")
    for each in errors if isinstance(errors, list) else []:
        yield from _texts(each, LineKind.ERROR)
    if event.get("is_error") is True and not errors:
        yield from _texts(event.get("result"), LineKind.ERROR)
    elif event.get("status") == "error":
        yield from _failed(event)


_TELLERS: dict[str, Callable[[Mapping[str, Any]], Iterator[Said]]] = {
    "system": _system,
    "init": _system,
    "assistant": _assistant,
    "user": _tool_answers,
    "result": _result,
    "thread.started": lambda event: iter([(LineKind.NOTE, cut(f"session {event.get('thread_id')}"))]),
    "item.started": _item_started,
    "item.completed": _item_completed,
    "turn.failed": _failed,
    "error": _error,
    "message": _message,
    "tool_use": _tool_use,
    "tool_result": _tool_result,
    "text": _part_text,
    "reasoning": _reasoning,
}
