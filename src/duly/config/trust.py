"""The configuration files in other folders that the user trusts, and data directories inside repositories.

A `duly.toml` names programs to start and Python modules to import. The one in the data directory is the user's own;
one in the working directory may have come with a cloned repository. It is used only after `duly trust`, which records
the digests of the file and of all that it runs (`coverage`): a change of any of them waits until it is trusted again.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from tempfile import NamedTemporaryFile

from duly import private_files
from duly.errors import ConfigError

_LIST = "trusted.json"
_Digests = Mapping[str, str]


class TrustedFiles:
    """The user's list of trusted files.

    It lies in the user's own data directory, also when a command uses another one: a list beside the file that it
    trusts could come with the same repository.
    """

    def __init__(self, folder: Path) -> None:
        self._path = folder / _LIST

    def of(self, file: Path) -> _Digests | None:
        """Give the digests that were trusted with a file, by path; None when it was not trusted."""
        return self._read().get(str(file.resolve()))

    def all(self) -> dict[Path, _Digests]:
        """Give every trusted file with its digests; of a data directory these are none."""
        return {Path(name): digests for name, digests in sorted(self._read().items())}

    def add(self, file: Path, digests: _Digests) -> str:
        """Trust a file, or a data directory, with these digests; give one digest of them all."""
        self._write({**self._read(), str(file.resolve()): digests})
        return _digest(json.dumps(digests, sort_keys=True))

    def remove(self, file: Path) -> bool:
        """Trust the file no longer; False when it was not trusted."""
        entries = self._read()
        known = entries.pop(str(file.resolve()), None) is not None
        if known:
            self._write(entries)
        return known

    def _read(self) -> dict[str, _Digests]:
        try:
            entries = json.loads(self._path.read_text(encoding="utf-8"))
        except FileNotFoundError:
            return {}
        except (OSError, ValueError) as error:
            raise self._damaged(str(error)) from error
        if not isinstance(entries, dict) or not all(isinstance(each, dict | str) for each in entries.values()):
            raise self._damaged("it is no list of files and digests")
        # older versions trusted the file alone, with one digest
        return {name: each if isinstance(each, dict) else {name: each} for name, each in entries.items()}

    def _damaged(self, reason: str) -> ConfigError:
        return ConfigError(
            "",
            f"the list of trusted files cannot be read: {reason}. Remove it, and trust your files again",
            str(self._path),
        )

    def _write(self, entries: Mapping[str, _Digests]) -> None:
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
