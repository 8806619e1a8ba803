"""Prompts for a command line: in a new session, in the one of the run before, or in a new one when that is gone."""

from __future__ import annotations

import asyncio
import re
import uuid
from collections.abc import Iterable, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any

from duly.agents import run_processes
from duly.agents.assignment import AgentAnswer, AgentEnd, Assignment, PromptError, session_without, target_name
from duly.agents.confinement import Confinement, user_of
from duly.agents.environment import allowed, secrets_among
from duly.agents.folders import Folders, UnixUser
from duly.agents.output import ParsedOutput, Reader, shorten
from duly.agents.profile import OnResume, Parse, Sandbox, SessionNaming, SpawnerProfile, Stdin
from duly.agents.spawn import GRACE, EndedProcess, Invocation, run_command
from duly.agents.templates import Template, fill, mentions
from duly.agents.transcript import Said, Transcript, as_complaints
from duly.clock import Clock
from duly.outbound.masking import Mask
from duly.outbound.secrets import resolve
from duly.outbound.tracing import trace_environment
from duly.planning.places import lane_of

SESSION = "DULY_SESSION_ID"
"""The variable that names the session to the agent, where duly knows it before the agent starts."""
_LONGEST_COMPLAINT = 1000
_SEARCHED = 20_000
"""Characters at the end of a complaint in which words about a spent usage window are looked for."""


class CommandAgent:
    """Carries prompts out with the commands of profiles."""

    def __init__(
        self,
        folders: Folders,
        confinement: Confinement,
        environ: Mapping[str, str],
        clock: Clock,
        data_dir: Path | None = None,
    ) -> None:
        """Make an agent; tools that are not confined get `data_dir`, so that their `duly` finds the store."""
        self._folders = folders
        self._confinement = confinement
        self._environ = environ
        self._clock = clock
        self._data_dir = data_dir

    async def carry_out(self, profile: SpawnerProfile, work: Assignment) -> AgentAnswer:
        """Continue the session of the assignment, or start one; secrets that the tool was given are replaced."""
        found = secrets_among(self._env(profile, work), profile.variables)
        secrets = await asyncio.to_thread(Mask, found)  # of a long secret it takes a while
        discreet = replace(
            work,
            lost=lambda reason, summary: work.lost(secrets.text(reason), summary),
            heard=lambda session, cost: work.heard(session_without(secrets, session), cost),
            said=lambda kind, text: work.said(kind, secrets.text(text)),
            uses=lambda model: work.uses(secrets.text(model)),
        )
        try:
            answer = await self._carry_out(profile, discreet, secrets)
        except PromptError as error:
            raise error.without(secrets) from None
        return answer.without(secrets)

    async def _carry_out(self, profile: SpawnerProfile, work: Assignment, secrets: Mask) -> AgentAnswer:
        if work.session_id is None:
            return await self._in_new_session(profile, work, secrets)
        fork = profile.on_resume is OnResume.FORK
        template = profile.fork if fork else profile.resume
        missing = self._missing_file(profile, work, work.session_id)
        if missing is None:
            asked = work if work.note is None else replace(work, prompt=work.note)
            ended, output = await self._attempt(profile, template, asked, work.session_id, secrets)
            missing = _unknown_session(profile, ended, output)
            if missing is None:
                return _answer(profile, ended, output, None if fork else work.session_id)
        work.lost(f"session {work.session_id} is gone: {missing}", "the tool does not know its session any more")
        return await self._in_new_session(profile, work, secrets)

    def _missing_file(self, profile: SpawnerProfile, work: Assignment, session_id: str) -> str | None:
        """Say which file of a session is missing; None if it exists, or if the tool keeps sessions elsewhere."""
        if profile.session_file is None:
            return None
        state_dir = self._folders.state(user_of(profile), lane_of(work.run.namespace))
        [path] = fill((profile.session_file,), {"session_id": session_id, "state_dir": str(state_dir)})
        return None if Path(path).exists() else f"{path} is not there"

    async def _in_new_session(self, profile: SpawnerProfile, work: Assignment, secrets: Mask) -> AgentAnswer:
        session = str(uuid.uuid4()) if profile.session is SessionNaming.ASSIGNED else None
        ended, output = await self._attempt(profile, profile.new, work, session, secrets)
        return _answer(profile, ended, output, session)

    async def _attempt(
        self, profile: SpawnerProfile, template: Template, work: Assignment, session: str | None, secrets: Mask
    ) -> tuple[EndedProcess, ParsedOutput]:
        reader = Reader(profile)
        shown = Transcript(profile.parse, secrets)
        complaints = Transcript(Parse.TEXT)

        def heard(data: bytes) -> None:
            reader.feed(data)
            work.heard(reader.session_id if profile.session is SessionNaming.PARSED else None, reader.cost_usd)
            _tell(work, shown.feed(data))
            if shown.model is not None:
                work.uses(shown.model)

        def complained(data: bytes) -> None:
            _tell(work, as_complaints(complaints.feed(data)))

        async def started(pid: int) -> None:
            await work.started(pid, session)

        user = user_of(profile)
        state_dir = self._folders.state(user, lane_of(work.run.namespace))
        with self._prompt_file(template, work.prompt, user) as prompt_file:
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
            command = Invocation(
                argv=fill(template, values),
                cwd=work.directory,
                env=self._env(profile, work) | ({} if session is None else {SESSION: session}),
                stdin=work.prompt.encode() if profile.stdin is Stdin.PROMPT else None,
                output_cap=profile.output_cap,
                grace=GRACE,
            )
            readable = () if prompt_file is None else (prompt_file,)
            command = self._confinement.apply(profile, command, writable=(state_dir,), readable=readable)
            ended = await run_command(
                command, self._clock, secrets=secrets, on_start=started, on_output=heard, on_complaint=complained
            )
        _tell(work, [*shown.end(), *as_complaints(complaints.end())])
        return ended, await asyncio.to_thread(reader.parsed, ended.stdout, ended.stderr)

    def _env(self, profile: SpawnerProfile, work: Assignment) -> dict[str, str]:
        fixed = {
            name: resolve(value, self._environ, profile.key(f"variables.{name}"), profile.folder)
            for name, value in profile.variables.items()
        }
        given = dict(run_variables(work))
        if self._data_dir is not None and profile.run_as is None and profile.sandbox is Sandbox.NONE:
            given["DULY_DATA_DIR"] = str(self._data_dir)
        return {**allowed(self._environ, profile.env, user_of(profile)), **fixed, **given}

    def _prompt_file(
        self, template: Template, prompt: str, user: UnixUser | None
    ) -> AbstractContextManager[Path | None]:
        needed = mentions(template, "prompt_file")
        return self._folders.prompt_file(prompt, user) if needed else nullcontext()


