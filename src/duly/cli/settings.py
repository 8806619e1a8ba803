"""The options every command with a store has, and the settings they lead to."""

from __future__ import annotations

import os
import sys
from argparse import Namespace
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from duly.cli.parser import Parser
from duly.errors import ConfigError

if TYPE_CHECKING:
    from duly.config.settings import Settings


def add_settings_arguments(parser: Parser) -> None:
    parser.add_argument(
        "--config", metavar="FILE", help="settings (duly.toml here once it is trusted, or in the data directory)"
    )
    parser.add_argument("--data-dir", metavar="DIR", help="where schedules are kept (or DULY_DATA_DIR)")


def read_settings(arguments: Namespace) -> Settings:
    """The settings that the options lead to."""
    from duly.config.reading import load

    return _with_address(arguments, load(os.environ, config=arguments.config, data_dir=arguments.data_dir))


def read_again(arguments: Namespace, settings: Settings, file: Path) -> Settings:
    """The same from the file as it is now. If it had to be trusted at the start, it has to be trusted as it is now."""
    from duly.config.reading import load_with

    again = load_with(os.environ, file, data_dir=arguments.data_dir, needs_trust=settings.needs_trust)
    return _with_address(arguments, again)


def read_settings_of_daemon(arguments: Namespace) -> Settings:
    """The same, but with the file that the daemon of the data directory goes by, if one runs there.

    What a command accepts, the daemon has to accept too; another `duly.toml` in the current directory is not its.
    """
    from duly.config.reading import load_with
    from duly.runtime.daemon_lock import find_daemon

    try:
        settings = read_settings(arguments)
    except ConfigError as error:
        return _without_the_file(arguments, error)
    facts = find_daemon(settings.data_dir) or {}
    if "config" not in facts:
        return _telling_of_untrusted(settings)
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
        return _without_the_file(arguments, error)
    return _with_address(arguments, read)


def _without_the_file(arguments: Namespace, error: ConfigError) -> Settings:
    """Settings for a command when the file has a fault and the daemon goes on with what it had.

    People can still see what is wrong, and answer their reminders. Without a daemon the fault is all there is to say.
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


def _telling_of_untrusted(settings: Settings) -> Settings:
    """Say on standard error that the file of the working directory is not used."""
    if settings.untrusted is not None:
        from duly.config.reading import untrusted

        sys.stderr.write(f"duly: not used: {untrusted(settings.untrusted)}\n")
    return settings


def _with_address(arguments: Namespace, settings: Settings) -> Settings:
    host, port = getattr(arguments, "host", None), getattr(arguments, "port", None)
    return replace(settings, host=host or settings.host, port=settings.port if port is None else port)
