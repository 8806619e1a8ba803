"""Stands between duly and a tool, or a job: a small process of its own that lets nothing of it outlive it, or duly.

Run as a script, with nothing but the standard library: `guardian.py LIFELINE GRACE DIRECTORY ACCOUNT INSIDE PROGRAM
ARGUMENT…`. The tool leads a process group of its own. It runs as the user and group of ACCOUNT, `UID:GID`, if they are
given: the guardian itself stays who it is, so that the tool cannot end it. When the tool ends, when SIGTERM comes, or
when the lifeline (a pipe whose other end duly holds) breaks because duly died in whatever way, the whole family is
ended: asked first if there is time, then killed and waited for. On Linux that includes those who left the group. Ends
the way the tool ended.

Nothing begins in a directory that is not the one that was meant: between the check of a path and its use, somebody may
have put a link in its place.

A job's own process is split in two by `split`: one half goes on, the other one stands guard.
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
NOBODY_ELSE = "-"
"""As an account: the tool runs as the user of its guardian."""
PLAIN, SANDBOX = "plain", "sandbox"
"""What the tool is inside of."""
LINUX = sys.platform == "linux"
_ASKED_TO_STOP = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)


def _prctl(option: int, value: int) -> None:
    if LINUX:
        ctypes.CDLL(None).prctl(option, value, 0, 0, 0)


def die_with(parent: int) -> None:
    """Ask the kernel to kill this process when its parent dies, however it dies."""
    _prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:  # it died before we could ask
        os._exit(1)


def _lead_a_group(guardian: int) -> None:
    """In the child: dies with the guardian, and is itself again as far as signals go."""
    os.setpgid(0, 0)
    die_with(guardian)
    os.close(signal.set_wakeup_fd(-1))
    for number in (*_ASKED_TO_STOP, signal.SIGCHLD):
        signal.signal(number, signal.SIG_DFL)


def _change_user(account: str, directory: str, inside: str) -> None:
    """In the child: become another user for good, without any right of the one before."""
    uid, gid = map(int, account.split(":"))
    for stream in (0, 1, 2):
        if stat.S_ISFIFO(os.fstat(stream).st_mode):
            os.fchown(stream, uid, gid)  # or the tool could not open /dev/stdout
    os.setgroups([])
    os.setresgid(gid, gid, gid)
    os.setresuid(uid, uid, uid)
    if inside != SANDBOX:  # some systems install bwrap with rights of its own; it sees to this itself
        _prctl(_PR_SET_NO_NEW_PRIVS, 1)
    os.chdir(directory)
    _stand_in(directory)


def _become(arguments: list[str], guardian: int, directory: str, account: str, inside: str) -> None:
    """In the child: become the tool."""
    _prctl(_PR_CAP_AMBIENT, _CLEAR_ALL)  # a tool inherits no right that the daemon was given to change users
    try:
        if account != NOBODY_ELSE:
            _change_user(account, directory, inside)  # first: the kernel forgets whom to die with at a change of user
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


def _stand_in(directory: str) -> None:
    """Go no further from anywhere else. Where names have several spellings this cannot be told."""
    try:
        here = os.getcwd()  # noqa: PTH109  as the kernel says it
    except OSError as error:
        here = f"({error.strerror})"
    if LINUX and here != directory:
        os.write(2, os.fsencode(f"cannot run in {directory}: it is {here} by now\n"))
        os._exit(126)


def _let_go_of_the_streams() -> None:
    """The tool has them; as long as we held them too, nobody would see their end."""
    nothing = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nothing, stream)


def _has_ended(tool: int) -> bool:
    """Whether the tool is over. It is not buried yet, so its number still stands for it."""
    return os.waitid(os.P_PID, tool, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None


def _bury_strangers(tool: int) -> None:
    """Orphans of the tool's family become our children; those that have ended are waited for."""
    with suppress(ChildProcessError):
        while (found := os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)) and found.si_pid != tool:
            os.waitpid(found.si_pid, 0)


def _ask_to_end(tool: int, inside: str) -> None:
    """Ask the group of the tool. A sandbox that were asked would end at once and take the tool along, unasked."""
    for leader in _children(tool) if inside == SANDBOX else [tool]:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(leader, signal.SIGTERM)


def _watch(tool: int, lifeline: int, wake: int, grace: float, inside: str) -> None:
    """Until the tool has ended, or should not go on."""
    asked = False
    while not _has_ended(tool):
        ready, _, _ = select.select([lifeline, wake], [], [], grace if asked else None)
        if lifeline in ready or (asked and not ready):
            return
        numbers = os.read(wake, 64) if wake in ready else b""
        if not asked and any(number in numbers for number in _ASKED_TO_STOP):
            asked = True
            _ask_to_end(tool, inside)
        _bury_strangers(tool)


def _children(of: int) -> list[int]:
    try:
        return [int(pid) for pid in Path(f"/proc/{of}/task/{of}/children").read_text(encoding="ascii").split()]
    except OSError:
        return []


def _end_all(tool: int) -> int:
    """Kill the tool's group and every orphan of it, wait until none is left; gives how the tool ended."""
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
    """Be told of signals by something to wait on, and inherit the orphans of the family."""
    _prctl(_PR_SET_CHILD_SUBREAPER, 1)
    wake, woken = os.pipe()
    os.set_blocking(woken, False)
    signal.set_wakeup_fd(woken, warn_on_full_buffer=False)
    for number in (*_ASKED_TO_STOP, signal.SIGCHLD):
        signal.signal(number, lambda _number, _frame: None)
    return wake


def _guard(tool: int, lifeline: int, wake: int, grace: float, inside: str = PLAIN) -> NoReturn:
    """Until the tool has ended or must end; then end its family, and the way it ended."""
    with suppress(OSError):
        os.setpgid(tool, tool)  # whoever is first
    _let_go_of_the_streams()
    _watch(tool, lifeline, wake, grace, inside)
    code = os.waitstatus_to_exitcode(_end_all(tool))
    if code < 0:
        with suppress(OSError):  # nobody may have a say about SIGKILL
            signal.signal(-code, signal.SIG_DFL)
        os.kill(os.getpid(), -code)
    os._exit(code if code >= 0 else 128 - code)


def split(lifeline: int) -> None:
    """Return in a child of this process. What was this process stands guard over it from now on, and never returns."""
    os.setsid()  # what a terminal says to duly is not meant for us
    handlers = {number: signal.getsignal(number) for number in (*_ASKED_TO_STOP, signal.SIGCHLD)}
    wake, me = _prepare(), os.getpid()
    job = os.fork()
    if job != 0:
        _guard(job, lifeline, wake, 0.0)
    _lead_a_group(me)
    os.close(wake)
    for number, handler in handlers.items():
        signal.signal(number, handler)


def main(arguments: list[str]) -> None:
    given, grace, directory, account, inside, *program = arguments
    _stand_in(directory)
    lifeline = os.dup(int(given))  # not for the tool, and low enough for `select`, however many files duly has open
    os.close(int(given))
    wake, me = _prepare(), os.getpid()
    tool = os.fork()
    if tool == 0:
        _become(program, me, directory, account, inside)
    _guard(tool, lifeline, wake, float(grace), inside)


if __name__ == "__main__":
    main(sys.argv[1:])
