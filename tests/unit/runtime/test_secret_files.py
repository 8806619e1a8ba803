"""Secret files, and the errors when one cannot be written."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from duly.clock import SystemClock
from duly.errors import DulyError
from duly.runtime.daemon_lock import DaemonLock
from duly.runtime.secret_files import naming, secret_file


@pytest.mark.parametrize(
    ("number", "cure"),
    [
        (errno.ENOSPC, "free some space on that disk"),
        (errno.EROFS, "let this user write there"),
        (errno.EIO, "see to that"),
    ],
)
def test_a_file_that_cannot_be_written_is_named_with_the_reason_and_the_cure(number: int, cure: str) -> None:
    said = f"cannot write some/file: {os.strerror(number)}; {cure}, or name another directory with --data-dir"
    with pytest.raises(DulyError, match=said), naming(Path("some/file")):
        raise OSError(number, os.strerror(number))


def test_a_secret_file_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    with pytest.raises(DulyError, match=rf"cannot write {tmp_path}/missing/token: No such file or directory"):
        secret_file(tmp_path / "missing" / "token", lambda: "secret")


async def test_a_lock_on_a_full_disk_names_its_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A mock, because the few bytes of this file still fit on a disk that is full for everything else."""

    def no_space(*_: object) -> int:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    lock = DaemonLock(tmp_path)
    with monkeypatch.context() as patch:
        patch.setattr(os, "pwrite", no_space)
        with pytest.raises(
            DulyError, match=rf"cannot write {tmp_path}/daemon\.lock: No space left on device; free some"
        ):
            await lock.claim("http://here", "store", SystemClock())
    lock.release()
