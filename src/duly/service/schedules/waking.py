"""Wake-ups: an agent asks to be woken later, and its session goes on then with a note.

A wake-up is a schedule that fires once: its prompt is the note, its session that of the agent. Inside a scheduled run
the environment says which run it is, so that the agent need not look anything up; the wake-up then has the project, the
spawner, the budgets and the rights of the run's schedule.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from duly.errors import AccessDeniedError, InvalidInputError, QuotaError
from duly.model.action import Prompt, Target
from duly.model.events import QUOTA_REACHED, SCHEDULE_WAKE_ASKED, Event
from duly.model.ids import TOKEN
from duly.planning.quotas import DAY
from duly.ports.codec import decode_action, decode_policy
from duly.ports.records import StoredSchedule
from duly.recurrence import Once
from duly.service.access.audit import acting_as
from duly.service.access.scopes import Caller, check_writes
from duly.service.access.tokens import rights_of
from duly.service.schedules import values
from duly.service.schedules.fields import ScheduleView
from duly.service.schedules.times import read_words

if TYPE_CHECKING:
    from duly.service.services import Services

RUN_VARIABLE = "DULY_RUN_ID"
TARGET_VARIABLE = "DULY_TARGET"
DEFAULT_NOTE = "You asked to be woken now. Go on where you stopped."
_LONGEST = 30 * 24 * 60
_MOST = 5000
_TELL_AGAIN = timedelta(hours=1)
_WHERE = (
    "say which session goes on: run_id (the variable DULY_RUN_ID inside a scheduled run), or session and target (the "
    "project in which it began)"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class WakeWish:
    """What an agent asks for."""

    note: str | None = None
    """What to say to the session then."""
    minutes: int | None = None
    when: str | None = None
    """Words, instead of minutes."""
    run_id: str | None = None
    """The run whose session it is."""
    session: str | None = None
    """The session, where it belongs to no run."""
    target: str | None = None
    """`project` or `project/workspace`."""
    spawner: str | None = None


def inside_run(environ: Mapping[str, str]) -> WakeWish:
    """Give what the environment of an agent says about the run that it carries out; nothing outside of runs."""
    run_id = environ.get(RUN_VARIABLE) or None
    return WakeWish(run_id=run_id, target=(environ.get(TARGET_VARIABLE) or None) if run_id else None)


class WakeUps:
    """Makes wake-ups."""

    def __init__(self, services: Services) -> None:
        self._quotas = services.quotas
        self._store = services.store
        self._clock = services.clock
        self._use_cases = services.use_cases
        self._reads = services.schedules

    async def wake_me(self, caller: Caller, wish: WakeWish, around: WakeWish | None = None) -> ScheduleView:
        """Make a wake-up and show it; `around` is what the environment says, for what the wish leaves out."""
        check_writes(caller.scope, "create")
        if around is not None and wish.run_id is None and wish.session is None:
            wish = replace(wish, run_id=around.run_id, target=wish.target or around.target)
        when = _when(wish)
        of_run = {} if wish.run_id is None else await self._of_run(caller, wish.run_id, wish)
        row: StoredSchedule | None = of_run.pop("row", None)
        if row is None and (wish.session is None or wish.target is None):
            raise InvalidInputError(_WHERE)
        acting = caller if row is None else await self._acting_for(caller, row)
        owner = row.namespace if row is not None and acting.scope.is_admin else acting.namespace
        now = self._clock.now()
        if not isinstance(read_words(when, now, await self._reads.zones.at(acting)), Once):
            raise InvalidInputError(f'when {when!r:.200} comes more than once, a wake-up once: say "tomorrow at 9"')
        await self._check_often(owner, row, wish.run_id, now)
        note = DEFAULT_NOTE if wish.note is None else values.storable(wish.note, "note")
        given = {"targets": [wish.target] if wish.target else None, "spawner": wish.spawner, "session": wish.session}
        fields: dict[str, Any] = {
            "name": f"wake-{now:%Y%m%dT%H%M%S}-{secrets.token_hex(3)}",
            "when": when,
            "prompt": note,
            "max_runs": 1,
            "display_title": "wake-up" if row is None else f"wake-up of {row.name}",
            **of_run,
            **{name: value for name, value in given.items() if value is not None},
        }
        with acting_as(acting):
            made = await self._use_cases.schedule_create(
                acting, {name: value for name, value in fields.items() if value is not None}, namespace=owner
            )
        await self._store.record([Event(SCHEDULE_WAKE_ASKED, now, made.id, data={"name": made.name, "owner": owner})])
        return made

    async def _of_run(self, caller: Caller, run_id: str, wish: WakeWish) -> dict[str, Any]:
        """Give the fields that a wake-up has from the schedule of a run, and its row."""
        run = await self._reads.run_get(caller, run_id)
        row = await self._reads.find.row(caller, run.schedule_id)
        action = decode_action(row.action)
        if not isinstance(action, Prompt):
            raise InvalidInputError(f"run {run_id} is of {row.name!r}, which has no session: only prompts have one")
        policy = decode_policy(row.policy)
        return {
            "row": row,
            "targets": _targets(action, wish.target),
            "spawner": action.spawner,
            "model": action.model,
            "session": run.id,
            "max_cost_per_run": action.max_cost_per_run,
            "max_cost_per_day": action.max_cost_per_day,
            "timeout": None if policy.timeout is None else policy.timeout.total_seconds(),
        }

    async def _acting_for(self, caller: Caller, row: StoredSchedule) -> Caller:
        """Give the caller under whose rights a wake-up of a schedule is made.

        The command line inside a run is the local admin. What it makes for a schedule of a token has the rights of that
        token, so that it ends when they end. A caller who shows no token under `--no-auth` is not that admin.
        """
        token_id = row.changed_by or row.created_by
        if caller.answering is not None or token_id is None or not token_id.startswith(TOKEN):
            return caller
        record = await self._store.tokens.get(token_id)
        if record is None or record.ended_at(self._clock.now()) is not None:
            raise AccessDeniedError(
                f"cannot wake a session of {row.name!r}: its token {token_id} is not valid any more"
            )
        scope = rights_of(record)
        return Caller(
            scope=scope,
            token_id=token_id,
            face=caller.face,
            user_id=scope.subject if scope.kind == "user" else None,
            home=caller.home,
        )

    async def _check_often(self, owner: str, row: StoredSchedule | None, run_id: str | None, now: datetime) -> None:
        """Refuse a wake-up beyond the most of a day: an agent may wake itself for ever."""
        most = (await self._quotas.of_owner(owner)).wakes_per_day
        if most is None:
            return
        asked = await self._store.remembered.lately(SCHEDULE_WAKE_ASKED.name, now - DAY, _MOST)
        count = sum(event.data.get("owner") == owner for event in asked)
        if count < most:
            return
        error = QuotaError(owner, "wakes_per_day", most, f"{count} wake-ups were asked for in 24 hours")
        lately = await self._store.remembered.lately(QUOTA_REACHED.name, now - _TELL_AGAIN, _MOST)
        if not any(event.data.get("reason") == str(error) for event in lately):
            data = {"name": owner if row is None else row.name, "reason": str(error)}
            await self._store.record([Event(QUOTA_REACHED, now, None if row is None else row.id, run_id, data=data)])
        raise error


def _when(wish: WakeWish) -> str:
    if (wish.minutes is None) == (wish.when is None):
        given = "neither" if wish.minutes is None else "both"
        raise InvalidInputError(f'say exactly one of minutes (20) and when ("tomorrow at 9"), got {given}')
    if wish.minutes is None:
        return values.text(wish.when, "when")
    minutes = values.whole(wish.minutes, "minutes")
    if not 1 <= minutes <= _LONGEST:
        raise InvalidInputError(f"minutes must be a whole number from 1 to {_LONGEST}, got {minutes}")
    return f"in {minutes} minutes" if minutes > 1 else "in 1 minute"


def _targets(action: Prompt, wanted: str | None) -> list[str]:
    """Choose the target whose session goes on; without targets there is only one session."""
    names = [_name(target) for target in action.targets]
    if wanted is not None and wanted not in names:
        raise InvalidInputError(f"target {wanted!r} is none of the run's: {', '.join(names) or 'it has none'}")
    if wanted is None and len(names) > 1:
        raise InvalidInputError(f"the run has several targets, and a session at each: say target, {' or '.join(names)}")
    return names if wanted is None else [wanted]


def _name(target: Target) -> str:
    return "/".join(filter(None, (target.project_id, target.workspace_id)))
