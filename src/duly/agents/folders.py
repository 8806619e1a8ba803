"""Where agents work that have no project: folders of their own, closed to other users and away from duly's data.

A run that starts afresh has an empty folder, which is removed when it ends. One that goes on with a session has the
same folder every time, because tools look for a session in the directory where it began. Agents of another user have
their folders in a directory that every user can pass through and none but duly can change: none can swap another's
folder for a link.
"""

from __future__ import annotations

import hashlib
import os
import shlex
import shutil
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

from platformdirs import user_cache_path

from duly import private_files
from duly.agents import family
from duly.clock import Clock
from duly.errors import DulyError

_KEPT_UNUSED = timedelta(days=90)
_LASTING = Path("/var/tmp")  # noqa: S108  what is made there is checked for its owner and its mode
_KEPT, _ONCE = "kept-", "once-"


@dataclass(frozen=True, slots=True)
class Account:
    """A user of this machine whom agents run as."""

    name: str
    uid: int
    gid: int
    home: str
    shell: str


def agents_folder(data_dir: Path) -> Path:
    """The folder for what agents leave behind, always the same for a data directory, and never inside it."""
    data = data_dir.resolve()
    mark = _mark(str(data))
    managed = os.environ.get("CACHE_DIRECTORY")  # of a service of systemd, which may not write anywhere else
    usual = [*([Path(managed)] if managed else []), user_cache_path("duly", appauthor=False)]
    for candidate in (folder / "agents" / mark for folder in usual):
        place = candidate.resolve()
        if not place.is_relative_to(data) and not data.is_relative_to(place) and _can_be_made(place):
            return place
    return Path(tempfile.gettempdir()).resolve() / f"duly-agents-{mark}"


def _can_be_made(folder: Path) -> bool:
    there = next(place for place in (folder, *folder.parents) if place.exists())
    return there.is_dir() and os.access(there, os.W_OK | os.X_OK)


def _mark(text: str) -> str:
    return hashlib.sha256(os.fsencode(text)).hexdigest()[:16]


class Folders:
    """The folders of one dispatcher. `folder` is for agents that run as this user."""

    def __init__(self, folder: Path, clock: Clock, shared: Path | None = None) -> None:
        base = _LASTING if _LASTING.is_dir() else Path(tempfile.gettempdir())
        self._folder = folder
        self._shared = shared or base / f"duly-agents-{_mark(str(folder.absolute()))}"
        self._clock = clock

    @property
    def roots(self) -> tuple[Path, Path]:
        """What no agent needs to see but for its own share of it."""
        return self._folder, self._shared

    def state(self, account: Account | None, owner: str = "") -> Path:
        """Where tools keep what they are told to keep in `{state_dir}`: each person and each project for itself."""
        name = f"state-{_mark(owner)}" if owner else "state"
        return _folder_of(self._base(account) / _name(name, account), account)

    @contextmanager
    def scratch(self, kept_for: str | None, account: Account | None) -> Iterator[Path]:
        """A working directory as long as the block lasts; `kept_for` names the schedule whose next run has it again."""
        base = self._base(account)
        self._tidy_up(base)
        if kept_for is not None:
            folder = _folder_of(base / _name(f"{_KEPT}{_mark(kept_for)}", account), account)
            os.utime(folder)
            yield folder
            return
        owner = family.owner().replace(":", ".")
        folder = Path(tempfile.mkdtemp(prefix=f"{_ONCE}{owner}-", dir=base))
        try:
            yield _handed_to(folder, account)
        finally:
            _remove(folder)

    @contextmanager
    def prompt_file(self, prompt: str, account: Account | None) -> Iterator[Path]:
        """The prompt in a file that only the agent and duly can read, as long as it is needed."""
        base = self._base(account)
        for left in base.glob("*.prompt"):
            if family.is_gone(left.name.partition("-")[0]):  # by one that was killed
                left.unlink(missing_ok=True)
        with tempfile.NamedTemporaryFile(
            "w", encoding="utf-8", suffix=".prompt", prefix=f"{family.owner()}-", dir=base
        ) as file:
            file.write(prompt)
            file.flush()
            yield _handed_to(Path(file.name), account)

    def _base(self, account: Account | None) -> Path:
        """The directory of all folders; it belongs to this user alone, or what is made in it would be another's."""
        base, mode = (self._folder, 0o700) if account is None else (self._shared, 0o711)
        try:
            private_files.make_folder(base.parent)
            if account is None:
                for above in (base.parent.parent, base.parent):
                    _refuse_replaceable(above)
            with suppress(FileExistsError):
                base.mkdir(mode=mode)
            found = base.lstat()
            if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.geteuid():
                raise DulyError(
                    f"agents cannot work in {base}: it belongs to another user. Find out why it is there, and remove it"
                )
            if stat.S_IMODE(found.st_mode) != mode:
                base.chmod(mode)
        except OSError as error:
            raise DulyError(
                f"cannot make {base}, where agents work: {error.strerror}. Let this user write there, or "
                "name another folder with XDG_CACHE_HOME"
            ) from error
        return base.resolve()

    def _tidy_up(self, base: Path) -> None:
        """Remove what a process that was killed left behind, and folders of schedules that do not run any more."""
        longest = self._clock.now().timestamp() - _KEPT_UNUSED.total_seconds()
        for folder in base.iterdir():
            if folder.name.startswith(_ONCE) and family.is_gone(folder.name.split("-")[1].replace(".", ":")):
                _remove(folder)
            elif folder.name.startswith(_KEPT):
                with suppress(FileNotFoundError):
                    if folder.lstat().st_mtime < longest:
                        _remove(folder)


def _refuse_replaceable(folder: Path) -> None:
    """Refuse a folder in which other users could put another one in the place of ours."""
    found = folder.stat()
    sticky = found.st_mode & stat.S_ISVTX
    if found.st_uid not in (os.geteuid(), 0) or (found.st_mode & 0o022 and not sticky):
        raise DulyError(
            f"agents cannot work in {folder}: other users may write there, and could put other folders in the place of "
            f"duly's. Run: chmod go-w {shlex.quote(str(folder))}"
        )


def _remove(folder: Path) -> None:
    """Remove a folder with all that an agent left in it; some tools make folders that even they cannot write to."""
    for place, inner, _ in os.walk(folder):
        for name in inner:
            path = Path(place) / name
            if not path.is_symlink():
                with suppress(OSError):
                    path.chmod(0o700)
    shutil.rmtree(folder, ignore_errors=True)


def _name(name: str, account: Account | None) -> str:
    return name if account is None else f"{name}-{account.uid}"


def _folder_of(folder: Path, account: Account | None) -> Path:
    """A folder that only one user can enter. Its parent is ours alone, so that none but us has made what is there."""
    with suppress(FileExistsError):
        folder.mkdir(mode=0o700)
    return _handed_to(folder, account)


def _handed_to(path: Path, account: Account | None) -> Path:
    if account is not None:
        os.chown(path, account.uid, account.gid, follow_symlinks=False)
    return path
