"""Idempotent requests: a request that carries a key is carried out once, and a repetition gets the same answer."""

from __future__ import annotations

import json
import re
from collections.abc import Awaitable, Callable
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from duly.errors import ConflictError, InvalidInputError
from duly.ports.remembered import KeptAnswer
from duly.service.access.scopes import Caller

if TYPE_CHECKING:
    from duly.clock import Clock
    from duly.ports.store import FullStore

KEPT_FOR = timedelta(hours=24)
_UNDER_WAY_FOR = timedelta(minutes=2)
"""A request that has not ended after this time was lost with its process, and may be made again."""
_KEY = re.compile(r"[\x21-\x7e]{1,200}")


class Idempotency:
    """Remembers the answers of requests by the caller's key."""

    def __init__(self, store: FullStore, clock: Clock) -> None:
        self._remembered = store.remembered
        self._clock = clock

    async def remember(self, caller: Caller, key: str, fingerprint: str, make: Callable[[], Awaitable[Any]]) -> Any:
        """Give the result of `make` as JSON would; for a key that was used before, the result of the first request.

        `fingerprint` stands for the request: the same key with another request is refused. While the first request is
        under way a repetition is refused with a `ConflictError`. A request that fails is forgotten.
        """
        if not _KEY.fullmatch(key):
            raise InvalidInputError(f"an idempotency key has 1 to 200 printable characters, got {key!r:.100}")
        now = self._clock.now()
        kept = KeptAnswer(owner=caller.name, key=key, fingerprint=fingerprint, result=None, at=now)
        before = await self._remembered.keep_answer(kept, now - KEPT_FOR)
        if before is not None and before.result is None and now - before.at > _UNDER_WAY_FOR:
            await self._remembered.drop_answer(caller.name, key)
            before = await self._remembered.keep_answer(kept, now - KEPT_FOR)
        if before is not None:
            return _replayed(before, fingerprint)
        try:
            result = json.dumps(await make(), default=str)
        except BaseException:
            await self._remembered.drop_answer(caller.name, key)
            raise
        await self._remembered.complete_answer(
            KeptAnswer(owner=caller.name, key=key, fingerprint=fingerprint, result=result, at=now)
        )
        return json.loads(result)


def _replayed(before: KeptAnswer, fingerprint: str) -> Any:
    if before.fingerprint != fingerprint:
        raise InvalidInputError(f"the idempotency key {before.key!r} was used for another request: choose a new key")
    if before.result is None:
        raise ConflictError(f"the request with the idempotency key {before.key!r} is under way: repeat it in a moment")
    return json.loads(before.result)
