"""`duly trust`: let a configuration file of another folder than the user's own be used."""

from __future__ import annotations

import sys
from argparse import Namespace
from pathlib import Path
from typing import TYPE_CHECKING

from duly.cli.common import as_json, table
from duly.cli.parser import Parser, UsageError
from duly.config.reading import FILE_NAME, data_directory, load, load_with, read_text, trusted_files
from duly.errors import ConfigError, DulyError
from duly.service.access.access import Face

if TYPE_CHECKING:
    from duly.clock import Clock


def trust(parser: Parser, words: list[str], clock: Clock) -> str:
    """`duly trust [FILE]`: records the path and the content; a changed file waits until it is trusted again."""
    parser.add_argument("file", nargs="?", help=f"a configuration file, or its folder ({FILE_NAME} here)")
    parser.add_argument("--revoke", action="store_true", help="trust it no longer")
    parser.add_argument("--list", action="store_true", help="every trusted file, and whether it has changed since")
    parser.add_argument("--json", action="store_true", help="for programs")
    arguments = parser.read(words)
    if arguments.list and (arguments.revoke or arguments.file):
        raise UsageError("duly trust --list takes neither a file nor --revoke")
    if arguments.list:
        return _listed(arguments)
    file = _file(arguments.file)
    return _revoked(file, arguments, clock) if arguments.revoke else _trusted(file, arguments, clock)


def _file(named: str | None) -> Path:
    path = Path(named or FILE_NAME).expanduser()
    return (path / FILE_NAME if path.is_dir() else path).absolute()


def _trusted(file: Path, arguments: Namespace, clock: Clock) -> str:
    if not file.is_file():
        raise ConfigError("", "there is no such file", str(file))
    text = read_text(file)
    settings = load_with({}, file.resolve())  # a file with a fault is refused before anything is recorded
    digest = trusted_files().add(file, text)
    _note(file, digest, clock)
    if arguments.json:
        return as_json({"file": str(file.resolve()), "trusted": True})
    starts = [
        f"  {what}: {', '.join(names)}"
        for what, names in (("jobs", settings.jobs), ("spawners", settings.spawners), ("gates", settings.gates))
        if names
    ]
    return "\n".join([f"✓ {file.resolve()} is trusted as it is now; a change of it needs trust again", *starts]) + "\n"


def _revoked(file: Path, arguments: Namespace, clock: Clock) -> str:
    if not trusted_files().remove(file):
        raise ConfigError("", "was not trusted: duly trust --list shows what is", str(file))
    _note(file, None, clock)
    return (
        as_json({"file": str(file.resolve()), "trusted": False})
        if arguments.json
        else f"✓ {file} is not trusted any more\n"
    )


def _note(file: Path, digest: str | None, clock: Clock) -> None:
    """Record the decision in the audit of the user's own store, whichever folder this is.

    The decision counts without it: a store that cannot be written keeps the user from nothing, but they are told.
    """
    import asyncio
    import os

    from duly.runtime.runtime import Runtime

    where = str(file.resolve())

    async def note() -> None:
        runtime = Runtime(load(os.environ, here=data_directory({}, None)), clock=clock)
        await runtime.open()
        try:
            await runtime.audit.note_trust(runtime.local(Face.CLI), where, digest)
        finally:
            await runtime.close()

    try:
        asyncio.run(note())
    except DulyError as error:
        sys.stderr.write(f"duly: this is not in the audit: {error}\n")


def _listed(arguments: Namespace) -> str:
    found = trusted_files().all()
    if arguments.json:
        return as_json([{"file": str(file), "unchanged": unchanged} for file, unchanged in found.items()])
    if not found:
        return "no file is trusted; the one in the data directory needs no trust\n"
    return table(["STATE", "FILE"], [["ok" if same else "changed or gone", str(file)] for file, same in found.items()])
