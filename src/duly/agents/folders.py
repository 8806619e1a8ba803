"""The folders of agents without a project: closed to other users, and outside duly's data directory.

A run in a new session has an empty folder, which is removed when it ends. A run that continues a session has the same
folder every time, because tools look for a session in the directory where it began. Agents of another user (`run_as`)
have their folders in a directory that every user can enter and only duly can change, so that no user can replace the
folder of another by a link.
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
from duly.agents import run_processes
from duly.clock import Clock
from duly.errors import DulyError

_KEPT_UNUSED = timedelta(days=90)
_LASTING = Path("/var/tmp")  # noqa: S108  owner and mode of the folders there are checked
_KEPT = "kept-"
_ONCE = "once-"


@dataclass(frozen=True, slots=True)
class UnixUser:
    """A user of this machine, as whom agents run."""

    name: str
    uid: int
    gid: int
    home: str
    shell: str


def agents_folder(data_dir: Path) -> Path:
    """Return the folder for the files of agents: always the same for a data directory, and never inside it."""
    data = data_dir.resolve()
    mark = _short_hash(str(data))
    managed = os.environ.get("CACHE_DIRECTORY")  # set by systemd; a hardened service may not write elsewhere
    usual = [*([Path(managed)] if managed else []), user_cache_path("duly", appauthor=False)]
    for candidate in (folder / "agents" / mark for folder in usual):
        place = candidate.resolve()
        if not place.is_relative_to(data) and not data.is_relative_to(place) and _can_be_made(place):
            return place
    return Path(tempfile.gettempdir()).resolve() / f"duly-agents-{mark}"


def _can_be_made(folder: Path) -> bool:
    there = next(place for place in (folder, *folder.parents) if place.exists())
    return there.is_dir() and os.access(there, os.W_OK | os.X_OK)


def _short_hash(text: str) -> str:
    return hashlib.sha256(os.fsencode(text)).hexdigest()[:16]


class Folders:
    """The folders of one dispatcher. `folder` is for agents that run as this user."""

    def __init__(self, folder: Path, clock: Clock, shared: Path | None = None) -> None:
        base = _LASTING if _LASTING.is_dir() else Path(tempfile.gettempdir())
        self._folder = folder
        self._shared = shared or base / f"duly-agents-{_short_hash(str(folder.absolute()))}"
        self._clock = clock

    @property
    def roots(self) -> tuple[Path, Path]:
        """The folders of all agents, which a sandbox hides except for the agent's own."""
        return self._folder, self._shared

    def state(self, user: UnixUser | None, owner: str = "") -> Path:
        """Return the folder that commands name as `{state_dir}`; each owner has one."""
        name = f"state-{_short_hash(owner)}" if owner else "state"
        return _folder_of(self._base(user) / _name(name, user), user)

    @contextmanager
    def scratch(self, kept_for: str | None, user: UnixUser | None, again: str | None = None) -> Iterator[Path]:
        """Give a working directory for as long as the block lasts.

        With `kept_for`, the id of a schedule, every run of that schedule has the same directory; with `again`, a
        directory that was kept for another schedule, if it is still there.
        """
        base = self._base(user)
        self._tidy_up(base)
        if again is not None and self._is_kept(base, Path(again), user):
            os.utime(again)
            yield Path(again)
            return
        if kept_for is not None:
            folder = _folder_of(base / _name(f"{_KEPT}{_short_hash(kept_for)}", user), user)
            os.utime(folder)
            yield folder
            return
        owner = run_processes.owner().replace(":", ".")
        folder = Path(tempfile.mkdtemp(prefix=f"{_ONCE}{owner}-", dir=base))
        try:
            yield _handed_to(folder, user)
        finally:
            _remove(folder)

    def _is_kept(self, base: Path, folder: Path, user: UnixUser | None) -> bool:
        """Tell whether a folder is one that was kept for a schedule of this user, and no link."""
        ours = folder.parent == base and folder.name.startswith(_KEPT)
        same_user = user is None or folder.name.endswith(f"-{user.uid}")
        return ours and same_user and folder.is_dir() and not folder.is_symlink()

    @contextmanager
    def prompt_file(self, prompt: str, user: UnixUser | None) -> Iterator[Path]:
        """Give a file with the prompt, which only the agent and duly can read, for as long as the block lasts."""
        base = self._base(user)
        for left in base.glob("*.prompt"):
            if run_processes.is_gone(left.name.partition("-")[0]):  # a duly that was killed left it
                left.unlink(missing_ok=True)
        with tempfile.NamedTemporaryFile(
            "w", encoding="utf-8", suffix=".prompt", prefix=f"{run_processes.owner()}-", dir=base
        ) as file:
            file.write(prompt)
            file.flush()
            yield _handed_to(Path(file.name), user)

    def _base(self, user: UnixUser | None) -> Path:
        """Make the directory of all folders; refuse one that another user owns or could replace."""
        base = self._folder if user is None else self._shared
        mode = 0o700 if user is None else 0o711  # 711: other users may pass through, but not list or change it
        try:
            private_files.make_folder(base.parent)
            if user is None:
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
        """Remove folders that a killed duly left behind, and those of schedules that have not run for long."""
        longest = self._clock.now().timestamp() - _KEPT_UNUSED.total_seconds()
        for folder in base.iterdir():
            if folder.name.startswith(_ONCE) and run_processes.is_gone(folder.name.split("-")[1].replace(".", ":")):
                _remove(folder)
            elif folder.name.startswith(_KEPT):
                with suppress(FileNotFoundError):
                    if folder.lstat().st_mtime < longest:
                        _remove(folder)


def _refuse_replaceable(folder: Path) -> None:
    """Refuse a folder in which other users could replace the folder of duly."""
    found = folder.stat()
    sticky = found.st_mode & stat.S_ISVTX
    if found.st_uid not in (os.geteuid(), 0) or (found.st_mode & 0o022 and not sticky):
        raise DulyError(
            f"agents cannot work in {folder}: other users may write there, and could put other folders in the place of "
            f"duly's. Run: chmod go-w {shlex.quote(str(folder))}"
        )


def _remove(folder: Path) -> None:
    """Remove a folder with its content; some tools make folders without the right to write, hence `chmod`."""
    for place, inner, _ in os.walk(folder):
        for name in inner:
            path = Path(place) / name
            if not path.is_symlink():
                with suppress(OSError):
                    path.chmod(0o700)
    shutil.rmtree(folder, ignore_errors=True)


def _name(name: str, user: UnixUser | None) -> str:
    return name if user is None else f"{name}-{user.uid}"


def _folder_of(folder: Path, user: UnixUser | None) -> Path:
    """Make a folder that only one user can enter. Only duly can write to its parent, so an existing one is duly's."""
    with suppress(FileExistsError):
        folder.mkdir(mode=0o700)
    return _handed_to(folder, user)


def _handed_to(path: Path, user: UnixUser | None) -> Path:
    if user is not None:
        os.chown(path, user.uid, user.gid, follow_symlinks=False)
    return path
