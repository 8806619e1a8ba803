"""Facts about processes: the boot of the machine, the identity of a process, and whether this one is ending.

Also what a process sets up for itself: memory closed to other processes, enough open files, a wait for signals.
"""

from __future__ import annotations

import os
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import cache
from pathlib import Path

ENOUGH_FILES = 65_536
"""More files than a daemon opens; some programs that agents start would be slow with a limit of millions."""
_PR_SET_DUMPABLE = 4
_START_TIME_FIELD = 19  # of /proc/<pid>/stat, counted after the command's closing parenthesis


def is_ending() -> bool:
    """Say whether this process is ending, as far as a thread can tell: thread pools take no work any more."""
    if threading.current_thread() is threading.main_thread():
        return False
    with ThreadPoolExecutor(1) as helper:
        try:
            helper.submit(int)
        except RuntimeError as error:
            return "shutdown" in str(error)  # the other reason is that the machine has no thread left
    return False


def keep_others_out() -> None:
    """Close the memory and the environment of this process to other processes of the same user, where Linux can.

    An agent runs as the same user unless `run_as` names another, and could read every secret in /proc/<pid>/environ and
    /proc/<pid>/mem. Programs that this process starts are not affected: the kernel opens them again as they begin.
    """
    if sys.platform == "linux":
        import ctypes  # late: a short command does not pay for it

        ctypes.CDLL(None).prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0)


@cache
def boot_id() -> str:
    """Give the id of this boot of the machine; a constant where the system has none."""
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
    except OSError:
        return "unknown"


@cache
def pid_space() -> str:
    """Give the space in which pids are unique: this boot of the machine, and the container where there is one."""
    with suppress(OSError):
        return f"{boot_id()} {Path('/proc/self/ns/pid').readlink()}"
    return boot_id()


def pid_started(pid: int) -> str | None:
    """Give the start time of the process with this pid, in the kernel's ticks; None when there is none.

    Two processes that had the same pid one after the other differ in it. Where the system has no start times, the
    answer is `unknown` for any process with that pid.
    """
    try:
        stat = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return "unknown" if not Path("/proc/self/stat").exists() and _exists(pid) else None
    state, *fields = stat.rpartition(")")[2].split()
    return None if state in ("Z", "X") else fields[_START_TIME_FIELD - 1]


def raise_file_limit() -> int:
    """Raise the limit of open files as far as the system allows, up to `ENOUGH_FILES`; gives the new limit."""
    try:
        import resource
    except ImportError:  # not a Unix
        return ENOUGH_FILES
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    most = ENOUGH_FILES if hard == resource.RLIM_INFINITY else min(hard, ENOUGH_FILES)
    if soft != resource.RLIM_INFINITY and soft < most:
        with suppress(OSError, ValueError):  # macOS has a lower limit that it does not report
            resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))
            soft = most
    return ENOUGH_FILES if soft == resource.RLIM_INFINITY else soft


async def until_asked_to_stop() -> None:
    """Return at SIGINT or SIGTERM; a second signal has its usual effect."""
    import asyncio  # late: a short command does not pay for it
    import signal

    loop = asyncio.get_running_loop()
    asked = asyncio.Event()
    handled = []
    for number in (signal.SIGINT, signal.SIGTERM):
        # Outside the main thread asyncio raises RuntimeError and uvloop ValueError; a system without signals raises
        # NotImplementedError, which is a RuntimeError.
        with suppress(RuntimeError, ValueError):
            loop.add_signal_handler(number, asked.set)
            handled.append(number)
    try:
        await asked.wait()
    finally:
        for number in handled:
            loop.remove_signal_handler(number)


def _exists(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True
