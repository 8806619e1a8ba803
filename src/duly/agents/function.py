"""Prompts for Python functions: called with `prompt`, `trigger_source`, and what else they have parameters for."""

from __future__ import annotations

import asyncio
import contextvars
import inspect
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

from duly.agents.assignment import AgentAnswer, Assignment, amount
from duly.agents.output import session_name
from duly.agents.profile import SpawnerProfile
from duly.errors import InvalidInputError
from duly.jobs.functions import load_function
from duly.jobs.waiting import uninterrupted


class FunctionAgent:
    """Carries prompts out with functions of this process.

    Functions that block run in threads of this agent: the event loop has few, and the rest of duly needs them.
    """

    def __init__(self, threads: int) -> None:
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix="duly-prompt")

    async def carry_out(self, profile: SpawnerProfile, work: Assignment) -> AgentAnswer:
        function = load(profile)
        arguments = {"prompt": work.prompt, "trigger_source": work.trigger_source, **_wanted(function, work)}
        await work.started(None, work.session_id)
        if inspect.iscoroutinefunction(function):
            result = await function(**arguments)
        else:
            result = await self._in_thread(partial(function, **arguments), work)
            if inspect.isawaitable(result):
                result = await result
        return _answer(result)

    async def _in_thread(self, call: Callable[[], Any], work: Assignment) -> Any:
        """Call a function in a thread, and wait for its end even when cancelled: no thread can be killed."""

        def on_cancel() -> None:
            work.context.ask_to_stop()
            work.context.report_stuck()

        thread = self._pool.submit(contextvars.copy_context().run, call)
        return await uninterrupted(asyncio.wrap_future(thread), on_cancel)

    def close(self) -> None:
        """Give up the threads; busy ones finish by themselves."""
        self._pool.shutdown(wait=False, cancel_futures=True)


def load(profile: SpawnerProfile) -> Callable[..., Any]:
    """Return the function of a profile."""
    if callable(profile.call):
        return profile.call
    try:
        return load_function(profile.call or "", profile.folder)
    except InvalidInputError as error:
        raise InvalidInputError(f"{profile.key('call')}: {error}") from error


def _wanted(function: Callable[..., Any], work: Assignment) -> dict[str, Any]:
    """Return the further arguments for which a function has a parameter."""
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


def _answer(result: Any) -> AgentAnswer:
    """Return the answer in a result: a text, or a mapping that may also have the session, the cost and the usage."""
    if not isinstance(result, Mapping):
        return AgentAnswer(text=None if result is None else str(result))
    text = result.get("text", result.get("result"))
    return AgentAnswer(
        text=None if text is None else str(text),
        session_id=session_name(result.get("session_id")),
        cost_usd=amount(result.get("cost_usd")),
        usage=result.get("usage"),
    )