def _tell(work: Assignment, lines: Iterable[Said]) -> None:
    for kind, text in lines:
        work.said(kind, text)


def run_variables(work: Assignment) -> dict[str, str]:
    """Return the variables that name the run to a spawned process."""
    return {
        run_processes.RUN: work.run.run_id,
        run_processes.TARGET: target_name(work.target),
        run_processes.OWNER: run_processes.owner(),
        "DULY_SCHEDULE": work.run.name,
        "DULY_TRIGGER_SOURCE": work.trigger_source,
        **trace_environment(),
    }


def _unknown_session(profile: SpawnerProfile, ended: EndedProcess, output: ParsedOutput) -> str | None:
    """Return the words of a tool about a session that it does not know; None if it does. Some exit with 0 all the same.

    A tool that has already worked on the prompt is not asked again, even if its output matches.
    """
    if not _failed(ended, output) or profile.gone is None or _worked(profile, output):
        return None
    said = _without_colours(f"{ended.stderr.text}\n{ended.stdout.tail}\n{output.error or ''}").splitlines()
    line = next((line for line in said if re.search(profile.gone, line)), None)
    return None if line is None else shorten(line.strip(), _LONGEST_COMPLAINT)


def _worked(profile: SpawnerProfile, output: ParsedOutput) -> bool:
    """Tell whether a tool has begun to work on the prompt; plain text does not show it."""
    if profile.parse is Parse.TEXT:
        return False
    return bool(output.cost_usd) or _any_number(output.usage) or output.text not in (None, output.error)


def _any_number(usage: Any) -> bool:
    """Tell whether a usage counts anything."""
    if isinstance(usage, dict):
        return any(map(_any_number, usage.values()))
    return isinstance(usage, int | float) and usage > 0


def _failed(ended: EndedProcess, output: ParsedOutput) -> bool:
    return ended.code != 0 or output.error is not None or not output.understood


def _answer(profile: SpawnerProfile, ended: EndedProcess, output: ParsedOutput, session: str | None) -> AgentAnswer:
    session = (output.session_id or session) if profile.keeps_sessions else None
    if _failed(ended, output):
        raise PromptError(
            _complaint(ended, output),
            session_id=session,
            cost_usd=output.cost_usd,
            summary=_how_it_ended(ended),
            end=AgentEnd(said=_said(ended, output)[-_SEARCHED:], limit=output.limit, worked=_worked(profile, output)),
        )
    return AgentAnswer(text=output.text, session_id=session, cost_usd=output.cost_usd, usage=output.usage)


def _complaint(ended: EndedProcess, output: ParsedOutput) -> str:
    """Say what went wrong, in the words of the tool if there are any."""
    how = _how_it_ended(ended)
    said = _said(ended, output)
    if not said:
        return f"{how} and no output" if ended.code else "ended without an answer"
    unclear = "" if ended.code or output.error else "the answer cannot be understood: "
    return f"{unclear}{shorten(said[-4 * _LONGEST_COMPLAINT :], _LONGEST_COMPLAINT)} ({how})"


def _said(ended: EndedProcess, output: ParsedOutput) -> str:
    return _without_colours(output.error or ended.stderr.tail.strip() or ended.stdout.tail.strip())


def _how_it_ended(ended: EndedProcess) -> str:
    return f"killed by signal {-ended.code}" if ended.code < 0 else f"exit code {ended.code}"


def _without_colours(text: str) -> str:
    """Remove the colours that some tools print even into a pipe."""
    return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", text)
