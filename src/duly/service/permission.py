"""Whether a schedule may still run: what its creator's token allows is looked at again each time."""

from __future__ import annotations

from duly.errors import AccessDeniedError
from duly.model.ids import TOKEN
from duly.ports.codec import decode_action
from duly.ports.records import Claimed
from duly.ports.store import FullStore
from duly.service.access import Scope, check_action


class Permission:
    """Asked before every run; schedules of the machine's own people and files need nobody's leave."""

    def __init__(self, store: FullStore) -> None:
        self._store = store

    async def refusal(self, run: Claimed) -> str | None:
        """Why a run must not be carried out; None when it may."""
        row = await self._store.get(run.schedule_id)
        if row is None or row.created_by is None or not row.created_by.startswith(TOKEN):
            return None
        token = await self._store.tokens.get(row.created_by)
        if token is None or token.revoked_at is not None:
            return (
                f"cannot run {run.name}: the token that made it ({row.created_by}) was revoked; "
                f"make it again with one that is not, or remove it"
            )
        try:
            check_action(Scope.parse(token.scope), decode_action(run.action), "run")
        except AccessDeniedError as error:
            return str(error)
        return None
