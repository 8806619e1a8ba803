"""Confinement of agents: as another user (`run_as`), or in a sandbox without duly's files."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from duly.agents.folders import Folders, UnixUser
from duly.agents.profile import Sandbox, SpawnerProfile
from duly.agents.spawn import Invocation, guarded
from duly.errors import InvalidInputError
from duly.sealed import check_command

_CAPABILITIES = {"CAP_CHOWN": 0, "CAP_DAC_OVERRIDE": 1, "CAP_KILL": 5, "CAP_SETGID": 6, "CAP_SETUID": 7}
"""The capabilities, by number, that a process needs to start, feed and end processes of another user without root."""
_Mount = tuple[Path, list[str]]
"""A path in the sandbox, and the arguments of bwrap that mount something there."""
_BWRAP = "bwrap"
_TRIAL_SECONDS = 30.0
_SCRATCH = ("/tmp", "/var/tmp", "/run")  # noqa: S108  each sandbox has its own
_OF_RUN = ("/run/systemd/resolve", "/run/resolvconf", "/run/NetworkManager/resolv.conf", "/run/current-system")
"""The parts of /run that programs need: to look up hosts, and on NixOS to find programs. Its sockets are hidden."""


def user_of(profile: SpawnerProfile) -> UnixUser | None:
    """Return the user as whom agents of a profile run; None for the user of this process."""
    if profile.run_as is None:
        return None
    import pwd  # late: not every system has it

    key = profile.key("run_as")
    try:
        entry = pwd.getpwnam(profile.run_as)
    except KeyError:
        raise InvalidInputError(
            f"{key}: there is no user {profile.run_as!r} on this machine. Make one, such as with: "
            f"useradd --system --create-home {profile.run_as}"
        ) from None
    if entry.pw_uid == 0:
        raise InvalidInputError(f"{key}: {profile.run_as!r} is root, who may do everything. Name a user without rights")
    if entry.pw_uid == os.geteuid():
        raise InvalidInputError(
            f"{key}: {profile.run_as!r} is the user who runs duly, and agents must run as another one. Name another"
        )
    return UnixUser(
        name=entry.pw_name, uid=entry.pw_uid, gid=entry.pw_gid, home=entry.pw_dir, shell=entry.pw_shell or "/bin/sh"
    )


def fault_of(profile: SpawnerProfile, environ: Mapping[str, str]) -> str | None:
    """Say why agents of a profile cannot be confined as it asks; None when nothing speaks against it."""
    try:
        if user_of(profile) is not None:
            _check_rights(profile)
        if profile.sandbox is Sandbox.BWRAP:
            _bwrap(profile, environ)
    except InvalidInputError as error:
        return str(error)
    return None


def _check_rights(profile: SpawnerProfile) -> None:
    if os.geteuid() == 0 or not (missing := _missing_capabilities()):
        return
    raise InvalidInputError(
        f"{profile.key('run_as')}: to start agents as {profile.run_as!r}, duly has to run as root, or with "
        f"{', '.join(missing)} besides what it has (it runs as uid {os.geteuid()}). Start it so, or remove run_as"
    )


def _missing_capabilities() -> list[str]:
    try:
        status = Path("/proc/self/status").read_text(encoding="ascii", errors="replace")
        held = int(next(line.split()[1] for line in status.splitlines() if line.startswith("CapEff:")), 16)
    except (OSError, StopIteration, ValueError):
        held = 0
    return [name for name, number in _CAPABILITIES.items() if not held >> number & 1]


def _bwrap(profile: SpawnerProfile, environ: Mapping[str, str]) -> str:
    found = shutil.which(_BWRAP, path=environ.get("PATH", os.defpath))
    if found is None:
        raise InvalidInputError(
            f"{profile.key('sandbox')} needs the program 'bwrap', which is not on PATH: install the package "
            "bubblewrap, or remove sandbox"
        )
    return found


class Confinement:
    """Turns the commands of profiles into confined commands."""

    def __init__(self, folders: Folders, hidden: Sequence[Path], environ: Mapping[str, str]) -> None:
        """Take the files and folders of duly that are hidden in a sandbox."""
        self._folders = folders
        self._hidden = tuple(hidden)
        self._environ = environ

    def apply(
        self,
        profile: SpawnerProfile,
        command: Invocation,
        *,
        writable: Sequence[Path] = (),
        readable: Sequence[Path] = (),
    ) -> Invocation:
        """Return the command confined as its profile asks; raise if it would run a file that was changed since trusted.

        `writable` and `readable` are paths in hidden folders that it needs besides its working directory.
        """
        if check_command(command.argv, command.cwd):  # a compiled cache need not be what was trusted
            command = replace(command, env={**command.env, "PYTHONPYCACHEPREFIX": os.devnull})
        user = user_of(profile)
        if user is not None:
            _check_rights(profile)
            command = replace(command, user=user)
        if profile.sandbox is Sandbox.NONE:
            return command
        # Bind "." and not the path: the guardian has checked its own directory, the path may lead elsewhere by now.
        here = (command.cwd, ["--bind", ".", str(command.cwd)])
        binds = [here, *_binds("--bind", *writable), *_binds("--ro-bind", *readable)]
        argv = self._in_sandbox(profile, user, command.argv, command.cwd, binds)
        return replace(command, argv=argv, in_sandbox=True)

    def check(self, profile: SpawnerProfile) -> None:
        """Refuse a profile whose agents cannot be confined on this machine; tries the sandbox."""
        if (fault := fault_of(profile, self._environ)) is not None:
            raise InvalidInputError(fault)
        if profile.sandbox is Sandbox.NONE:
            return
        user = user_of(profile)
        trial = Invocation(
            argv=self._in_sandbox(profile, user, ["true"], Path("/"), ()),
            cwd=Path("/"),
            env={"PATH": self._environ.get("PATH", os.defpath)},
            output_cap=0,
            grace=0.0,
            user=user,
            in_sandbox=True,
        )
        said = _tried(trial)
        if said is not None:
            raise InvalidInputError(
                f"{profile.key('sandbox')}: bwrap cannot make a sandbox here ({said}). The machine, or the container "
                "that duly is in, has to let its users make namespaces; or remove sandbox, and use run_as instead"
            )

    def _in_sandbox(
        self,
        profile: SpawnerProfile,
        user: UnixUser | None,
        argv: Sequence[str],
        directory: Path,
        binds: Sequence[_Mount],
    ) -> list[str]:
        """Return the arguments of bwrap around a command.

        Deeper paths are mounted later: a project inside the data directory is visible, and a data directory inside a
        project is hidden. At the same path, hiding comes last and wins.
        """
        home = Path(self._environ.get("HOME", "/")) if user is None else Path(user.home)
        more = [home / path[2:] if path.startswith("~/") else Path(path) for path in profile.writable]
        hidden = [path.resolve() for path in (*self._hidden, *self._folders.roots) if path.exists()]
        mounts = [(Path(path), ["--tmpfs", path]) for path in _SCRATCH]
        mounts += [*_binds("--ro-bind-try", *map(Path, _OF_RUN)), *binds, *_binds("--bind-try", *more)]
        mounts += [(path, _hiding(path)) for path in hidden]
        return [
            *(_bwrap(profile, self._environ), "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc"),
            *(word for _, mount in sorted(mounts, key=lambda each: len(each[0].parts)) for word in mount),
            *("--unshare-pid", "--unshare-ipc", "--die-with-parent", "--new-session", "--cap-drop", "ALL"),
            *(() if profile.network else ("--unshare-net",)),
            *("--chdir", str(directory), "--", *argv),
        ]


def _tried(trial: Invocation) -> str | None:
    """Run a command as agents are run; return what is wrong, None when it ends well."""
    lifeline, ours = os.pipe()
    try:
        tried = subprocess.run(  # noqa: S603  arguments made here
            guarded(trial, lifeline),
            cwd=trial.cwd,
            env=dict(trial.env),
            pass_fds=(lifeline,),
            capture_output=True,
            text=True,
            errors="replace",
            timeout=_TRIAL_SECONDS,
            check=False,
        )
    except (OSError, subprocess.SubprocessError) as error:
        return str(error)
    finally:
        os.close(lifeline)
        os.close(ours)
    return None if tried.returncode == 0 else tried.stderr.strip() or f"exit code {tried.returncode}"


def _binds(way: str, *paths: Path) -> list[_Mount]:
    return [(path, [way, str(path), str(path)]) for path in paths]


def _hiding(path: Path) -> list[str]:
    return ["--tmpfs", str(path)] if path.is_dir() else ["--ro-bind", "/dev/null", str(path)]
