"""Whether a run may begin: what the tokens behind its schedule allow is looked at again each time.

A store hands out a run together with those tokens, read in the transaction of the claim, so this needs no look-up.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from duly.errors import InvalidInputError
from duly.ports.codec import decode_action
from duly.ports.records import Claimed
from duly.ports.tokens import TokenRecord
from duly.service.access import rights
from duly.service.access.grants import UNCONFIGURED, Configured


def refusal(
    run: Claimed, tokens: Mapping[str, TokenRecord], now: datetime, configured: Configured = UNCONFIGURED
) -> str | None:
    """Why a run must not be carried out; None when it may.

    The rights of the token that made its schedule count, and of the one that last changed what it runs. Schedules of
    the machine's own people and files have no token, and are not asked about.
    """
    who = list(rights.answerable(run.created_by, run.changed_by))
    if not who:
        return None
    try:
        action = decode_action(run.action)
    except InvalidInputError as error:
        return str(error)
    return rights.refusal(run.name, action, who, tokens, now, configured)
