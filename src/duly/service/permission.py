"""Whether a run may begin: what the tokens behind its schedule allow is looked at again each time.

A store hands out a run together with those tokens, read in the transaction of the claim, so this needs no look-up.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from duly.errors import AccessDeniedError, InvalidInputError
from duly.ports.codec import decode_action
from duly.ports.records import Claimed
from duly.ports.tokens import TokenRecord
from duly.service.access import Scope, check_action


def refusal(run: Claimed, tokens: Mapping[str, TokenRecord], now: datetime) -> str | None:
    """Why a run must not be carried out; None when it may.

    The rights of the token that made its schedule count, and of the one that last changed what it runs. Schedules of
    the machine's own people and files have no token, and are not asked about.
    """
    for token_id in run.token_ids:
        did = "made it" if token_id == run.created_by else "last changed what it runs"
        why = _refused(run, tokens.get(token_id), now)
        if why is not None:
            return f"cannot run {run.name}: the token that {did} ({token_id}) {why}"
    return None


def _refused(run: Claimed, token: TokenRecord | None, now: datetime) -> str | None:  # noqa: ARG001  tokens will expire
    """Why a token does not allow a run."""
    if token is None or token.revoked_at is not None:
        return "was revoked; save the schedule again with a token that is not, or remove it"
    try:
        check_action(Scope.parse(token.scope), decode_action(run.action), "run")
    except (AccessDeniedError, InvalidInputError) as error:
        return f"does not allow it: {error}"
    return None
