"""The handlers of the tests: good ones, slow ones, and every kind of bad one."""

from __future__ import annotations

import asyncio
import os
import sys
import time
from collections.abc import Collection
from pathlib import Path

from duly import Duly
from duly.engine.context import Context
from tests.integration.engine_support.witness import Witness

Result = dict[str, int]
_GLANCE = 0.01


def register(app: Duly, witness: Witness, only: Collection[str] | None = None) -> None:
    """Make all of them, or some, known to an app."""
    known = Duly("unused.db")
    _register_all(known, witness)
    for name in [name.removeprefix("job:") for name in known.jobs.serves()] if only is None else only:
        app.job(name=name)(known.jobs.get(name).function)


def _register_all(app: Duly, witness: Witness) -> None:
    _register_good(app, witness)
    _register_held(app, witness)
    _register_slow(app, witness)
    _register_deadly(app, witness)
    _register_bad(app, witness)


def _register_good(app: Duly, witness: Witness) -> None:
    @app.job
    async def quick(run: Context) -> Result:
        with witness.watching(run) as result:
            return result

    @app.job
    def quick_thread(run: Context) -> Result:
        with witness.watching(run) as result:
            return result

    @app.job
    async def short(run: Context, seconds: float) -> Result:
        with witness.watching(run) as result:
            await asyncio.sleep(seconds)
            return result


def _register_held(app: Duly, witness: Witness) -> None:
    @app.job
    async def hold(run: Context, until: str) -> Result:
        """Goes on until a file appears; `{attempt}` in its name lets attempts end one by one."""
        with witness.watching(run) as result:
            while not Path(until.format(attempt=run.attempt)).exists():  # noqa: ASYNC110, ASYNC240  the sign comes from another process
                await asyncio.sleep(_GLANCE)
            return result

    @app.job
    def hold_thread(run: Context, until: str) -> Result:
        """The same in a thread, and it does not listen to anybody."""
        with witness.watching(run) as result:
            while not Path(until.format(attempt=run.attempt)).exists():
                time.sleep(_GLANCE)
            return result

    @app.job
    async def tidy_up(run: Context, until: str) -> Result:
        """Asked to stop in its first attempt, it takes its time: until a file appears."""
        with witness.watching(run) as result:
            try:
                await asyncio.sleep(3600 if run.attempt == 1 else 0)
            finally:
                while not Path(until).exists():  # noqa: ASYNC110, ASYNC240  the sign comes from another process
                    await asyncio.sleep(_GLANCE)
            return result

    @app.job
    def listen(run: Context) -> None:
        """In a thread, until it is asked to stop."""
        with witness.watching(run):
            while True:
                time.sleep(_GLANCE)
                run.heartbeat()


def _register_slow(app: Duly, witness: Witness) -> None:
    @app.job
    def block(run: Context, seconds: float) -> Result:
        with witness.watching(run) as result:
            time.sleep(seconds)
            return result

    @app.job
    def hog(run: Context, until: str) -> Result:
        """Does not let go of the interpreter by itself, except for a glance at a file now and then."""
        with witness.watching(run) as result:
            while not Path(until).exists():
                _spin(0.5)
            return result

    @app.job
    async def freeze_until(run: Context, until: str) -> Result:
        """The event loop stands still until a file appears."""
        with witness.watching(run) as result:
            while not Path(until).exists():  # noqa: ASYNC240  that it blocks is the point
                time.sleep(_GLANCE)  # noqa: ASYNC251
            return result


def _register_deadly(app: Duly, witness: Witness) -> None:
    @app.job
    def die(run: Context) -> None:
        """Takes the process down."""
        with witness.watching(run):
            os._exit(7)

    @app.job
    async def die_once(run: Context) -> Result:
        with witness.watching(run) as result:
            if run.attempt == 1:
                os._exit(7)
            return result


def _register_bad(app: Duly, witness: Witness) -> None:
    @app.job
    async def fail(run: Context, text: str = "as asked") -> None:
        with witness.watching(run):
            raise RuntimeError(text.encode("ascii").decode("unicode_escape"))

    @app.job
    async def fail_once(run: Context) -> Result:
        with witness.watching(run) as result:
            if run.attempt == 1:
                raise RuntimeError("the first time only")
            return result

    @app.job
    async def leave(run: Context) -> None:
        """What a program called as a function does when it is done."""
        with witness.watching(run):
            sys.exit(3)

    @app.job
    def leave_thread(run: Context) -> None:
        with witness.watching(run):
            sys.exit(3)

    @app.job
    async def mumble(run: Context) -> None:
        """An error that cannot even say what it is."""
        with witness.watching(run):
            raise MumbledError

    @app.job
    async def odd_result(run: Context, kind: str) -> object:
        """Done, and then this."""
        with witness.watching(run):
            return ODD_RESULTS[kind]


def _deep() -> list[object]:
    nest: list[object] = []
    for _ in range(5000):
        nest = [nest]
    return nest


def _cycle() -> list[object]:
    ring: list[object] = []
    ring.append(ring)
    return ring


ODD_RESULTS: dict[str, object] = {
    "object": object(),
    "cycle": _cycle(),
    "deep": _deep(),
    "huge": "x" * 1_000_000,
    "zero": "a zero: \x00.",
    "half": "half of a pair: \ud800",
}


class MumbledError(Exception):
    """Its text is out of order, too."""

    def __str__(self) -> str:
        raise RuntimeError("no words")


def _spin(seconds: float) -> None:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        pass
