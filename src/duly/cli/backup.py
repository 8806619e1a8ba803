"""`duly backup` and `duly restore`: a copy of all that duly remembers, and the way back."""

from __future__ import annotations

import asyncio
from argparse import Namespace
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from duly.cli.arguments import Parser, UsageError, add_common_arguments
from duly.cli.asking import AnyDuly, Here, with_duly
from duly.cli.output import as_json
from duly.cli.progress import progress_line
from duly.cli.settings import REMOTE, read_settings_of_daemon
from duly.errors import DulyError

if TYPE_CHECKING:
    from duly.clock import Clock
    from duly.runtime.runtime import Runtime
    from duly.service.backups import BackupMade, BackupView

Result = TypeVar("Result")


def backup(parser: Parser, words: list[str], clock: Clock) -> str:
    """`duly backup`: write a backup while duly runs, or check one."""
    parser.add_argument(
        "file",
        metavar="FILE",
        nargs="?",
        help="where to write it; no file is overwritten (default: a new one in the folder of [backup], at the daemon)",
    )
    parser.add_argument("--verify", action="store_true", help="check the backup that FILE is, and make none")
    add_common_arguments(parser)
    arguments = parser.read(words)
    if arguments.file is None and not arguments.verify:
        return _in_folder(arguments, clock)
    if arguments.file is None:
        raise UsageError("duly backup --verify needs FILE: the backup to check")
    file = Path(arguments.file).expanduser()

    if arguments.verify:
        from duly.service.backups import verify

        with progress_line() as line:
            return _said(arguments, asyncio.run(verify(file, line.show)), "whole: every checksum is right")

    async def make(runtime: Runtime) -> BackupView:
        with progress_line() as line:
            return await runtime.backups.write(file, line.show)

    return _said(arguments, _with_closed(arguments, clock, make), "written and checked")


def _in_folder(arguments: Namespace, clock: Clock) -> str:
    """Have a backup made in the folder of `[backup]`: here in this process, or by the daemon that `--server` names."""

    async def act(duly: AnyDuly) -> BackupMade:
        from duly.operations.records import MakeBackup
        from duly.service.backups import BackupMade

        if isinstance(duly, Here):
            made = await duly.services.process.backups.make(duly.caller)
            return BackupMade(folder=str(Path(made.file).parent), backup=made)
        return await duly.ask(MakeBackup())

    done = with_duly(arguments, clock, act)
    if arguments.json:
        from duly.service.schedules.views import plain

        return as_json(plain(done))
    if done.backup is None:
        return f"a backup is being made in {done.folder}; health is red if it fails\n"
    return f"✓ {done.backup}\nwritten and checked\n"


def restore(parser: Parser, words: list[str], clock: Clock) -> str:
    """`duly restore`: put a backup in place of the store; no daemon may run."""
    parser.add_argument("file", metavar="FILE", help="a backup that duly backup made")
    parser.add_argument("--force", action="store_true", help="also in place of a store that has schedules")
    add_common_arguments(parser)
    arguments = parser.read(words)
    file = Path(arguments.file).expanduser()

    async def put_back(runtime: Runtime) -> tuple[BackupView, Path | None]:
        from duly.runtime.daemon_lock import DaemonLock
        from duly.runtime.secret_files import make_data_dir

        make_data_dir(runtime.settings.data_dir)
        lock = DaemonLock(runtime.settings.data_dir)
        lock.refuse_second()
        # Held meanwhile, so that no daemon starts.
        await lock.claim("duly restore", runtime.store.url, clock, runtime.settings.file)
        try:
            with progress_line() as line:
                return await runtime.backups.restore(file, line.show, force=arguments.force)
        finally:
            lock.release()

    done, kept = _with_closed(arguments, clock, put_back)
    if arguments.json:
        return _said(arguments, done, "", kept=None if kept is None else str(kept))
    before = "" if kept is None else f"\nthe store that was there is kept as {kept}: remove it when you need it no more"
    return _said(arguments, done, f"is the store now{before}")


def _with_closed(arguments: Namespace, clock: Clock, action: Callable[[Runtime], Awaitable[Result]]) -> Result:
    """Act with a runtime whose store is not opened: an older schema stays as it is, and a missing store is not made."""
    from duly.runtime.runtime import Runtime

    if REMOTE.get() is not None:
        raise DulyError("duly backup FILE writes on this machine: run it where the store is, or leave out FILE")
    runtime = Runtime(read_settings_of_daemon(arguments), clock=clock)

    async def act() -> Result:
        try:
            return await action(runtime)
        finally:
            await runtime.close()

    return asyncio.run(act())


def _said(arguments: Namespace, view: BackupView, said: str, **more: str | None) -> str:
    if arguments.json:
        from duly.service.schedules.views import plain

        return as_json({**plain(view), **more})
    return f"✓ {view}\n{said}\n"
