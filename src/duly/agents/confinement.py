"""Agents kept away from duly: as another user (`run_as`), or in a sandbox that hides what is none of their business."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from duly.agents.folders import Account, Folders
from duly.agents.profile import Sandbox, SpawnerProfile
from duly.agents.spawn import Command, guarded
from duly.errors import InvalidInputError

_CAPABILITIES = {"CAP_CHOWN": 0, "CAP_DAC_OVERRIDE": 1, "CAP_KILL": 5, "CAP_SETGID": 6, "CAP_SETUID": 7}
"""What this process needs to start, feed and end processes of another user, unless it is root; by their numbers."""
_Mount = tuple[Path, list[str]]
"""A place in the sandbox, and the words that say what is there."""
_BWRAP = "bwrap"
_TRIAL_SECONDS = 30.0
_SCRATCH = ("/tmp", "/var/tmp", "/run")  # noqa: S108  each sandbox has its own
_OF_RUN = ("/run/systemd/resolve", "/run/resolvconf", "/run/NetworkManager/resolv.conf", "/run/current-system")
"""What programs need of /run to find hosts, and on NixOS to be found; the sockets of services there stay outside."""


def account_of(profile: SpawnerProfile) -> Account | None:
    """The user whom agents of a profile run as; None when that is the user of this process."""
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
            f"{key}: {profile.run_as!r} is the user who runs duly, from whom agents are to be kept apart. Name another"
        )
    return Account(
        name=entry.pw_name, uid=entry.pw_uid, gid=entry.pw_gid, home=entry.pw_dir, shell=entry.pw_shell or "/bin/sh"
    )


def fault_of(profile: SpawnerProfile, environ: Mapping[str, str]) -> str | None:
    """Why the agents of a profile could not be kept apart as it says; None when they can, as far as a look tells."""
    try:
        account = account_of(profile)
        if account is not None:
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
    """Turns the commands of profiles into commands that are kept apart."""

    def __init__(self, folders: Folders, hidden: Sequence[Path], environ: Mapping[str, str]) -> None:
        """`hidden` are the files and folders of duly that no agent in a sandbox sees."""
        self._folders = folders
        self._hidden = tuple(hidden)
        self._environ = environ

    def apply(
        self, profile: SpawnerProfile, command: Command, *, writable: Sequence[Path] = (), readable: Sequence[Path] = ()
    ) -> Command:
        """The command as its profile wants it run; besides its directory it may need files of a hidden folder."""
        account = account_of(profile)
        if account is not None:
            _check_rights(profile)
            command = replace(command, account=account)
        if profile.sandbox is Sandbox.NONE:
            return command
        # The directory by what the guardian stands in, which it has checked, and not by a name that may lead elsewhere.
        here = (command.cwd, ["--bind", ".", str(command.cwd)])
        binds = [here, *_binds("--bind", *writable), *_binds("--ro-bind", *readable)]
        argv = self._in_sandbox(profile, account, command.argv, command.cwd, binds)
        return replace(command, argv=argv, in_sandbox=True)

    def check(self, profile: SpawnerProfile) -> None:
        """Refuse a profile whose agents could not be kept apart here; tries the sandbox."""
        if (fault := fault_of(profile, self._environ)) is not None:
            raise InvalidInputError(fault)
        if profile.sandbox is Sandbox.NONE:
            return
        account = account_of(profile)
        trial = Command(
            argv=self._in_sandbox(profile, account, ["true"], Path("/"), ()),
            cwd=Path("/"),
            env={"PATH": self._environ.get("PATH", os.defpath)},
            output_cap=0,
            grace=0.0,
            account=account,
            in_sandbox=True,
        )
        said = _complaint(trial)
        if said is not None:
            raise InvalidInputError(
                f"{profile.key('sandbox')}: bwrap cannot make a sandbox here ({said}). The machine, or the container "
                "that duly is in, has to let its users make namespaces; or remove sandbox, and use run_as instead"
            )

    def _in_sandbox(
        self,
        profile: SpawnerProfile,
        account: Account | None,
        argv: Sequence[str],
        directory: Path,
        binds: Sequence[_Mount],
    ) -> list[str]:
        """What is deeper is mounted later: a project inside the data directory is seen, a data directory in it is not.

        Of two mounts in one place the one that hides wins.
        """
        home = Path(self._environ.get("HOME", "/")) if account is None else Path(account.home)
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


def _complaint(trial: Command) -> str | None:
    """What is wrong when a command is run as agents are; None when it ends well."""
    lifeline, ours = os.pipe()
    try:
        tried = subprocess.run(  # noqa: S603  arguments of ours
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
