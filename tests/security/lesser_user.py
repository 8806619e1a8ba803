"""Start a program as a user without rights, although the tests may run as root.

Root reads everything, so what a user's own processes can read of each other shows only without it. The files of the
tests and the interpreter may belong to root and be closed to others: one capability stays, to open files; it does not
count where the kernel asks whether one process may look into another. As a script: `lesser_user.py UID CAPS PROGRAM…`.
"""

from __future__ import annotations

import ctypes
import os
import sys
from collections.abc import Sequence

CHOWN, DAC_OVERRIDE, KILL, SETGID, SETUID = 0, 1, 5, 6, 7
UID = 54321
"""Of no user of any machine."""
_KEEP_CAPABILITIES, _AMBIENT, _RAISE = 8, 47, 2
_VERSION_3 = 0x20080522


def as_lesser_user(*program: str, uid: int = UID, keeping: Sequence[int] = (DAC_OVERRIDE,)) -> list[str]:
    """The arguments that start a program without the rights of root; as they are where there are none to lose."""
    if os.geteuid() != 0:
        return list(program)
    return [sys.executable, __file__, str(uid), ",".join(map(str, keeping)), *program]


def _drop(uid: int, kept: Sequence[int]) -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    bits = sum(1 << number for number in kept)
    libc.prctl(_KEEP_CAPABILITIES, 1, 0, 0, 0)
    os.setgroups([])
    os.setresgid(uid, uid, uid)
    os.setresuid(uid, uid, uid)
    header = (ctypes.c_uint32 * 2)(_VERSION_3, 0)
    data = (ctypes.c_uint32 * 6)(bits, bits, bits, 0, 0, 0)
    if libc.capset(header, data) != 0:
        raise OSError(ctypes.get_errno(), "capset")
    for number in kept:
        libc.prctl(_AMBIENT, _RAISE, number, 0, 0)


if __name__ == "__main__":
    _drop(int(sys.argv[1]), [int(number) for number in sys.argv[2].split(",")])
    os.execvp(sys.argv[3], sys.argv[3:])  # noqa: S606  a list of arguments, never a shell
