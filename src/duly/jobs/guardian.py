"""The guardian: a small process between duly and a tool, or a job, that ends it with every process it started.

duly runs this file as a script, which uses only the standard library: `guardian.py LIFELINE GRACE DIRECTORY ACCOUNT
INSIDE PROGRAM ARGUMENT…`. The guardian forks; the child becomes the tool and leads a process group of its own. With
ACCOUNT, `UID:GID`, the tool runs as that user and the guardian does not, so that the tool cannot kill its guardian.

The guardian ends the tool when it gets SIGTERM, and when the lifeline breaks: a pipe whose other end only duly holds,
so that it breaks however duly dies. On SIGTERM it passes the signal on and waits GRACE seconds; after a broken lifeline
it does not wait. Then it kills the group of the tool and, on Linux, the processes that left the group: they become
children of the guardian, which is their subreaper. It waits for all of them, and exits the way the tool did.

The tool starts only if the working directory is still DIRECTORY: between the check of the path and its use, another
user may have put a link in its place.

For a job, which is a process of `multiprocessing`, `split` forks: the child goes on as the job, the parent guards it.
"""

from __future__ import annotations

import ctypes
import errno
import os
import select
import signal
import stat
import sys
from contextlib import suppress
from pathlib import Path
from typing import NoReturn

_PR_SET_PDEATHSIG = 1
_PR_SET_CHILD_SUBREAPER = 36
_PR_SET_NO_NEW_PRIVS = 38
_PR_CAP_AMBIENT = 47
_CLEAR_ALL = 4
SAME_USER = "-"
"""As an account: the tool runs as the user of its guardian."""
PLAIN = "plain"
SANDBOX = "sandbox"
"""Whether the tool runs in a sandbox, which is then the program that the guardian starts."""
LINUX = sys.platform == "linux"
_ASKED_TO_STOP = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)


def _prctl(option: int, value: int) -> None:
    if LINUX:
        ctypes.CDLL(None).prctl(option, value, 0, 0, 0)


def die_with(parent: int) -> None:
    """Ask the kernel to kill this process when its parent dies, however it dies."""
    _prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:  # it died before the kernel was asked
        os._exit(1)


def _lead_a_group(guardian: int) -> None:
    """Make the child lead a process group, die with the guardian, and handle signals as a new process does."""
    os.setpgid(0, 0)
    die_with(guardian)
    os.close(signal.set_wakeup_fd(-1))  # it was inherited, and would wake the guardian for signals of the child
    for number in (*_ASKED_TO_STOP, signal.SIGCHLD):
        signal.signal(number, signal.SIG_DFL)


def _change_user(account: str, directory: str, inside: str) -> None:
    """Make the child another user for good, without any right of the one before."""
    uid, gid = map(int, account.split(":"))
    for stream in (0, 1, 2):
        if stat.S_ISFIFO(os.fstat(stream).st_mode):
            os.fchown(stream, uid, gid)  # or the tool could not open /dev/stdout
    # The order matters: without the rights of the first user, the groups could not be changed any more.
    os.setgroups([])
    os.setresgid(gid, gid, gid)
    os.setresuid(uid, uid, uid)
    if (
        inside != SANDBOX
    ):  # some systems install bwrap with setuid, which this would disable; bwrap sets the flag itself
        _prctl(_PR_SET_NO_NEW_PRIVS, 1)
    os.chdir(directory)  # again: the other user must be allowed to enter it
    _check_directory(directory)


def _become(arguments: list[str], guardian: int, directory: str, account: str, inside: str) -> None:
    """Replace the child by the tool."""
    _prctl(_PR_CAP_AMBIENT, _CLEAR_ALL)  # the tool must not inherit the capabilities with which duly changes users
    try:
        if account != SAME_USER:
            _change_user(account, directory, inside)  # before `die_with`: a change of user clears that setting
    except OSError as error:
        os.write(2, os.fsencode(f"cannot work in {directory} as user {account}: {error.strerror}\n"))
        os._exit(126)
    try:
        _lead_a_group(guardian)
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)
        os.execvp(arguments[0], arguments)  # noqa: S606  a list of arguments, never a shell
    except OSError as error:
        os.write(2, f"cannot run {arguments[0]}: {error.strerror}\n".encode())
        os._exit(127 if error.errno == errno.ENOENT else 126)


def _check_directory(directory: str) -> None:
    """Exit unless this is the working directory. Only on Linux: elsewhere one directory can have several names."""
    try:
        here = os.getcwd()  # noqa: PTH109  as the kernel says it
    except OSError as error:
        here = f"({error.strerror})"
    if LINUX and here != directory:
        os.write(2, os.fsencode(f"cannot run in {directory}: it is {here} by now\n"))
        os._exit(126)


