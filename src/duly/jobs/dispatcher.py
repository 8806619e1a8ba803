"""The registry of jobs, which also carries out their runs: in the event loop, in threads or in processes."""

from __future__ import annotations

import asyncio
import contextvars
import functools
import inspect
from collections.abc import Callable, Collection, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

from duly.clock import Clock
from duly.errors import InvalidInputError, RunTimeoutError
from duly.jobs.functions import misfit
from duly.jobs.process import run_in_process
from duly.jobs.waiting import Deadline
from duly.model.checks import at_least
from duly.ports.codec import decode_job
from duly.ports.dispatch import RunContext
from duly.ports.records import Claimed

_CONTEXT = "run"
"""A function with a parameter of this name gets the context of its run."""
_SOURCE = "trigger_source"
"""A function with a parameter of this name gets what triggered its run."""
_KEPT = 100  # combinations of arguments, for each job


@dataclass(frozen=True, slots=True)
class RegisteredJob:
    """A function with its name and the way to call it."""

    name: str
    function: Callable[..., Any]
    isolate: str
    """`loop`, `thread` or `process`."""
    signature: inspect.Signature
    takes_context: bool = field(init=False)
    takes_source: bool = field(init=False)
    _bound: set[tuple[str, ...]] = field(default_factory=set, repr=False, compare=False)
    """Names of arguments with which the function was found to be callable."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "takes_context", _CONTEXT in self.signature.parameters)
        object.__setattr__(self, "takes_source", _SOURCE in self.signature.parameters)

    def check(self, args: Mapping[str, Any]) -> None:
        """Refuse arguments with which the function cannot be called."""
        names = tuple(args)
        if names not in self._bound:
            self._bind(args)
            if len(self._bound) < _KEPT:
                self._bound.add(names)
        if (fault := misfit(self.function, self.signature, args)) is not None:
            raise InvalidInputError(f"job {self.name!r} cannot be called with {dict(args)!r}: {fault}")

    def _bind(self, args: Mapping[str, Any]) -> None:
        extra = {name: None for name in (_CONTEXT, _SOURCE) if name in self.signature.parameters}
        if given := [name for name in extra if name in args]:
            raise InvalidInputError(f"job {self.name!r} gets {given[0]!r} from duly; it cannot be an argument")
        try:
            self.signature.bind(**args, **extra)
        except TypeError as error:
            raise InvalidInputError(f"job {self.name!r} cannot be called with {dict(args)!r}: {error}") from error


def _signature(name: str, function: Callable[..., Any]) -> inspect.Signature:
    try:
        return inspect.signature(function)
    except (TypeError, ValueError) as error:
        raise InvalidInputError(
            f"job {name!r} does not tell what it takes ({error}): put a function around it that does"
        ) from error


_job_without_arguments = functools.lru_cache(maxsize=1024)(decode_job)


def _announcing_start(function: Callable[[], Any], wanted: bool) -> tuple[asyncio.Future[None], Callable[[], Any]]:
    """Return a future that is done once the function is called in its thread, and the function to call there.

    Unless `wanted`, the future is done at once.
    """
    loop = asyncio.get_running_loop()
    started = loop.create_future()
    if not wanted:
        started.set_result(None)
        return started, function

    def call() -> Any:
        loop.call_soon_threadsafe(started.set_result, None)
        return function()

    return started, call


def _no_function(given: object) -> InvalidInputError:
    fix = f": its name goes into job(name={given!r})" if isinstance(given, str) else ""
    return InvalidInputError(f"a job must be a function, got {given!r}{fix}")


class JobRegistry:
    """The jobs that this process knows, and the dispatcher of their runs."""

    def __init__(self, clock: Clock, threads: int = 32) -> None:
        at_least("threads", threads, 1)
        self._clock = clock
        self._jobs: dict[str, RegisteredJob] = {}
        self._threads = threads
        self._pool: ThreadPoolExecutor | None = None

    def register(self, function: Callable[..., Any], name: str | None = None, isolate: str | None = None) -> str:
        """Register a function under a name; the same function again is accepted, another one is refused."""
        if not callable(function):
            raise _no_function(function)
        name = getattr(function, "__name__", None) if name is None else name
        if not name:
            raise InvalidInputError(f"{function!r} has no name of its own: give the job one")
        if inspect.isgeneratorfunction(function) or inspect.isasyncgenfunction(function):
            raise InvalidInputError(f"job {name!r} is a generator: nothing would ever ask it for its items")
        is_async = inspect.iscoroutinefunction(function)
        mode = isolate or ("loop" if is_async else "thread")
        if mode not in ("loop", "thread", "process") or (mode == "loop") != (is_async and mode != "process"):
            kind = "an async" if is_async else "a plain"
            allowed = "'loop' or 'process'" if is_async else "'thread' or 'process'"
            raise InvalidInputError(f"isolate must be {allowed} for {kind} function, got {isolate!r}")
        qualname = getattr(function, "__qualname__", repr(function))
        if mode == "process" and "<" in qualname:
            raise InvalidInputError(
                f"job {name!r} cannot run in a process of its own: {qualname} is not at the top of a "
                f"module, where that process could find it"
            )
        known = self._jobs.get(name)
        if known is not None and known.function is not function:
            raise InvalidInputError(
                f"job {name!r} is already registered for {known.function!r}: give this one another name"
            )
        self._jobs[name] = RegisteredJob(
            name=name, function=function, isolate=mode, signature=_signature(name, function)
        )
        return name

    def take_up(self, other: JobRegistry) -> None:
        """Replace the jobs by those of another registry; running jobs are not touched."""
        self._jobs = dict(other._jobs)

    def __contains__(self, name: object) -> bool:
        return name in self._jobs

    def get(self, name: str) -> RegisteredJob:
        """Return the job of a name; the error for an unknown one lists the names that exist."""
        if name not in self._jobs:
            known = ", ".join(sorted(self._jobs)) or "none yet"
            raise InvalidInputError(f"unknown job {name!r}: registered are {known}")
        return self._jobs[name]

    def name_of(self, function: Callable[..., Any]) -> str:
        """Return the name under which a function is registered; register it if it is not."""
        for name, job in self._jobs.items():
            if job.function is function:
                return name
        return self.register(function)

    def serves(self) -> Collection[str]:
        return [f"job:{name}" for name in self._jobs]

    async def dispatch(self, run: Claimed, context: RunContext) -> Any:
        known = decode_job(run.action) if '"args"' in run.action else _job_without_arguments(run.action)
        job = self.get(known.name)
        args = dict(known.args)
        if job.takes_source:
            args[_SOURCE] = context.trigger_source
        if job.takes_context and job.isolate != "process":
            args[_CONTEXT] = context
        if job.isolate == "loop" and context.timeout is None:
            return await job.function(**args)
        if job.isolate == "loop":
            async with Deadline(self._clock, context.timeout):
                return await job.function(**args)
        if job.isolate == "thread":
            return await self._in_thread(job, args, context)
        async with Deadline(self._clock, context.timeout):
            with_run = _CONTEXT if job.takes_context else None
            return await run_in_process(job.function, args, context, with_run=with_run)

    async def _in_thread(self, job: RegisteredJob, args: dict[str, Any], context: RunContext) -> Any:
        """Run a job in a thread, and wait for its end even after a timeout or a cancellation: no thread can be killed.

        While the job waits for a free thread its timeout does not run, and it can still be cancelled.
        """
        if self._pool is None:
            self._pool = ThreadPoolExecutor(self._threads, thread_name_prefix="duly-job")
        started, call = _announcing_start(functools.partial(job.function, **args), context.timeout is not None)
        thread = self._pool.submit(contextvars.copy_context().run, call)
        ended = asyncio.wrap_future(thread)
        late: RunTimeoutError | None = None
        while not ended.done():
            limit = context.timeout if started.done() and late is None else None
            try:
                async with Deadline(self._clock, limit):
                    await asyncio.wait(
                        {ended, started} if not started.done() else {ended}, return_when="FIRST_COMPLETED"
                    )
            except asyncio.CancelledError:
                context.ask_to_stop()
                if thread.cancel():
                    raise
            except RunTimeoutError as error:
                late = error
                context.ask_to_stop()
                context.report_stuck()
        if late is not None:
            raise late from ended.exception()
        result = ended.result()
        if inspect.isawaitable(result):  # an async function behind a plain one
            async with Deadline(self._clock, context.timeout):
                return await result
        return result

    def close(self) -> None:
        """Give up the threads; busy ones finish by themselves."""
        if self._pool is not None:
            self._pool.shutdown(wait=False, cancel_futures=True)
            self._pool = None
