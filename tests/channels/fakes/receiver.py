"""A program of a user that receives webhooks, written from the documentation and not from the adapter."""

from __future__ import annotations

import hashlib
import hmac
from typing import Any

from tests.channels.fakes.secrets import WEBHOOK_SECRET
from tests.channels.fakes.server import FakeServer, Reply, Seen


class FakeReceiver(FakeServer):
    """Takes each message once, however often it comes."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.taken: dict[str, dict[str, Any]] = {}

    async def respond(self, seen: Seen) -> Reply:
        signed = seen.headers["x-duly-timestamp"].encode() + b"." + seen.body
        expected = "v1=" + hmac.new(WEBHOOK_SECRET.encode(), signed, hashlib.sha256).hexdigest()
        if not hmac.compare_digest(expected, seen.headers["x-duly-signature"]):
            return Reply(401, {"error": "bad signature"})
        self.taken.setdefault(seen.headers["idempotency-key"], seen.json)
        return Reply(200, {"id": f"mine-{len(self.taken)}"})
