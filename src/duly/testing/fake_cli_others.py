"""The fake opencode and aider; see `fake_cli`."""

from __future__ import annotations

import sys
import uuid
from pathlib import Path
from typing import Any, NoReturn

from duly.testing.fake_cli_tools import COST, Stop, Tool, ToolRequest, print_json


class Opencode(Tool):
    name = "opencode"

    def parse(self, arguments: list[str]) -> ToolRequest:
        parser = self.parser()
        parser.add_argument("run", choices=["run"])
        parser.add_argument("--format", choices=["default", "json"], default="default")
        parser.add_argument("--dir")
        parser.add_argument("--title")
        parser.add_argument("-s", "--session")
        parser.add_argument("--fork", action="store_true")
        parser.add_argument("--auto", action="store_true")
        parser.add_argument("-m", "--model")
        parser.add_argument("message", nargs="*")
        given = parser.parse_args(arguments)
        fresh = f"ses_{uuid.uuid4().hex[:26]}"
        session = fresh if given.session is None or given.fork else given.session
        prompt = " ".join(given.message) or sys.stdin.read()
        return ToolRequest(prompt=prompt, session=session, resumes=given.session, cwd=given.dir)

    def answer(self, request: ToolRequest, text: str) -> int:
        tokens = {"total": 30, "input": 20, "output": 8, "reasoning": 2, "cache": {"read": 5, "write": 1}}
        for words, reason in (("Let me see.", "tool-calls"), (text, "stop")):
            self._event(request, "step_start", {"type": "step-start", "snapshot": "abc"})
            self._event(request, "text", {"type": "text", "text": words})
            finish = {"type": "step-finish", "reason": reason, "cost": COST / 2, "tokens": tokens}
            self._event(request, "step_finish", finish)
        return 0

    def not_logged_in(self, request: ToolRequest) -> int:
        data = {"providerID": "anthropic", "message": "API key is missing"}
        event = {"type": "error", "timestamp": 1, "sessionID": request.session}
        print_json({**event, "error": {"name": "ProviderAuthError", "data": data}})
        return 1

    def limited(self, request: ToolRequest, reset: str, *, midway: bool) -> int:
        if midway:
            self._event(request, "text", {"type": "text", "text": "Let me see."})
        headers = {"retry-after": reset} if reset else {}
        data = {"message": "Too Many Requests", "statusCode": 429, "isRetryable": True, "responseHeaders": headers}
        print_json(
            {"type": "error", "timestamp": 1, "sessionID": request.session, "error": {"name": "APIError", "data": data}}
        )
        return 1

    def unknown_session(self, request: ToolRequest) -> NoReturn:
        # The real tool complains on standard error and exits with 0.
        raise Stop(
            0, f'NotFoundError: NotFoundError\n data: {{\n  message: "Session not found: {request.resumes}",\n}},\n'
        )

    def _event(self, request: ToolRequest, kind: str, part: dict[str, Any]) -> None:
        print_json({"type": kind, "timestamp": 1, "sessionID": request.session, "part": part})


class Aider(Tool):
    name = "aider"

    @property
    def sessions(self) -> Path | None:
        return None

    def parse(self, arguments: list[str]) -> ToolRequest:
        parser = self.parser()
        group = parser.add_mutually_exclusive_group(required=True)
        group.add_argument("--message")
        group.add_argument("--message-file", type=Path)
        parser.add_argument("--yes-always", action="store_true")
        parser.add_argument("--no-stream", action="store_true")
        parser.add_argument("--no-pretty", action="store_true")
        parser.add_argument("--chat-history-file", default=".aider.chat.history.md")
        parser.add_argument("--restore-chat-history", action="store_true")
        parser.add_argument("--model")
        given = parser.parse_args(arguments)
        prompt = given.message or given.message_file.read_text(encoding="utf-8")
        return ToolRequest(prompt, "", history=given.chat_history_file)

    def answer(self, request: ToolRequest, text: str) -> int:
        history = Path(request.history or "")
        turns = history.read_text(encoding="utf-8").count("\n#### ") if history.exists() else 0
        with history.open("a", encoding="utf-8") as file:
            file.write(f"\n# aider chat started\n\n#### {request.prompt}\n\n{text}\n")
        said = text.replace("turn 1", f"turn {turns + 1}")
        sys.stdout.write("Aider v0.86.2\nModel: fake with whole edit format\nGit repo: none\nRepo-map: disabled\n")
        sys.stdout.write("Restored previous conversation history.\n" if turns else "")
        sys.stdout.write(f"\n{said}\n\n")
        sys.stdout.write(f"Tokens: 1.2k sent, 34 received. Cost: ${COST} message, ${COST} session.\n")
        return 0

    def not_logged_in(self, _request: ToolRequest) -> int:
        sys.stdout.write("Aider v0.86.2\n\nlitellm.AuthenticationError: AnthropicException - invalid x-api-key\n")
        sys.stdout.write("The API provider is not able to authenticate you. Check your API key.\n")
        return 0  # as the real tool does

    def limited(self, request: ToolRequest, reset: str, *, midway: bool) -> int:
        del midway
        Path(request.history or "").touch()
        words = f" Please try again in {reset}." if reset else ""
        sys.stdout.write(f"Aider v0.86.2\n\nlitellm.RateLimitError: Rate limit reached for the model.{words}\n")
        return 0
