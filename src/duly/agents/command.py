"""Prompts for a command line: a new session, or the one before, and a new one again when that is gone."""

from __future__ import annotations

import asyncio
import re
import uuid
from collections.abc import Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any

from duly.agents import family
from duly.agents.assignment import Answer, Assignment, PromptError, target_name
from duly.agents.capture import shorten
from duly.agents.confinement import Confinement, account_of
from duly.agents.environment import allowed, fetch, harmless_session, secrets_among, without, without_any
from duly.agents.folders import Account, Folders
from duly.agents.profile import OnResume, Parse, Sessions, SpawnerProfile, Stdin
from duly.agents.reading import Reader, Reply
from duly.agents.spawn import GRACE, Command, Ended, run_command
from duly.agents.templates import Template, fill, mentions
from duly.clock import Clock
from duly.planning.places import lane_of

_LONGEST_COMPLAINT = 1000


class CommandCarrier:
    """Carries prompts out with the commands of profiles."""

    def __init__(self, folders: Folders, confinement: Confinement, environ: Mapping[str, str], clock: Clock) -> None:
        self._folders = folders
        self._confinement = confinement
        self._environ = environ
        self._clock = clock

    async def carry_out(self, profile: SpawnerProfile, work: Assignment) -> Answer:
        """Go on with the session there is, or start one; secrets that the tool was given do not come back."""
        secrets = secrets_among(self._env(profile, work), profile.variables)
        discreet = replace(
            work,
            lost=lambda reason, summary: work.lost(without(secrets, reason), summary),
            heard=lambda session, cost: work.heard(harmless_session(secrets, session), cost),
        )
        try:
            answer = await self._carry_out(profile, discreet)
        except PromptError as error:
            raise PromptError(
                without(secrets, str(error)),
                session_id=harmless_session(secrets, error.session_id),
                cost_usd=error.cost_usd,
                summary=error.summary,
            ) from None
        return replace(
            answer,
            text=without(secrets, answer.text or ""),
            session_id=harmless_session(secrets, answer.session_id),
            usage=without_any(secrets, answer.usage),
        )

    async def _carry_out(self, profile: SpawnerProfile, work: Assignment) -> Answer:
        if work.session_id is None:
            return await self._afresh(profile, work)
        fork = profile.on_resume is OnResume.FORK
        template = profile.fork if fork else profile.resume
        missing = self._missing_file(profile, work, work.session_id)
        if missing is None:
            ended, reply = await self._attempt(profile, template, work, work.session_id)
            missing = _gone(profile, ended, reply)
            if missing is None:
                return _answer(profile, ended, reply, None if fork else work.session_id)
        work.lost(f"session {work.session_id} is gone: {missing}", "the tool does not know its session any more")
        return await self._afresh(profile, work)

    def _missing_file(self, profile: SpawnerProfile, work: Assignment, session_id: str) -> str | None:
        """What is missing when a tool's file of a session is."""
        if profile.session_file is None:
            return None
        state_dir = self._folders.state(account_of(profile), lane_of(work.run.namespace))
        [path] = fill((profile.session_file,), {"session_id": session_id, "state_dir": str(state_dir)})
        return None if Path(path).exists() else f"{path} is not there"

    async def _afresh(self, profile: SpawnerProfile, work: Assignment) -> Answer:
        session = str(uuid.uuid4()) if profile.session is Sessions.ASSIGNED else None
        ended, reply = await self._attempt(profile, profile.new, work, session)
        return _answer(profile, ended, reply, session)

    async def _attempt(
        self, profile: SpawnerProfile, template: Template, work: Assignment, session: str | None
    ) -> tuple[Ended, Reply]:
        reader = Reader(profile)

        def heard(data: bytes) -> None:
            reader.feed(data)
            work.heard(reader.session_id if profile.session is Sessions.PARSED else None, reader.cost_usd)

        async def started(pid: int) -> None:
            await work.started(pid, session)

        account = account_of(profile)
        state_dir = self._folders.state(account, lane_of(work.run.namespace))
        with self._prompt_file(template, work.prompt, account) as prompt_file:
            values = {
                "prompt": work.prompt,
                "prompt_file": None if prompt_file is None else str(prompt_file),
                "session_id": session,
                "cwd": str(work.directory),
                "name": work.run.name,
                "state_dir": str(state_dir),
                "model": work.model,
                "max_cost": None if work.max_cost is None else f"{work.max_cost:.6f}".rstrip("0").rstrip("."),
            }
            command = Command(
                argv=fill(template, values),
                cwd=work.directory,
                env=self._env(profile, work),
                stdin=work.prompt.encode() if profile.stdin is Stdin.PROMPT else None,
                output_cap=profile.output_cap,
                grace=GRACE,
            )
            readable = () if prompt_file is None else (prompt_file,)
            command = self._confinement.apply(profile, command, writable=(state_dir,), readable=readable)
            ended = await run_command(command, self._clock, on_start=started, on_output=heard)
        return ended, await asyncio.to_thread(reader.reply, ended.stdout, ended.stderr)

    def _env(self, profile: SpawnerProfile, work: Assignment) -> dict[str, str]:
        fixed = {
            name: fetch(value, self._environ, profile.key(f"variables.{name}"))
            for name, value in profile.variables.items()
        }
        return {**allowed(self._environ, profile.env, account_of(profile)), **fixed, **run_variables(work)}

    def _prompt_file(
        self, template: Template, prompt: str, account: Account | None
    ) -> AbstractContextManager[Path | None]:
        needed = mentions(template, "prompt_file")
        return self._folders.prompt_file(prompt, account) if needed else nullcontext()