def _release_streams() -> None:
    """Close the streams, which the tool has: as long as the guardian held them too, duly would never see their end."""
    nothing = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nothing, stream)


def _has_ended(tool: int) -> bool:
    """Tell whether the tool has ended, without collecting its status: until then its pid cannot be used again."""
    return os.waitid(os.P_PID, tool, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None


def _collect_orphans(tool: int) -> None:
    """Wait for orphans of the tool that have ended: they became children of this process, its subreaper."""
    with suppress(ChildProcessError):
        while (found := os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)) and found.si_pid != tool:
            os.waitpid(found.si_pid, 0)


def _ask_to_end(tool: int, inside: str) -> None:
    """Send SIGTERM to the group of the tool; in a sandbox, to the groups below it.

    bwrap itself would end at once on SIGTERM and kill the tool, which then had no time to clean up.
    """
    for leader in _children(tool) if inside == SANDBOX else [tool]:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(leader, signal.SIGTERM)


def _watch(tool: int, lifeline: int, wake: int, grace: float, inside: str) -> None:
    """Return when the tool has ended, or has to be killed: the lifeline broke, or the grace after SIGTERM is over."""
    asked = False
    while not _has_ended(tool):
        ready, _, _ = select.select([lifeline, wake], [], [], grace if asked else None)
        if lifeline in ready or (asked and not ready):
            return
        numbers = os.read(wake, 64) if wake in ready else b""
        if not asked and any(number in numbers for number in _ASKED_TO_STOP):
            asked = True
            _ask_to_end(tool, inside)
        _collect_orphans(tool)


def _children(of: int) -> list[int]:
    try:
        return [int(pid) for pid in Path(f"/proc/{of}/task/{of}/children").read_text(encoding="ascii").split()]
    except OSError:
        return []


def _end_all(tool: int) -> int:
    """Kill the group of the tool and every orphan, until none is left; return the wait status of the tool.

    A killed process leaves its children to this one, so the list of children is read again after each.
    """
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(tool, signal.SIGKILL)
    status = 0
    while True:
        for child in _children(os.getpid()):
            with suppress(ProcessLookupError, PermissionError):
                os.kill(child, signal.SIGKILL)
        try:
            pid, ended = os.waitpid(-1, 0)
        except ChildProcessError:
            return status
        status = ended if pid == tool else status


def _prepare() -> int:
    """Become the subreaper of the tool's orphans; return a file descriptor that can be read after a signal.

    A signal between the check of a flag and `select` would be lost; a byte in a pipe is not. The handlers do nothing:
    without one, Python writes no byte.
    """
    _prctl(_PR_SET_CHILD_SUBREAPER, 1)
    wake, woken = os.pipe()
    os.set_blocking(woken, False)
    signal.set_wakeup_fd(woken, warn_on_full_buffer=False)
    for number in (*_ASKED_TO_STOP, signal.SIGCHLD):
        signal.signal(number, lambda _number, _frame: None)
    return wake


def _guard(tool: int, lifeline: int, wake: int, grace: float, inside: str = PLAIN) -> NoReturn:
    """Guard the tool, end all of its processes, and exit the way it did."""
    with suppress(OSError):
        os.setpgid(tool, tool)  # the child does it as well: either may run first
    _release_streams()
    _watch(tool, lifeline, wake, grace, inside)
    code = os.waitstatus_to_exitcode(_end_all(tool))
    if code < 0:
        with suppress(OSError):  # no handler can be set for SIGKILL
            signal.signal(-code, signal.SIG_DFL)
        os.kill(os.getpid(), -code)
    os._exit(code if code >= 0 else 128 - code)


def split(lifeline: int) -> None:
    """Fork, and return in the child only: this process becomes the guardian of the child."""
    os.setsid()  # signals of the terminal, such as Ctrl-C, are for duly alone
    handlers = {number: signal.getsignal(number) for number in (*_ASKED_TO_STOP, signal.SIGCHLD)}
    wake = _prepare()
    guardian = os.getpid()
    job = os.fork()
    if job != 0:
        _guard(job, lifeline, wake, 0.0)
    _lead_a_group(guardian)
    os.close(wake)
    for number, handler in handlers.items():
        signal.signal(number, handler)


def main(arguments: list[str]) -> None:
    """Run a program under this process as its guardian."""
    given, grace, directory, account, inside, *program = arguments
    _check_directory(directory)
    lifeline = os.dup(int(given))  # a copy that the tool does not inherit, with a number low enough for `select`
    os.close(int(given))
    wake = _prepare()
    guardian = os.getpid()
    tool = os.fork()
    if tool == 0:
        _become(program, guardian, directory, account, inside)
    _guard(tool, lifeline, wake, float(grace), inside)


if __name__ == "__main__":
    main(sys.argv[1:])
