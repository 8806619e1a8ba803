"""Finding and reading `duly.toml`: which file counts, whether the user trusts it, and on which line a fault is."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from duly import private_files
from duly.config.coverage import coverage_of, work_tree_of
from duly.config.sections import read_settings, resolve_path
from duly.config.settings import Settings
from duly.config.trust import TrustedFiles
from duly.config_section import ConfigSection
from duly.errors import ConfigError, EntryError, InvalidInputError, UntrustedFileError
from duly.sealed import MISSING, digest_of

FILE_NAME = "duly.toml"


def load(
    environment: Mapping[str, str], *, config: str | None = None, data_dir: str | None = None, here: Path | None = None
) -> Settings:
    """Read the settings from a file and the environment.

    The data directory is the one given, else `DULY_DATA_DIR`, else `data_dir` of the file, else the user's own. The
    file is the one named, else `DULY_CONFIG`, else `duly.toml` here if the user trusts it, else the one in the data
    directory, else none. Paths in the file start from the file, all others from here.
    """
    here = here or Path.cwd()
    directory = _given_directory(environment, data_dir, here)
    if directory is not None and not data_dir:  # of one that is typed by hand, health says it
        _refuse_foreign("DULY_DATA_DIR", directory)
    if named := config or environment.get("DULY_CONFIG"):
        file = resolve_path(named, here)
        if not file.is_file():
            raise ConfigError(named, "there is no such file")
        _refuse_foreign("--config" if config else "DULY_CONFIG", file.resolve())
        return _load(file.resolve(), directory, here)
    if (found := _strangers(directory, here)) is not None:
        with suppress(UntrustedFileError):
            return _load(found, directory, here, needs_trust=True)
    files = (place / FILE_NAME for place in _owners_places(directory))
    own = next((file.resolve() for file in files if file.is_file()), None)
    needs_trust = directory is not None and repository_of(directory) is not None
    return replace(_load(own, directory, here, needs_trust=needs_trust), untrusted=found)


def load_with(
    environment: Mapping[str, str], file: Path | None, *, data_dir: str | None = None, needs_trust: bool = False
) -> Settings:
    """Read the settings from this file, or from none; no file is searched for."""
    here = Path.cwd()
    return _load(file, _given_directory(environment, data_dir, here), here, needs_trust=needs_trust)


def trusted_files() -> TrustedFiles:
    """Give the list of trusted files of the user who runs this process."""
    return TrustedFiles(_users())


def read_text(file: Path) -> str:
    """Read the text of a configuration file."""
    if file.exists() and not file.is_file():  # opening a pipe would block
        raise ConfigError("", "is not a file", _shown(file))
    try:
        return file.read_text(encoding="utf-8")
    except FileNotFoundError as error:
        raise ConfigError(str(file), "there is no such file") from error
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError("", f"cannot be read: {error}", _shown(file)) from error


def trust(file: Path) -> tuple[Settings, str]:
    """Trust a file with all that it runs, as they are now; give its settings, and one digest of it all."""
    settings = _load(file.resolve(), None, file.parent, asks_repository=False)
    trusted = coverage_of(settings)
    return replace(settings, sealed=trusted), trusted_files().add(file, trusted.digests)


def is_unchanged(file: Path) -> bool:
    """Whether a trusted file, or data directory, and all that it runs are as they were trusted."""
    try:
        return file.is_dir() or bool(_load(file, None, file.parent, needs_trust=True, asks_repository=False))
    except (ConfigError, OSError):
        return False


def untrusted(file: Path) -> UntrustedFileError:
    """Make the error that says why a file is not used, and what to do; that may be about its `data_dir`."""
    try:
        _load(file, None, file.parent, needs_trust=True)
    except UntrustedFileError as error:
        return error
    return _untrusted(file, "is not trusted")


def _untrusted(file: Path, reason: str) -> UntrustedFileError:
    return UntrustedFileError(
        "",
        f"{reason}, and it could start any program of its choice. Read it, then run: "
        f"duly trust {shlex.quote(_shown(file))}",
        _shown(file),
    )


def _refuse_changed(file: Path, known: Mapping[str, str] | None, now: Mapping[str, str]) -> None:
    """Raise if a file was not trusted, or not with these digests."""
    if known is None:
        raise _untrusted(file, "is not trusted")
    changed = sorted(path for path in {*known, *now} if known.get(path, MISSING) != now.get(path, MISSING))
    if str(file) in changed:
        raise _untrusted(file, "has changed since you trusted it")
    if changed:
        more = f" and {len(changed) - 1} more have" if len(changed) > 1 else " has"
        raise _untrusted(file, f"{os.path.relpath(changed[0], file.parent)}{more} changed since you trusted it")


def _refuse_foreign(key: str, path: Path) -> None:
    """Refuse a file or folder that is named and that others could have written: it decides which programs start."""
    for each in [path] if path.is_dir() else [path, path.parent]:
        if (reason := private_files.foreign_hand(each, is_named=each == path)) is not None:
            raise ConfigError(
                key,
                f"cannot be used: {each} {reason}, so others could let it start any program as you. Use a file of your "
                f"own: --config FILE",
            )


def repository_of(directory: Path) -> Path | None:
    """Give the git work tree that a data directory lies in; None for the user's own, even inside one."""
    directory = directory.resolve()
    found = work_tree_of(directory)
    return None if found is None or directory == _users().resolve() else found


