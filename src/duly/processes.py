"""Which machine this is since when, whether a process is still the one it was, whether this one ends, and
that no other one looks into it.
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
    """Whether this process is on its way out, as far as a thread can tell: none of its helpers takes work any more."""
    if threading.current_thread() is threading.main_thread():
        return False
    with ThreadPoolExecutor(1) as helper:
        try:
            helper.submit(int)
        except RuntimeError as error:
            return "shutdown" in str(error)  # and not that the machine has no thread left
    return False


def keep_others_out() -> None:
    """Close the memory and the environment of this process to other processes of the same user, where Linux can.

    An agent runs as the same user unless it is told otherwise, and could read every secret in /proc/<pid>/environ and
    /proc/<pid>/mem. Programs that this process starts are not affected: the kernel opens them again as they begin.
    """
    if sys.platform == "linux":
        import ctypes  # late: a short command does not pay for it

        ctypes.CDLL(None).prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0)


@cache
def boot_id() -> str:
    """Different after every boot; a constant where the system does not tell."""
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
    except OSError:
        return "unknown"


@cache
def pid_space() -> str:
    """Where pids mean what they mean here: this machine since its last boot, and our container where there is one."""
    with suppress(OSError):
        return f"{boot_id()} {Path('/proc/self/ns/pid').readlink()}"
    return boot_id()


def pid_started(pid: int) -> str | None:
    """When the process that has this pid was started, in the kernel's ticks; None when there is none.

    Two processes that had the same pid one after the other differ in this. Where the system does not tell, all that
    is known is that some process has the pid.
    """
    try:
        stat = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return "unknown" if not Path("/proc/self/stat").exists() and _exists(pid) else None
    state, *fields = stat.rpartition(")")[2].split()
    return None if state in ("Z", "X") else fields[_START_TIME_FIELD - 1]


def raise_file_limit() -> int:
    """Let this process open as many files as the system lets it, up to `ENOUGH_FILES`; gives how many that are."""
    try:
        import resource
    except ImportError:  # not a Unix
        return ENOUGH_FILES
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    most = ENOUGH_FILES if hard == resource.RLIM_INFINITY else min(hard, ENOUGH_FILES)
    if soft != resource.RLIM_INFINITY and soft < most:
        with suppress(OSError, ValueError):  # macOS knows a lower one, which it does not tell here
            resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))
            soft = most
    return ENOUGH_FILES if soft == resource.RLIM_INFINITY else soft


def _exists(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True
