"""Slack's Web API, and the requests it makes."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import urlencode

from tests.channels.fakes.secrets import SLACK_APP_TOKEN, SLACK_TOKEN
from tests.channels.fakes.server import FakeServer, Reply, Seen

TOO_MANY = Reply(429, {"ok": False, "error": "ratelimited"}, {"Retry-After": "30"})


def refused(error: str, **more: Any) -> Reply:
    return Reply(200, {"ok": False, "error": error, **more})


class FakeSlack(FakeServer):
    """A workspace with two channels, and a person whose direct messages land in `D1`."""

    def __init__(self) -> None:
        super().__init__()
        self.channels = {"C1": "C1", "D1": "D1", "U7": "D1"}
        self.messages: dict[tuple[str, str], dict[str, Any]] = {}
        self.responses: list[dict[str, Any]] = []
        self.socket_url = ""
        """Where Socket Mode leads."""

    def press(self, channel: str, ts: str, value: str) -> bytes:
        """Make the body of the request of a pressed button."""
        payload = {
            "type": "block_actions",
            "user": {"id": "U7", "username": "ann", "team_id": "T1"},
            "api_app_id": "A1",
            "container": {"type": "message", "message_ts": ts, "channel_id": channel, "is_ephemeral": False},
            "trigger_id": "12.34.56",
            "team": {"id": "T1", "domain": "test"},
            "channel": {"id": channel, "name": "directmessage"},
            "message": self.messages[channel, ts],
            "response_url": f"{self.url}/actions/T1/1/secret",
            "actions": [{"type": "button", "action_id": "duly_done", "value": value, "action_ts": "1770000000.5"}],
        }
        return urlencode({"payload": json.dumps(payload)}).encode()

    async def respond(self, seen: Seen) -> Reply:
        if seen.path.startswith("/actions/"):
            self.responses.append(seen.json)
            return Reply(200, "ok")
        method = seen.path.removeprefix("/api/")
        if method == "apps.connections.open":
            is_app = seen.headers.get("authorization") == f"Bearer {SLACK_APP_TOKEN}"
            return Reply(200, {"ok": True, "url": self.socket_url}) if is_app else refused("not_allowed_token_type")
        if seen.headers.get("authorization") != f"Bearer {SLACK_TOKEN}":
            return refused("invalid_auth")
        fields = seen.fields
        if method == "auth.test":
            return Reply(200, {"ok": True, "user": "duly", "team": "Test", "user_id": "U1", "team_id": "T1"})
        if method == "chat.postMessage":
            return self._post(fields)
        if method == "chat.update":
            return self._update(fields)
        return refused("unknown_method")

    def _post(self, fields: dict[str, Any]) -> Reply:
        channel = self.channels.get(fields["channel"])
        if channel is None:
            return refused("channel_not_found")
        ts = f"1770000000.{len(self.messages):06d}"
        message = {"type": "message", "bot_id": "B1", "user": "U1", "text": fields["text"], "ts": ts}
        message["blocks"] = fields.get("blocks", [])
        self.messages[channel, ts] = message
        return Reply(200, {"ok": True, "channel": channel, "ts": ts, "message": message})

    def _update(self, fields: dict[str, Any]) -> Reply:
        message = self.messages.get((fields["channel"], fields["ts"]))
        if message is None:
            return refused("message_not_found")
        message.update(text=fields["text"], blocks=fields.get("blocks", []))
        return Reply(200, {"ok": True, "channel": fields["channel"], "ts": fields["ts"], "text": fields["text"]})
