"""Jobs that are programs: `[jobs]` names an argument list, which is started as it stands, without a shell."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Coroutine, Mapping, Sequence
from pathlib import Path
from typing import Any

from duly.agents import run_processes
from duly.agents.environment import allowed, secrets_among
from duly.agents.output import shorten
from duly.agents.spawn import GRACE, Invocation, run_command
from duly.clock import Clock
from duly.errors import DulyError, InvalidInputError
from duly.outbound.masking import Mask
from duly.ports.dispatch import RunContext

OUTPUT_CAP = 32 * 1024
_LONGEST_REASON = 400
ProgramJob = Callable[[RunContext], Coroutine[Any, Any, dict[str, Any]]]


class ProgramError(DulyError):
    """A program that did not end with the exit code 0."""


def program_job(name: str, words: Sequence[str], folder: Path, environ: Mapping[str, str], clock: Clock) -> ProgramJob:
    """Make the job that starts a program in a folder; raise if the program is not there.

    It gets the harmless variables of this process, and the key and the schedule of its run.
    """
    path = environ.get("PATH", os.defpath)
    if shutil.which(words[0], path=path) is None:
        where = "it is not there, or cannot be executed" if "/" in words[0] else "it is not on PATH"
        raise InvalidInputError(f"it needs the program {words[0]!r}: {where}")

    async def start(run: RunContext) -> dict[str, Any]:
        env = {
            **allowed(environ, ()),
            run_processes.RUN: run.id,
            run_processes.OWNER: run_processes.owner(),
            "DULY_KEY": run.key,
            "DULY_SCHEDULE": run.name,
        }
        command = Invocation(argv=words, cwd=folder, env=env, output_cap=OUTPUT_CAP, grace=GRACE)
        ended = await run_command(command, clock, secrets=Mask(secrets_among(env, {})))
        if ended.code == 0:
            return {"exit_code": 0, "output": ended.stdout.text.strip()}
        said = shorten(ended.stderr.tail.strip() or ended.stdout.tail.strip(), _LONGEST_REASON)
        how = f"was killed by signal {-ended.code}" if ended.code < 0 else f"ended with exit code {ended.code}"
        raise ProgramError(f"{words[0]} {how}{': ' if said else ''}{said}")

    start.__name__ = name
    return start
