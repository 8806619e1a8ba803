"""Prompts on Celery workers: a task that starts an agent, by a spawner of the worker's own `duly.toml`.

A message has names and the prompt, never a command. What is started, in which folder, as which user and with which
secrets stands in the file of the worker, which is trusted as any other. The agent runs as it does in a daemon: under a
guardian, confined, its output masked and read while it comes.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from celery import signals

from duly.agents.assignment import AgentAnswer, Assignment, PromptError
from duly.agents.elsewhere import TASK
from duly.celery.beating import beats, clock
from duly.celery.start import AttemptFailedError, Start, as_json
from duly.model.action import Target
from duly.processes import keep_others_out

if TYPE_CHECKING:
    from celery import Celery

    from duly.agents.folders import Folders, UnixUser
    from duly.agents.profile import SpawnerProfile
    from duly.agents.rules import PromptRules
    from duly.config.settings import Settings
    from duly.ports.records import Claimed

_UID = "duly.celery.prompts"
_LOOK_EVERY = 0.25
"""Seconds between two looks whether duly still wants the answer."""
_LONGEST_TEXT = 16_000
_MOST_TEXT = 48 * 1024
"""Bytes of JSON: the report of an end takes somewhat more, with the usage."""
_BEFORE_THE_KILL = 10.0
"""Seconds before Celery would kill the process, in which an agent is asked to end, and what it has cost is reported."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HandedPrompt:
    """What a message says."""

    prompt: str
    spawner: str
    model: str | None = None
    project: str | None = None
    workspace: str | None = None
    max_cost: float | None = None
    owner: str = ""

    @property
    def target(self) -> Target | None:
        return None if self.project is None else Target(self.project, self.workspace)


def register(app: Celery, config: str | None) -> None:
    """Add the task to an app. Only the messages of duly can start it: it needs leave."""

    def carry_out(
        task: Any,
        prompt: str,
        spawner: str,
        model: str | None = None,
        project: str | None = None,
        workspace: str | None = None,
        max_cost: float | None = None,
        owner: str = "",
    ) -> dict[str, Any]:
        handed = HandedPrompt(
            prompt=prompt,
            spawner=spawner,
            model=model,
            project=project,
            workspace=workspace,
            max_cost=max_cost,
            owner=owner,
        )
        return _carry_out(task, handed, config)

    app.task(carry_out, name=TASK, bind=True, max_retries=0)
    signals.worker_init.connect(_hide, weak=False, dispatch_uid=_UID)


def _hide(**_: Any) -> None:
    """Close the memory and environment of this process to agents, with the address of the broker in it."""
    keep_others_out()


def _carry_out(task: Any, handed: HandedPrompt, config: str | None) -> dict[str, Any]:
    from duly.celery.worker import current_start

    start = current_start()
    if start is None:
        raise PermissionError(f"{TASK} is carried out only where duly has handed it over and given leave")
    work = _Work(task.request, handed, start)
    try:
        answer = asyncio.run(work.answer(config))
    except PromptError as error:
        session = error.session_id or work.session_id
        cost = work.cost_usd if error.cost_usd is None else error.cost_usd
        raise AttemptFailedError(str(error), work.known(session, cost)) from None
    except Exception as error:
        described = f"{type(error).__name__}: {error}"
        raise AttemptFailedError(described, work.known(work.session_id, work.cost_usd)) from None
    return {**work.known(answer.session_id, answer.cost_usd), "text": _short(answer.text), "usage": answer.usage}


