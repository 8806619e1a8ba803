"""Reads a calendar file in a process of its own, which may use so much of the processor and of memory and no more.

The author of a file decides what it costs, also inside the library that reads it. A process can be ended at any
moment: when the client has gone, when duly stops, and by the system when its seconds are used up. It has the lowest
priority and none of the secrets in the environment.
"""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
from asyncio.subprocess import DEVNULL, PIPE
from collections.abc import AsyncIterator
from contextlib import suppress
from datetime import datetime

from duly.clock import Clock, Turns
from duly.errors import DulyError, InvalidInputError
from duly.jobs.waiting import uninterrupted
from duly.model.codec import from_plain, to_plain
from duly.recurrence import trigger_from_dict
from duly.service.calendar.entries import MOST_BYTES, ImportedReminder, RefusedEntry

MOST_SECONDS = 10
"""Of the processor, for one file: a file of two thousand usual events takes two or three."""
MOST_MEMORY = 1 << 30
_ENVIRONMENT = ("LANG", "LC_ALL", "LD_LIBRARY_PATH", "PATH", "SYSTEMROOT", "TMPDIR", "VIRTUAL_ENV")


async def read_entries(
    data: bytes, zone: str, now: datetime, clock: Clock
) -> AsyncIterator[ImportedReminder | RefusedEntry]:
    """Give what `ics.read_ics` finds in a file, one by one."""
    if len(data) > MOST_BYTES:
        raise InvalidInputError(f"the file has {len(data)} bytes, allowed are {MOST_BYTES}: import it in parts")
    asked = json.dumps({"zone": zone, "now": now.isoformat(), "seconds": MOST_SECONDS}).encode()
    answer = await _answered(asked + b"\n" + data)
    turns = Turns(clock)
    for line in answer.splitlines():
        found = json.loads(line)
        if "error" in found:
            raise InvalidInputError(found["error"])
        kind: type[ImportedReminder | RefusedEntry] = RefusedEntry if "reason" in found else ImportedReminder
        yield from_plain(kind, found, "entry", lambda _path, raw: trigger_from_dict(raw))
        await turns.pause()


async def _answered(asked: bytes) -> bytes:
    """Let a process read, and give its lines; it does not outlive the wait for it."""
    environment = {
        name: value for name, value in os.environ.items() if name in _ENVIRONMENT or name.startswith("PYTHON")
    }
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-P", "-m", __name__), stdin=PIPE, stdout=PIPE, stderr=DEVNULL, env=environment
    )
    try:
        answer, _ = await process.communicate(asked)
    finally:
        if process.returncode is None:
            with suppress(ProcessLookupError):
                process.kill()
            await uninterrupted(process.wait())
    if process.returncode == 0:
        return answer
    if process.returncode in (-signal.SIGXCPU, -signal.SIGKILL):
        raise InvalidInputError(
            f"the file takes more than {MOST_SECONDS} seconds of the processor to read: import it in parts"
        )
    raise InvalidInputError(
        f"the file cannot be read: it takes more than {MOST_MEMORY >> 20} MB of memory, or no calendar program wrote it"
    )


# in the process


def _limit(seconds: int) -> None:
    """Let others go first, and leave the rest to the system: SIGXCPU at the end of the seconds."""
    os.nice(10)
    import resource  # late: Windows has none

    with suppress(ValueError, OSError):  # the system may allow less already
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))


def main() -> None:
    """Read a file from standard input, after a line that says how; write a line for each entry."""
    asked = json.loads(sys.stdin.buffer.readline())
    _limit(asked["seconds"])
    from duly.service.calendar.ics import read_ics  # late: only this process needs the calendar library

    try:
        found = [
            to_plain(each)
            for each in read_ics(sys.stdin.buffer.read(), asked["zone"], datetime.fromisoformat(asked["now"]))
        ]
    except DulyError as error:
        found = [{"error": str(error)}]
    sys.stdout.write("".join(f"{json.dumps(each)}\n" for each in found))


if __name__ == "__main__":
    main()