def _refuse_repository(directory: Path) -> None:
    """Refuse a data directory inside a repository until it is trusted: its store may have come with the repository."""
    found = repository_of(directory)
    if found is not None and trusted_files().of(directory) is None:
        raise UntrustedFileError(
            "",
            f"lies in the git work tree {found}, so its store may have come with it, and could start any program of "
            f"its choice. Look at it, then run: duly trust --data-dir {shlex.quote(_shown(directory))}",
            _shown(directory),
        )


def _strangers(directory: Path | None, here: Path) -> Path | None:
    """Find the file of the working directory, unless that is one of the user's own directories."""
    file = here / FILE_NAME
    if not file.is_file() or here.resolve() in (place.resolve() for place in _owners_places(directory)):
        return None
    return file.resolve()


def _owners_places(directory: Path | None) -> Iterator[Path]:
    """Give the user's own directories, the one that was given first; the other is worked out only if it is needed."""
    if directory is not None:
        yield directory
    yield _users()


def data_directory(environment: Mapping[str, str], data_dir: str | None) -> Path:
    """Give the data directory without reading a file."""
    return _given_directory(environment, data_dir, Path.cwd()) or _users()


def _given_directory(environment: Mapping[str, str], data_dir: str | None, here: Path) -> Path | None:
    given = data_dir or environment.get("DULY_DATA_DIR")
    return None if not given else resolve_path(given, here)


def _load(
    file: Path | None,
    directory: Path | None,
    here: Path,
    *,
    needs_trust: bool = False,
    asks_repository: bool = True,
) -> Settings:
    """Read a file, or none. What it runs is compared with what was trusted before its settings are used."""
    if directory is not None and asks_repository:
        _refuse_repository(directory)
    if file is None:
        settings = read_settings(ConfigSection("", {}), file, here, directory or _users())
        return replace(settings, needs_trust=needs_trust)
    if asks_repository and not needs_trust:  # what needs trust is compared by its content
        _refuse_foreign("duly.toml", file)
    text = read_text(file)
    known = trusted_files().of(file) if needs_trust else None
    if needs_trust:  # before it is read any further
        _refuse_changed(
            file, known and {str(file): known.get(str(file), MISSING)}, {str(file): digest_of(text.encode())}
        )
    document = ConfigSection("", _parse(file, text))
    try:
        written = document.optional_text("data_dir")
        if directory is None:
            directory = _users() if written is None else resolve_path(written, file.parent)
        if asks_repository:
            _refuse_repository(directory)
        settings = replace(read_settings(document, file, file.parent, directory), text=text, needs_trust=needs_trust)
        if not needs_trust:
            return settings
        trusted = coverage_of(settings)
        _refuse_changed(file, known, trusted.digests)
        return replace(settings, sealed=trusted)
    except ConfigError as error:
        raise located(error, file, text) from error


def located(error: InvalidInputError, file: Path | None, text: str) -> InvalidInputError:
    """Add the file and the line to a fault."""
    if file is None or (isinstance(error, ConfigError) and error.file is not None):
        return error
    from duly.config.toml_lines import find_line, first_key  # late: only faults need it

    if isinstance(error, ConfigError):
        return ConfigError(error.key, error.reason, _shown(file), find_line(text, error.key))
    key = first_key(text, str(error))
    return ConfigError("", str(error), _shown(file), None if key is None else find_line(text, key))


def _shown(file: Path) -> str:
    """Show a file by its name if it is in the current directory, else by its path."""
    return file.name if file.parent == Path.cwd() else str(file)


def _users() -> Path:
    from platformdirs import user_data_path  # late: a directory may have been given

    return user_data_path("duly", appauthor=False)


def _parse(file: Path, text: str) -> dict[str, Any]:
    import tomllib  # late: most commands find no file

    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        found = re.search(r"line (\d+)", str(error))
        line = text.count("\n") + 1 if found is None else int(found[1])  # "at end of document" has no number
        raise ConfigError("", f"cannot be read: {error}", _shown(file), line) from error


@contextmanager
def telling_lines(settings: Settings) -> Iterator[None]:
    """Add the file and the line to faults that the block finds in these settings."""
    try:
        yield
    except EntryError as error:
        if settings.file is None:
            raise
        raise located(_entry_fault(error), settings.file, settings.text) from error
    except InvalidInputError as error:
        raise located(error, settings.file, settings.text) from error


def _entry_fault(error: EntryError) -> ConfigError:
    """Name the key of a fault in a schedule of the file; a reason that begins with the field does not repeat it."""
    entry = f"butler.schedule[{error.number}]"
    if error.field is None:
        return ConfigError(entry, error.reason)
    first, _, rest = error.reason.partition(" ")
    name = first.rstrip(":")
    if name.partition(".")[0] == error.field:  # such as `timeout must be`, or `retry.delay must be`
        return ConfigError(f"{entry}.{name}", rest)
    return ConfigError(f"{entry}.{error.field}", error.reason)