class _Work:
    """One prompt, as a worker carries it out."""

    def __init__(self, request: Any, handed: HandedPrompt, start: Start) -> None:
        self._request = request
        self._handed = handed
        self._start = start
        self.session_id: str | None = None
        self.cost_usd: float | None = None
        self._model: str | None = None

    def known(self, session_id: str | None, cost_usd: float | None) -> dict[str, Any]:
        return {"session_id": session_id, "cost_usd": cost_usd, "model": self._model}

    async def answer(self, config: str | None) -> AgentAnswer:
        """Start the agent, and give its answer; it is ended when duly does not want the answer any more."""
        answering = asyncio.ensure_future(self._answer(config))
        unwanted = asyncio.ensure_future(self._until_unwanted())
        try:
            await asyncio.wait({answering, unwanted}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for each in (answering, unwanted):
                if not each.done():
                    each.cancel()
            await asyncio.gather(answering, unwanted, return_exceptions=True)
        if answering.cancelled():
            raise PromptError("asked to stop: duly does not want the answer any more", summary="asked to stop")
        return answering.result()

    async def _until_unwanted(self) -> None:
        while not self._start.cancelled.is_set():
            await clock.sleep(_LOOK_EVERY)

    async def _answer(self, config: str | None) -> AgentAnswer:
        from duly.agents.command import CommandAgent
        from duly.agents.confinement import Confinement, user_of
        from duly.agents.folders import Folders
        from duly.agents.profile import check_model
        from duly.config.reading import load, telling_lines
        from duly.jobs.waiting import Deadline, entered
        from duly.runtime.capabilities import hidden_from_agents, rules_of, use_seal

        settings: Settings = load(os.environ, config=config)
        with telling_lines(settings):
            use_seal(settings)
            rules = rules_of(settings, os.environ)
        profile = _started_here(rules, self._handed)
        if self._handed.model is not None:
            check_model(self._handed.model, "model")
        self._model = self._handed.model or profile.model
        folders = Folders(rules.state_dir, clock)
        hidden = hidden_from_agents(settings, settings.store)
        agent = CommandAgent(folders, Confinement(folders, hidden, rules.environ), rules.environ, clock)
        self._say(
            "note", ", ".join(dict.fromkeys(each for each in (profile.name, profile.program, self._model) if each))
        )
        directory = _directory(rules, folders, self._handed.target, user_of(profile))
        async with entered(directory) as folder, Deadline(clock, self._limit(profile)):
            answer = await agent.carry_out(profile, self._assignment(folder))
        if not self._has_said and answer.text:
            self._say("text", answer.text)
        return answer

    def _limit(self, profile: SpawnerProfile) -> float:
        hard: float | None = (self._request.timelimit or (None, None))[0]
        return min([profile.timeout, *([] if hard is None else [max(hard - _BEFORE_THE_KILL, hard / 2)])])

    def _assignment(self, folder: Path) -> Assignment:
        from duly.engine.context import Context

        async def started(_pid: int | None, session: str | None) -> None:
            self.session_id = session

        def heard(session: str | None, cost: float | None) -> None:
            self.session_id = session or self.session_id
            self.cost_usd = self.cost_usd if cost is None else cost

        def uses(model: str) -> None:
            self._model = model

        run = self._claimed()
        return Assignment(
            run=run,
            context=Context(run, lambda *_: None),
            target=self._handed.target,
            directory=folder,
            prompt=self._handed.prompt,
            model=self._model,
            max_cost=self._handed.max_cost,
            started=started,
            heard=heard,
            lost=lambda _reason, _summary: None,
            said=self._said,
            uses=uses,
        )

    _has_said = False

    def _said(self, kind: Any, text: str) -> None:
        self._has_said = self._has_said or kind == "text"
        self._say(str(kind), text)

    def _say(self, kind: str, text: str) -> None:
        self._start.say(text, kind=kind)
        beats().tell(self._start)

    def _claimed(self) -> Claimed:
        """Describe the run to the agent: by what the message says, and no more."""
        from duly.model.run import Origin
        from duly.ports.records import Claimed

        request = self._request
        now = clock.now()
        return Claimed(
            run_id=str(request.get("duly-run")),
            schedule_id="",
            namespace=self._handed.owner,
            name=str(request.get("duly-schedule") or ""),
            origin=Origin.SCHEDULE,
            fire_at=now,
            due_at=now,
            handler=f"prompt:{self._handed.spawner}",
            attempt=int(request.get("duly-attempt") or 1),
            fence=1,
            action="",
            policy="",
        )


def _started_here(rules: PromptRules, handed: HandedPrompt) -> SpawnerProfile:
    """Give the profile of this worker; what it says about an executor is for the daemon that reads the same file."""
    from duly.agents.profile import SpawnerKind
    from duly.errors import InvalidInputError

    profile = replace(rules.profile(handed.spawner), executor=None)
    if profile.kind is not SpawnerKind.COMMAND:
        raise InvalidInputError(
            f"spawner {profile.name!r} is of kind {str(profile.kind)!r}: workers start commands only"
        )
    return profile


@contextmanager
def _directory(rules: PromptRules, folders: Folders, target: Target | None, user: UnixUser | None) -> Iterator[Path]:
    """Give the folder of a project as this worker has it; without one, an empty folder for this run."""
    if target is not None:
        yield rules.projects.directory(target)
        return
    with folders.scratch(None, user) as folder:
        yield folder


def _short(text: str | None) -> str | None:
    """Shorten an answer so that its report is not too large."""
    from duly.agents.output import shorten

    longest = _LONGEST_TEXT
    shown = None if text is None else shorten(text, longest)
    while shown is not None and len(as_json(shown)) > _MOST_TEXT:
        longest //= 2
        shown = shorten(text or "", longest)
    return shown
