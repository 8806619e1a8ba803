"""Finding and reading `duly.toml`: which file counts, whether the user trusts it, and on which line a fault is."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from duly.config.sections import read_settings, resolve_path
from duly.config.settings import Settings
from duly.config.trust import TrustedFiles
from duly.config_section import ConfigSection
from duly.errors import ConfigError, EntryError, InvalidInputError, UntrustedFileError

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
    if named := config or environment.get("DULY_CONFIG"):
        file = resolve_path(named, here)
        if not file.is_file():
            raise ConfigError(named, "there is no such file")
        return _load(file.resolve(), directory, here)
    if (found := _strangers(directory, here)) is not None:
        with suppress(UntrustedFileError):
            return _load(found, directory, here, needs_trust=True)
    files = (place / FILE_NAME for place in _owners_places(directory))
    own = next((file.resolve() for file in files if file.is_file()), None)
    return replace(_load(own, directory, here), untrusted=found)


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


def untrusted(file: Path) -> UntrustedFileError:
    """Make the error that says why a file is not used, and what to do."""
    reason = "has changed since you trusted it" if trusted_files().knows(file) else "is not trusted"
    return UntrustedFileError(
        "",
        f"{reason}, and it could start any program of its choice. Read it, then run: "
        f"duly trust {shlex.quote(_shown(file))}",
        _shown(file),
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


def _load(file: Path | None, directory: Path | None, here: Path, *, needs_trust: bool = False) -> Settings:
    if file is None:
        return read_settings(ConfigSection("", {}), file, here, directory or _users())
    text = read_text(file)
    if needs_trust and not trusted_files().covers(file, text):
        raise untrusted(file)
    document = ConfigSection("", _parse(file, text))
    try:
        written = document.optional_text("data_dir")
        if directory is None:
            directory = _users() if written is None else resolve_path(written, file.parent)
        return replace(read_settings(document, file, file.parent, directory), text=text, needs_trust=needs_trust)
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
