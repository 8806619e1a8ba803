"""The arguments and the output of each fake tool; see `fake_cli`."""

from __future__ import annotations

import argparse
import json
import sys
import uuid
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

COST = 0.0125
"""The cost of every answer, in US dollars."""


class Stop(Exception):  # noqa: N818  not an error of duly
    """Ends the tool, with an exit code and a message on standard error."""

    def __init__(self, code: int, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message


@dataclass(slots=True)
class ToolRequest:
    """The request in the arguments of a tool."""

    prompt: str
    session: str
    """The session of this turn."""
    resumes: str | None = None
    cwd: str | None = None
    budget: float | None = None
    history: str | None = None
    streams: bool = False
    """Whether events are printed while they happen, and not one object at the end."""


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise Stop(2, f"error: {message}\n")


class Tool:
    """The interface of a fake tool."""

    name = ""

    @property
    def sessions(self) -> Path | None:
        """The folder of sessions; None if an argument names their file."""
        return Path.home() / f".fake-{self.name}"

    def parse(self, arguments: list[str]) -> ToolRequest:
        raise AssertionError(arguments)

    def begin(self, request: ToolRequest) -> None:
        """Print the output that comes before the answer."""

    def answer(self, request: ToolRequest, text: str) -> int:
        raise AssertionError((request, text))

    def not_logged_in(self, _request: ToolRequest) -> int:
        raise AssertionError

    def limited(self, request: ToolRequest, reset: str, *, midway: bool) -> int:
        """End because the usage window is spent; `reset` tells until when, in the way of the tool, or is empty."""
        raise AssertionError((request, reset, midway))

    def unknown_session(self, request: ToolRequest) -> NoReturn:
        raise AssertionError(request)

    def parser(self) -> argparse.ArgumentParser:
        """Make a parser that refuses unknown arguments."""
        return _Parser(prog=self.name, allow_abbrev=False)


def print_json(value: Any, *, indent: int | None = None, error: bool = False) -> None:
    """Print a value as JSON, at once."""
    stream = sys.stderr if error else sys.stdout
    stream.write(json.dumps(value, ensure_ascii=False, indent=indent) + "\n")
    stream.flush()


class Claude(Tool):
    name = "claude"

    def parse(self, arguments: list[str]) -> ToolRequest:
        parser = self.parser()
        parser.add_argument("-p", "--print", action="store_true", required=True)
        parser.add_argument("--output-format", choices=["text", "json", "stream-json"], default="text")
        parser.add_argument("--verbose", action="store_true")
        parser.add_argument("--permission-mode", choices=["dontAsk", "acceptEdits", "bypassPermissions", "plan"])
        parser.add_argument("--session-id", type=uuid.UUID)
        parser.add_argument("--resume", type=uuid.UUID)
        parser.add_argument("--fork-session", action="store_true")
        parser.add_argument("--model")
        parser.add_argument("--max-budget-usd", type=float)
        parser.add_argument("prompt", nargs="?")
        given = parser.parse_args(arguments)
        if given.resume and given.session_id and not given.fork_session:
            raise Stop(1, "Error: --session-id cannot be used with --continue or --resume.\n")
        if given.output_format == "text":
            raise Stop(2, "only json and stream-json are spoken here\n")
        streams = given.output_format == "stream-json"
        if streams and not given.verbose:
            raise Stop(1, "Error: When using --print, --output-format=stream-json requires --verbose\n")
        fresh = str(given.session_id or uuid.uuid4())
        resumes = str(given.resume) if given.resume else None
        session = fresh if resumes is None or given.fork_session else resumes
        prompt = given.prompt or sys.stdin.read()
        budget = given.max_budget_usd
        return ToolRequest(prompt=prompt, session=session, resumes=resumes, budget=budget, streams=streams)

    def begin(self, request: ToolRequest) -> None:
        self._event(request, "system", subtype="init", model="claude-fake-1", tools=["Bash"], permissionMode="default")

    def answer(self, request: ToolRequest, text: str) -> int:
        self.begin(request)
        command = {"type": "tool_use", "id": "toolu_1", "name": "Bash", "input": {"command": "git status --short"}}
        result = {"type": "tool_result", "tool_use_id": "toolu_1", "content": "", "is_error": False}
        self._event(request, "assistant", message={"role": "assistant", "content": [command]})
        self._event(request, "user", message={"role": "user", "content": [result]})
        if request.budget is not None and request.budget < COST:
            errors = [f"Reached maximum budget (${request.budget})"]
            self._result(request, COST, subtype="error_max_budget_usd", is_error=True, errors=errors)
            return 1
        self._event(request, "assistant", message={"role": "assistant", "content": [{"type": "text", "text": text}]})
        self._result(request, COST, subtype="success", is_error=False, result=text)
        return 0

    def not_logged_in(self, request: ToolRequest) -> int:
        # The real tool reports a success here.
        self._result(request, 0, subtype="success", is_error=True, result="Not logged in · Please run /login")
        return 1

    def limited(self, request: ToolRequest, reset: str, *, midway: bool) -> int:
        self.begin(request)
        if midway:
            words = [{"type": "text", "text": "Let me see."}]
            self._event(request, "assistant", message={"role": "assistant", "content": words})
        said = "You've hit your session limit"
        if reset.isdigit():
            info = {"status": "rejected", "resetsAt": int(reset), "rateLimitType": "five_hour", "isUsingOverage": False}
            self._event(request, "rate_limit_event", rate_limit_info=info)
        elif reset:
            said += f" · resets {reset}"
        self._event(request, "assistant", message={"role": "assistant", "content": [{"type": "text", "text": said}]})
        self._result(
            request, COST if midway else 0, subtype="success", is_error=True, api_error_status=429, result=said
        )
        return 1

    def unknown_session(self, request: ToolRequest) -> NoReturn:
        raise Stop(1, f"No conversation found with session ID: {request.resumes}\n")

    def _event(self, request: ToolRequest, kind: str, **more: Any) -> None:
        if request.streams:
            print_json({"type": kind, "session_id": request.session, "uuid": str(uuid.uuid4()), **more})

    def _result(self, request: ToolRequest, cost: float, **more: Any) -> None:
        tokens = {"input_tokens": 12, "cache_read_input_tokens": 3400, "output_tokens": 56}
        print_json(
            {
                "type": "result",
                "duration_ms": 1200,
                "duration_api_ms": 1100,
                "num_turns": 1,
                "stop_reason": "end_turn",
                "session_id": request.session,
                "total_cost_usd": cost,
                "usage": tokens if cost else dict.fromkeys(tokens, 0),
                "permission_denials": [],
                "uuid": str(uuid.uuid4()),
                **more,
            }
        )


class Codex(Tool):
    name = "codex"

    def parse(self, arguments: list[str]) -> ToolRequest:
        parser = self.parser()
        parser.add_argument("exec", choices=["exec"])
        parser.add_argument("--json", action="store_true", required=True)
        parser.add_argument("--skip-git-repo-check", action="store_true")
        parser.add_argument("-C", "--cd", dest="cwd")
        parser.add_argument("-s", "--sandbox", choices=["read-only", "workspace-write", "danger-full-access"])
        parser.add_argument("-m", "--model")
        parser.add_argument("words", nargs="+")
        given = parser.parse_args(arguments)
        words = given.words
        resumes = None
        session = str(uuid.uuid4())
        if words[0] in ("resume", "fork"):
            resumes = words[1]
            session = resumes if words[0] == "resume" else session
            words = words[2:]
        if len(words) != 1:
            raise Stop(2, f"error: unexpected arguments {words}\n")
        prompt = sys.stdin.read() if words[0] == "-" else words[0]
        return ToolRequest(prompt=prompt, session=session, resumes=resumes, cwd=given.cwd)

    def answer(self, request: ToolRequest, text: str) -> int:
        self.begin(request)
        warning = "Model metadata for `fake` not found."
        print_json({"type": "item.completed", "item": {"id": "item_2", "type": "error", "message": warning}})
        print_json({"type": "error", "message": "Reconnecting... 1/5"})  # the real tool restores the connection
        print_json({"type": "item.completed", "item": {"id": "item_0", "type": "reasoning", "text": "**Thinking**"}})
        print_json({"type": "item.completed", "item": {"id": "item_1", "type": "agent_message", "text": text}})
        usage = {"input_tokens": 900, "cached_input_tokens": 100, "output_tokens": 40}
        print_json({"type": "turn.completed", "usage": usage})
        return 0

    def not_logged_in(self, request: ToolRequest) -> int:
        self.begin(request)
        message = "unexpected status 401 Unauthorized: Missing bearer or basic authentication in header"
        print_json({"type": "error", "message": message})
        print_json({"type": "turn.failed", "error": {"message": message}})
        return 1

    def limited(self, request: ToolRequest, reset: str, *, midway: bool) -> int:
        self.begin(request)
        if midway:
            print_json(
                {"type": "item.completed", "item": {"id": "item_1", "type": "agent_message", "text": "Let me see."}}
            )
        more = (
            f"Upgrade to Pro (https://chatgpt.com/explore/pro) or try again {reset}." if reset else "Try again later."
        )
        message = f"You've hit your usage limit. {more}"
        print_json({"type": "error", "message": message})
        print_json({"type": "turn.failed", "error": {"message": message}})
        return 1

    def unknown_session(self, request: ToolRequest) -> NoReturn:
        words = f"no rollout found for thread id {request.resumes} (code -32600)"
        raise Stop(1, f"Error: thread/resume: thread/resume failed: {words}\n")

    def begin(self, request: ToolRequest) -> None:
        print_json({"type": "thread.started", "thread_id": request.session})
        print_json({"type": "turn.started"})


class Gemini(Tool):
    name = "gemini"

    def parse(self, arguments: list[str]) -> ToolRequest:
        parser = self.parser()
        parser.add_argument("-p", "--prompt", default="")
        parser.add_argument("-o", "--output-format", choices=["text", "json", "stream-json"], default="text")
        parser.add_argument("--session-id", type=uuid.UUID)
        parser.add_argument("-r", "--resume")
        parser.add_argument("--skip-trust", action="store_true")
        parser.add_argument("--approval-mode", choices=["default", "auto_edit", "yolo", "plan"])
        parser.add_argument("-m", "--model")
        given = parser.parse_args(arguments)
        session = given.resume or str(given.session_id or uuid.uuid4())
        prompt = "\n\n".join(filter(None, (sys.stdin.read(), given.prompt)))
        streams = given.output_format == "stream-json"
        return ToolRequest(prompt=prompt, session=session, resumes=given.resume, streams=streams)

    def begin(self, request: ToolRequest) -> None:
        if request.streams:
            print_json({"type": "init", "timestamp": "", "session_id": request.session, "model": "gemini-3-pro"})

    def _stream(self, request: ToolRequest, text: str) -> int:
        self.begin(request)
        said = {"type": "message", "timestamp": "", "role": "assistant", "delta": True}
        shell = {"tool_name": "run_shell_command", "tool_id": "1", "parameters": {"command": "ls"}}
        print_json({"type": "message", "timestamp": "", "role": "user", "content": request.prompt})
        print_json({**said, "content": "Let me see."})
        print_json({"type": "tool_use", "timestamp": "", **shell})
        print_json({"type": "tool_result", "timestamp": "", "tool_id": "1", "status": "success", "output": ""})
        half = len(text) // 2
        for part in (text[:half], text[half:]):
            print_json({**said, "content": part})
        stats = {"total_tokens": 80, "input_tokens": 48, "output_tokens": 18, "duration_ms": 800, "tool_calls": 1}
        print_json({"type": "result", "timestamp": "", "status": "success", "stats": stats})
        return 0

    def answer(self, request: ToolRequest, text: str) -> int:
        if request.streams:
            return self._stream(request, text)
        tokens = {"input": 20, "prompt": 24, "candidates": 9, "total": 40, "cached": 4, "thoughts": 7, "tool": 0}
        api = {"totalRequests": 1, "totalErrors": 0, "totalLatencyMs": 800}
        models = {"gemini-3-pro": {"api": api, "tokens": tokens}, "gemini-3-flash": {"api": api, "tokens": tokens}}
        stats = {"models": models, "tools": {"totalCalls": 0}, "files": {"totalLinesAdded": 0}}
        sys.stdout.write("Loaded cached credentials.\n")
        print_json({"session_id": request.session, "response": text, "stats": stats}, indent=2)
        return 0

    def not_logged_in(self, request: ToolRequest) -> int:
        error = {"type": "Error", "message": "Please set an Auth method in your settings.json", "code": 41}
        if request.streams:
            self.begin(request)
            print_json({"type": "result", "timestamp": "", "status": "error", "error": error})
            return 41
        print_json({"session_id": request.session, "error": error}, indent=2, error=True)
        return 41

    def limited(self, request: ToolRequest, reset: str, *, midway: bool) -> int:
        said = "Resource has been exhausted (e.g. check quota)."
        if reset:
            said = f"You have exhausted your capacity on this model. Your quota will reset after {reset}."
        error = {"type": "Error", "message": f"[API Error: {said}]"}
        self.begin(request)
        if midway:
            print_json(
                {"type": "message", "timestamp": "", "role": "assistant", "delta": True, "content": "Let me see."}
            )
        sys.stderr.write(f"Attempt 1 failed: {said} Retrying after 5710ms...\n")
        print_json({"type": "result", "timestamp": "", "status": "error", "error": error})
        return 1

    def unknown_session(self, request: ToolRequest) -> NoReturn:
        words = f'Error resuming session: Invalid session identifier "{request.resumes}".'
        raise Stop(42, f"{words}\n  Use --list-sessions to see available sessions.\n")
