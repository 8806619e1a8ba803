"""The settings that a command's options lead to, and the runtime that a command works with."""

from __future__ import annotations

import os
import sys
from argparse import Namespace
from collections.abc import Awaitable, Callable
from contextvars import ContextVar
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from duly.errors import ConfigError, DulyError

if TYPE_CHECKING:
    from duly.clock import Clock
    from duly.config.settings import Settings
    from duly.runtime.runtime import Runtime
    from duly.service.access.scopes import Caller

Result = TypeVar("Result")
REMOTE: ContextVar[tuple[str, str | None] | None] = ContextVar("duly_server", default=None)
"""The address and the token of the daemon that `--server` names; None for the store of this machine."""


def with_runtime(arguments: Namespace, clock: Clock, action: Callable[[Runtime, Caller], Awaitable[Result]]) -> Result:
    """Open the runtime of a command, carry out an action as the local user, and close the runtime."""
    import asyncio

    if REMOTE.get() is not None:
        raise DulyError("this command does not work with --server: run it where the daemon runs")
    from duly.runtime.runtime import Runtime
    from duly.service.access.audit import act_as
    from duly.service.access.scopes import Face

    refuse_unstorable(arguments)

    async def act() -> Result:
        runtime = Runtime(read_settings_of_daemon(arguments), clock=clock)
        await runtime.open()
        try:
            await runtime.agree_with_daemon()
            caller = runtime.local(Face.CLI)
            act_as(caller)
            return await action(runtime, caller)
        finally:
            await runtime.close()

    return asyncio.run(act())


def refuse_unstorable(arguments: Namespace) -> None:
    """Refuse text that no store can look for, such as bytes of another encoding."""
    from duly.service.schedules.values import storable

    for name, value in vars(arguments).items():
        for each in value if isinstance(value, list) else [value]:
            if isinstance(each, str):
                storable(each, name)


def read_settings(arguments: Namespace) -> Settings:
    """Read the settings that the options lead to."""
    from duly.config.reading import load

    return _with_address(arguments, load(os.environ, config=arguments.config, data_dir=arguments.data_dir))


def read_again(arguments: Namespace, settings: Settings, file: Path) -> Settings:
    """Read the file as it is now. If it had to be trusted at the start, it has to be trusted as it is now."""
    from duly.config.reading import load_with

    again = load_with(os.environ, file, data_dir=arguments.data_dir, needs_trust=settings.needs_trust)
    return _with_address(arguments, again)


def read_settings_of_daemon(arguments: Namespace) -> Settings:
    """Read the settings from the file that the daemon of the data directory uses, if one runs there.

    The daemon has to accept what a command accepts; another `duly.toml` in the current directory is not its file.
    """
    from duly.config.reading import load_with
    from duly.runtime.daemon_lock import find_daemon

    try:
        settings = read_settings(arguments)
    except ConfigError as error:
        return _without_file(arguments, error)
    facts = find_daemon(settings.data_dir) or {}
    if "config" not in facts:
        _warn_of_untrusted(settings)
        return settings
    if facts["config"] == (None if settings.file is None else str(settings.file)):
        return settings
    theirs = None if facts["config"] is None else Path(facts["config"])
    if arguments.config or os.environ.get("DULY_CONFIG"):
        shown = "without a file" if theirs is None else f"with {theirs}"
        raise ConfigError(
            "--config" if arguments.config else "DULY_CONFIG",
            f"names {settings.file}, but the daemon of {settings.data_dir} runs {shown}: leave it out, or restart the "
            f"daemon with it",
        )
    needs_trust = bool(facts.get("needs_trust"))
    try:
        read = load_with(os.environ, theirs, data_dir=str(settings.data_dir), needs_trust=needs_trust)
    except ConfigError as error:
        return _without_file(arguments, error)
    return _with_address(arguments, read)


def _without_file(arguments: Namespace, error: ConfigError) -> Settings:
    """Make settings for a command when the file has a fault and the daemon goes on with its earlier settings.

    People can still see what is wrong, and answer their reminders. Without a daemon the fault is raised.
    """
    from duly.config.reading import data_directory, load_with
    from duly.runtime.daemon_lock import find_daemon
    from duly.stores import is_server

    directory = data_directory(os.environ, arguments.data_dir)
    store = (find_daemon(directory) or {}).get("store")
    if not isinstance(store, str) or is_server(store) or arguments.config:
        raise error  # the password of a server is in the file, or where the file says
    sys.stderr.write(f"duly: {error}\n")
    sys.stderr.write("duly: the running daemon goes on with what it had; this command goes on without the file\n")
    return replace(load_with(os.environ, None, data_dir=str(directory)), store=store)


def _warn_of_untrusted(settings: Settings) -> None:
    """Say on standard error that the file of the working directory is not used."""
    if settings.untrusted is not None:
        from duly.config.reading import untrusted

        sys.stderr.write(f"duly: not used: {untrusted(settings.untrusted)}\n")


def _with_address(arguments: Namespace, settings: Settings) -> Settings:
    """Let `--host` and `--port` of the commands that have them replace the configured ones."""
    host = getattr(arguments, "host", None)
    port = getattr(arguments, "port", None)
    return replace(settings, host=host or settings.host, port=settings.port if port is None else port)
