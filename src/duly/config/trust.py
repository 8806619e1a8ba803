"""The configuration files in other folders that the user trusts.

A `duly.toml` names programs to start and Python modules to import. The one in the data directory is the user's own;
one in the working directory may have come with a cloned repository. It is used only after `duly trust`, which records
its path and a digest of its content: a changed file waits until it is trusted again.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from tempfile import NamedTemporaryFile

from duly import private_files
from duly.errors import ConfigError

_LIST = "trusted.json"


class TrustedFiles:
    """The user's list of trusted files.

    It lies in the user's own data directory, also when a command uses another one: a list beside the file that it
    trusts could come with the same repository.
    """

    def __init__(self, folder: Path) -> None:
        self._path = folder / _LIST

    def covers(self, file: Path, text: str) -> bool:
        """Whether the file was trusted with exactly this content."""
        return self._read().get(str(file.resolve())) == _digest(text)

    def knows(self, file: Path) -> bool:
        """Whether the file was trusted with any content."""
        return str(file.resolve()) in self._read()

    def all(self) -> dict[Path, bool]:
        """Give every trusted file, and whether it still has the trusted content."""
        found = {}
        for name, digest in sorted(self._read().items()):
            try:
                found[Path(name)] = _digest(Path(name).read_text(encoding="utf-8")) == digest
            except (OSError, UnicodeDecodeError):
                found[Path(name)] = False
        return found

    def add(self, file: Path, text: str) -> str:
        """Trust the file with this content; give the digest of the content."""
        digest = _digest(text)
        self._write({**self._read(), str(file.resolve()): digest})
        return digest

    def remove(self, file: Path) -> bool:
        """Trust the file no longer; False when it was not trusted."""
        entries = self._read()
        known = entries.pop(str(file.resolve()), None) is not None
        if known:
            self._write(entries)
        return known

    def _read(self) -> dict[str, str]:
        try:
            entries = json.loads(self._path.read_text(encoding="utf-8"))
        except FileNotFoundError:
            return {}
        except (OSError, ValueError) as error:
            raise self._damaged(str(error)) from error
        if not isinstance(entries, dict) or not all(isinstance(digest, str) for digest in entries.values()):
            raise self._damaged("it is no list of files and digests")
        return entries

    def _damaged(self, reason: str) -> ConfigError:
        return ConfigError(
            "",
            f"the list of trusted files cannot be read: {reason}. Remove it, and trust your files again",
            str(self._path),
        )

    def _write(self, entries: dict[str, str]) -> None:
        """Replace the list as a whole, so that a crash leaves the old one or the new one."""
        private_files.make_folder(self._path.parent)
        with NamedTemporaryFile(  # its mode lets only the user read it
            "w", encoding="utf-8", dir=self._path.parent, prefix=f"{_LIST}.", delete=False
        ) as new:
            json.dump(entries, new, indent=1)
            new.flush()
            os.fsync(new.fileno())
        Path(new.name).replace(self._path)


def _digest(text: str) -> str:
    import hashlib  # late: most commands find no file to trust

    return hashlib.sha256(text.encode()).hexdigest()