def run_variables(work: Assignment) -> dict[str, str]:
    """What a spawned process is told about itself."""
    return {
        family.RUN: work.run.run_id,
        family.TARGET: target_name(work.target),
        family.OWNER: family.owner(),
        "DULY_SCHEDULE": work.run.name,
        "DULY_TRIGGER_SOURCE": work.trigger_source,
    }


def _gone(profile: SpawnerProfile, ended: Ended, reply: Reply) -> str | None:
    """What a tool says about a session that it does not know. Some say so and exit with 0.

    One that has already worked on the prompt is not asked again, whatever words it uses.
    """
    failed = ended.code != 0 or reply.error is not None or not reply.understood
    worked = bool(reply.cost_usd) or _any_number(reply.usage) or reply.text not in (None, reply.error)
    if not failed or profile.gone is None or (worked and profile.parse is not Parse.TEXT):
        return None
    said = _plain(f"{ended.stderr.text}\n{ended.stdout.tail}\n{reply.error or ''}").splitlines()
    line = next((line for line in said if re.search(profile.gone, line)), None)
    return None if line is None else shorten(line.strip(), _LONGEST_COMPLAINT)


def _any_number(usage: Any) -> bool:
    """Whether anything was used."""
    if isinstance(usage, dict):
        return any(map(_any_number, usage.values()))
    return isinstance(usage, int | float) and usage > 0


def _answer(profile: SpawnerProfile, ended: Ended, reply: Reply, session: str | None) -> Answer:
    session = (reply.session_id or session) if profile.keeps_sessions else None
    if ended.code != 0 or reply.error is not None or not reply.understood:
        raise PromptError(
            _complaint(ended, reply), session_id=session, cost_usd=reply.cost_usd, summary=_how_it_ended(ended)
        )
    return Answer(text=reply.text, session_id=session, cost_usd=reply.cost_usd, usage=reply.usage)


def _complaint(ended: Ended, reply: Reply) -> str:
    """What went wrong, in the tool's own words as far as there are any."""
    how = _how_it_ended(ended)
    said = _plain(reply.error or ended.stderr.tail.strip() or ended.stdout.tail.strip())
    if not said:
        return f"{how} and no output" if ended.code else "ended without an answer"
    unclear = "" if ended.code or reply.error else "the answer cannot be understood: "
    return f"{unclear}{shorten(said[-4 * _LONGEST_COMPLAINT :], _LONGEST_COMPLAINT)} ({how})"


def _how_it_ended(ended: Ended) -> str:
    return f"killed by signal {-ended.code}" if ended.code < 0 else f"exit code {ended.code}"


def _plain(text: str) -> str:
    """Without the colours that some tools print even where nobody sees them."""
    return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", text)
