"""Prompts for a Python function: called with `prompt` and `trigger_source`, and with more only if it asks by name."""

from __future__ import annotations

import asyncio
import contextvars
import inspect
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

from duly.agents.assignment import Answer, Assignment, amount
from duly.agents.profile import SpawnerProfile
from duly.agents.reading import session_name
from duly.errors import InvalidInputError
from duly.jobs.loading import load_function
from duly.jobs.waiting import uninterrupted


class CallableCarrier:
    """Carries prompts out with functions of this process.

    Those that block do so in threads of their own: the loop's are few, and everything else needs them.
    """

    def __init__(self, threads: int) -> None:
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix="duly-prompt")

    async def carry_out(self, profile: SpawnerProfile, work: Assignment) -> Answer:
        function = load(profile)
        arguments = {"prompt": work.prompt, "trigger_source": work.trigger_source, **_wanted(function, work)}
        await work.started(None, work.session_id)
        if inspect.iscoroutinefunction(function):
            result = await function(**arguments)
        else:
            result = await self._in_thread(partial(function, **arguments), work)
            if inspect.isawaitable(result):
                result = await result
        return _read(result)

    async def _in_thread(self, call: Callable[[], Any], work: Assignment) -> Any:
        """A thread cannot be stopped: asked to, it is told so, and waited for all the same."""

        def asked() -> None:
            work.context.ask_to_stop()
            work.context.report_stuck()

        thread = self._pool.submit(contextvars.copy_context().run, call)
        return await uninterrupted(asyncio.wrap_future(thread), asked)

    def close(self) -> None:
        """Let go of the threads; those that are busy finish by themselves."""
        self._pool.shutdown(wait=False, cancel_futures=True)


def load(profile: SpawnerProfile) -> Callable[..., Any]:
    """The function of a profile."""
    if callable(profile.call):
        return profile.call
    try:
        return load_function(profile.call or "", profile.folder)
    except InvalidInputError as error:
        raise InvalidInputError(f"{profile.key('call')}: {error}") from error


def _wanted(function: Callable[..., Any], work: Assignment) -> dict[str, Any]:
    more = {
        "target": work.target,
        "session_id": work.session_id,
        "cwd": work.directory,
        "model": work.model,
        "max_cost": work.max_cost,
        "idempotency_key": work.key,
        "run": work.context,
    }
    try:
        parameters = inspect.signature(function).parameters
    except (TypeError, ValueError):
        return {}
    return {name: value for name, value in more.items() if name in parameters}


def _read(result: Any) -> Answer:
    """Text is the answer; a mapping may tell the session, the cost and the usage beside it."""
    if not isinstance(result, Mapping):
        return Answer(text=None if result is None else str(result))
    text = result.get("text", result.get("result"))
    return Answer(
        text=None if text is None else str(text),
        session_id=session_name(result.get("session_id")),
        cost_usd=amount(result.get("cost_usd")),
        usage=result.get("usage"),
    )
