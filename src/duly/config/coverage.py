"""What a configuration file runs, to be trusted with it: the Python beside it, and relative programs, by content.

The Python is every `.py` in the folders of the modules that the file names, and in those of modules that these import.
An app of Celery finds tasks and settings by their names, as Django does: with it come all packages beside the file.
A relative program is one that the file names by a path, or hands to an interpreter. With it come the files that it may
import or read from its folder: all Python for a Python script, else those with its ending. How much is read is bounded.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from functools import partial
from pathlib import Path

from duly.config.settings import Settings
from duly.config_section import located_command
from duly.errors import ConfigError, UntrustedFileError
from duly.outbound.secrets import is_reference
from duly.sealed import MISSING, SOURCE, Seal, Started, digest_of, started_files

MOST_FILES = 2_000
MOST_BYTES = 32 * 1024 * 1024
_MODULES = (SOURCE, ".pyc", ".pyd", ".so")
"""The endings of what Python imports: a compiled module goes before a source file of its name."""
_TEMPLATES = ("new", "resume", "fork")


_FIRST_LINE = 256
_Import = tuple[Path, list[str]]
"""The folder in which a search for a module starts, and the names on the way."""


def coverage_of(settings: Settings) -> Seal:
    """Give the digests of the file and of all that it runs, by path."""
    if settings.file is None:
        return Seal({}, ())
    covered = _Covered(settings.file)
    covered.digests[str(settings.file)] = digest_of(settings.text.encode())
    places = [*settings.jobs.values(), *(str(table.get("call", "")) for table in settings.spawners.values())]
    covered.add_modules(place.partition(":")[0] for place in places)
    covered.add_apps(each.app.partition(":")[0] for each in settings.executors.values() if each.app is not None)
    starts = tuple(dict.fromkeys(str(each) for each in (settings.file.parent, *settings.projects.values())))
    tree = work_tree_of(settings.file.parent)
    around = starts if tree is None else (*starts, str(tree))  # what came with the file is trusted with it
    for key, words in commands_of(settings).items():
        _refuse_relative_path(settings, key)
        for start in starts:
            for started in started_files(words, Path(start)):
                if _lies_in(started.path, around) and (started.is_run or os.access(started.path, os.X_OK)):
                    covered.add_started(started)
    return Seal(covered.digests, around, partial(_read_by, settings.file))


def work_tree_of(directory: Path) -> Path | None:
    """Give the git work tree that a folder lies in."""
    return next((each for each in (directory, *directory.parents) if (each / ".git").exists()), None)


def _read_by(file: Path, started: Started) -> dict[str, str]:
    """Give the digests of a script and of what it may read from its folder, as they are now."""
    covered = _Covered(file)
    covered.add_started(started)
    return covered.digests


def _lies_in(path: str, folders: Iterable[str]) -> bool:
    return any(path.startswith(f"{folder.rstrip(os.sep)}{os.sep}") for folder in folders)


def _refuse_relative_path(settings: Settings, key: str) -> None:
    """Refuse a PATH with relative folders: what it finds depends on the folder of each run."""
    name = key.split(".")[1]
    table = settings.spawners.get(name, {}) if key.startswith("spawners.") else {}
    path = dict(table.get("variables") or {}).get("PATH")
    if isinstance(path, str) and not is_reference(path):
        for folder in path.split(os.pathsep):
            if not folder.startswith("/"):
                where = f"spawners.{name}.variables.PATH"
                raise ConfigError(where, f"names the relative folder {folder!r}: write it in full, from /")


def commands_of(settings: Settings) -> dict[str, list[str]]:
    """Give the commands that the file starts, by the key that has them."""
    found: dict[str, list[str]] = {}
    for name, table in settings.spawners.items():
        for key in _TEMPLATES:
            if isinstance(template := table.get(key), list) and template:
                found[f"spawners.{name}.{key}"] = list(_words(located_command(template, settings.folder)))
    gates = {f"gates.{name}": list(words) for name, words in settings.gates.items()}
    return found | gates | {f"jobs.{name}": list(words) for name, words in settings.programs.items()}


def _words(template: Iterable[object]) -> Iterator[str]:
    for each in template:
        if isinstance(each, str):
            yield each
        elif isinstance(each, list):
            yield from _words(each)


class _Covered:
    """The digests so far."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._root = file.parent
        self._bytes = 0
        self._folders: set[tuple[Path, Path]] = set()
        self._contents: dict[Path, bytes] = {}
        self.digests: dict[str, str] = {}

    def add(self, path: Path) -> bytes:
        """Read a file; nothing of one that is not there, or is no file."""
        if path in self._contents:
            return self._contents[path]
        if str(path) in self.digests or not path.is_file():
            return b""
        try:
            size = path.stat().st_size
            if len(self.digests) >= MOST_FILES or self._bytes + size > MOST_BYTES:
                raise self._too_much()
            content = path.read_bytes()
        except OSError as error:
            raise UntrustedFileError(
                "", f"cannot be trusted: {path} cannot be read: {error.strerror}", str(self._file)
            ) from error
        self._bytes += len(content)
        self.digests[str(path)] = digest_of(content)
        self._contents[path] = content
        return content

    def add_started(self, started: Started) -> None:
        """Read a file that is started, and what it may import or read from its folder.

        One that is started and missing counts as well, because it may come later.
        """
        path = Path(started.path)
        content = self.add(path)
        if not started.is_run:
            return
        if not path.exists():
            self.digests.setdefault(str(path), MISSING)
            return
        real = path.resolve()  # Python looks in the folder of the file that a link leads to, a shell in the link's
        is_folder = path.is_dir()
        if started.is_python or path.suffix == SOURCE or b"python" in content[:_FIRST_LINE].partition(b"\n")[0]:
            self._add_python(Path(started.modules) if started.modules else real if is_folder else real.parent)
        elif is_folder or path.suffix:
            for folder in {path, real} if is_folder else {path.parent, real.parent}:
                for each in sorted(folder.glob(f"*{path.suffix}")):
                    self.add(each)

    def _add_python(self, root: Path) -> None:
        """Read the folder that a Python script imports from first, with the packages in it and what these import.

        A new module there could take the place of one of the standard library.
        """
        pending = [root]
        seen = {root.resolve()}
        found: list[_Import] = []
        while pending:
            folder = pending.pop()
            found += self._add_folder(root, folder)
            for each in sorted(folder.glob(f"*/__init__{SOURCE}")):
                if (real := each.parent.resolve()) not in seen:
                    seen.add(real)
                    pending.append(each.parent)
        self._follow(root, found)

    def add_modules(self, names: Iterable[str]) -> None:
        """Read the folders of modules that lie beside the file, and of those that they import."""
        self._follow(self._root, [(self._root, name.split(".")) for name in names if name])

    def add_apps(self, names: Iterable[str]) -> None:
        """Read apps of Celery, and all packages beside the file if one lies there: it imports what no import names."""
        named = [(self._root, name.split(".")) for name in names if name]
        self._follow(self._root, [*named])
        if any(any(self._folders_of(*each)) for each in named):
            self._add_python(self._root)

    def _follow(self, root: Path, pending: list[_Import]) -> None:
        while pending:
            for folder in self._folders_of(*pending.pop()):
                pending += self._add_folder(root, folder)

    def _add_folder(self, root: Path, folder: Path) -> Iterator[_Import]:
        """Read the modules in a folder, once for each folder that imports start from; give what they import."""
        if (root, folder) in self._folders:
            return
        self._folders.add((root, folder))
        for path in sorted(folder.iterdir()):
            if path.suffix in _MODULES:
                content = self.add(path)
                if path.suffix == SOURCE:
                    yield from self._imports(root, path, content)

    def _folders_of(self, start: Path, parts: list[str]) -> Iterator[Path]:
        """Give the folders in which Python looks for a module and for the packages around it, where they are there."""
        folder = start
        for part in parts:
            if (folder / f"{part}{SOURCE}").is_file():
                yield folder
                return
            folder /= part
            if not part or not folder.is_dir():
                return
            yield folder

    def _imports(self, root: Path, path: Path, content: bytes) -> Iterator[_Import]:
        """Give what a module imports: where the search starts, and the names of the modules on the way."""
        import ast  # late: most commands find no file to trust

        try:
            tree = ast.parse(content)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return  # it cannot be imported either
        for node in ast.walk(tree):
            if isinstance(node, ast.Import):
                yield from ((root, each.name.split(".")) for each in node.names)
            elif isinstance(node, ast.ImportFrom):
                start = root if not node.level else path.parents[min(node.level, len(path.parents)) - 1]
                around = node.module.split(".") if node.module else []
                yield from ((start, [*around, each.name]) for each in node.names)

    def _too_much(self) -> UntrustedFileError:
        return UntrustedFileError(
            "",
            f"cannot be trusted: the programs and Python files that it leads to are more than {MOST_FILES}, or more "
            f"than {MOST_BYTES >> 20} MB. Put its modules into a folder of their own",
            str(self._file),
        )
