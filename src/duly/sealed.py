"""Sealed files: what is imported from a folder that the user has trusted, or started in it, is what was checked.

A seal has the digests of the files that the user trusted. Python reads modules of a sealed folder through
`_SealedLoader`, which compares the very bytes that it compiles; compiled caches and binary modules there are not used.
Seals belong to the whole process, as the import system does.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.machinery import FileFinder, SourceFileLoader
from pathlib import Path
from types import CodeType
from typing import NamedTuple

from duly.errors import InvalidInputError

SOURCE = ".py"
_LONGEST_PATH = 4096
MISSING = ""
"""Stands for the digest of a file that is not there."""
_SHELL = re.compile(r"(?:a|ba|da|k|z)?sh|fish")
_INTERPRETER = re.compile(rf"env|node|nodejs|deno|bun|perl|php|lua|ruby|(?:python|pypy)[\d.]*|{_SHELL.pattern}")
_PYTHON = re.compile(r"(?:python|pypy)[\d.]*")
_SCRIPT = re.compile(r"/|\.[a-zA-Z]\w*$")
_SHELL_CODE = re.compile(r"-\w*c|--command")
_CODE = re.compile(r"-\w*[cep]|--eval|--print|--run")


class Started(NamedTuple):
    """A path that a word of a command may mean."""

    path: str
    is_run: bool
    """Whether the command runs that file, as far as its words show."""
    modules: str | None = None
    """The folder in which Python looks for modules first, if it runs the file and this is not the file's own folder."""
    is_python: bool = False
    word: int = 0
    """Which word of the command."""


def _nothing(_: Started) -> Mapping[str, str]:
    return {}


@dataclass(frozen=True, slots=True)
class Seal:
    """What the user trusted: files by path with their digests, and the folders of which nothing else is started."""

    digests: Mapping[str, str]
    roots: tuple[str, ...]
    read_by: Callable[[Started], Mapping[str, str]] = _nothing
    """Gives the digests, as they are now, of what a script may import or read from its folder."""


_seals: dict[str, Seal] = {}
"""By the folder of the trusted file."""


class BrokenSealError(InvalidInputError, ImportError):
    """Raised for a file beside a trusted `duly.toml` that is not as it was trusted. Read it, then trust again."""


def digest_of(content: bytes) -> str:
    """Give the digest of the content of a file."""
    import hashlib  # late: most commands find no file to trust

    return hashlib.sha256(content).hexdigest()


def digest_of_file(path: Path) -> str:
    """Give the digest of a file, or `MISSING`."""
    return digest_of(path.read_bytes()) if path.is_file() else MISSING


def seal(folder: Path, trusted: Seal) -> None:
    """From now on import and start nothing of a folder but what was trusted."""
    if _hook not in sys.path_hooks:
        sys.path_hooks.insert(0, _hook)
    _seals[str(folder)] = trusted
    _forget_finders(str(folder))


def unseal(folder: Path) -> None:
    """Import from a folder as from any other again."""
    if _seals.pop(str(folder), None) is None:
        return
    _forget_finders(str(folder))
    if not _seals:
        sys.path_hooks.remove(_hook)


def started_files(words: Sequence[str], directory: Path) -> Iterator[Started]:
    """Give the paths that the words of a command may mean, and which of them it runs.

    It runs its program, where that is no name to look for on PATH, and the script or module of an interpreter.
    """
    program: str | None = ""
    for number, word in enumerate(words):
        if "\0" in word or len(word) > _LONGEST_PATH:
            program = None
            continue
        is_python = program is not None and _PYTHON.fullmatch(program) is not None
        is_option = number > 0 and (word.startswith("-") or "=" in word)
        if number > 0 or "/" in word:
            yield Started(
                os.path.normpath(directory / word),
                program is not None and not is_option,
                is_python=is_python,
                word=number,
            )
        if program is None:
            continue
        if words[number - 1 : number] == ["-m"]:
            module = os.path.normpath(directory / word.replace(".", "/"))
            for each in (f"{module}{SOURCE}", f"{module}/__main__{SOURCE}"):
                yield Started(each, is_run=True, modules=str(directory), is_python=True, word=number)
        if not is_option:  # the next word is a script if this one is an interpreter
            name = Path(word).name
            program = name if _INTERPRETER.fullmatch(name) else None
        elif (_SHELL_CODE if _SHELL.fullmatch(program) else _CODE).fullmatch(word):
            program = None  # the program is in the next word itself


def scripts_of(words: Sequence[str], directory: Path) -> dict[int, str]:
    """Give the scripts that a command hands to an interpreter, by word: those that are there or look like a path."""
    return {
        each.word: each.path
        for each in started_files(words, directory)
        if each.is_run
        and each.word > 0
        and words[each.word - 1] != "-m"
        and (_SCRIPT.search(words[each.word]) or Path(each.path).is_file())
    }


def check_command(words: Sequence[str], directory: Path) -> bool:
    """Raise if a command of a sealed configuration would run a file that is not as it was trusted.

    True if it runs one that was. Between this look and the start of the process a file could be changed once more: an
    interpreter opens it by name.
    """
    runs_sealed = False
    for trusted in list(_seals.values()):
        for started in started_files(words, directory):
            is_inside = started.is_run and any(_is_in(started.path, root) for root in trusted.roots)
            if started.path not in trusted.digests and not is_inside:
                continue
            _check(started.path, digest_of_file(Path(started.path)), trusted)
            if is_inside:
                runs_sealed = True
                for path, digest in trusted.read_by(started).items():
                    _check(path, digest, trusted)
    return runs_sealed


def _check(path: str, digest: str, trusted: Seal) -> None:
    known = trusted.digests.get(path)
    if digest in (known, MISSING):  # the system says best what is not there
        return
    what = "has changed since you trusted it" if known else "was not among the files that you trusted"
    raise BrokenSealError(f"{path} {what}. Read it, then run duly trust on the duly.toml that leads to it")


class _SealedLoader(SourceFileLoader):
    """Compiles the bytes that it has compared, without a cache of compiled code."""

    def get_code(self, fullname: str) -> CodeType | None:
        path = os.path.abspath(self.get_filename(fullname))  # noqa: PTH100  a link has the name under which it was trusted
        content = Path(path).read_bytes()
        if (trusted := _seal_of(path)) is not None:
            _check(path, digest_of(content), trusted)
        code: CodeType = self.source_to_code(content, path)
        return code


def _hook(path: str) -> FileFinder:
    """Give the finder of modules in a folder: of a sealed one, only source files are found."""
    if _seal_of(path) is None:
        raise ImportError(f"{path} is not sealed")
    return FileFinder(path, (_SealedLoader, [SOURCE]))


def _seal_of(path: str) -> Seal | None:
    """Give the seal of the folder that a path is in; None below another folder of the module path, as in a `.venv`."""
    path = os.path.abspath(path)  # noqa: PTH100  see above
    around = [folder for folder in _seals if _is_in(path, folder)]
    if not around:
        return None
    folder = max(around, key=len)
    is_elsewhere = any(_is_in(path, each) and _is_in(each, folder) and each != folder for each in sys.path)
    return None if is_elsewhere else _seals[folder]


def _is_in(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder.rstrip(os.sep) + os.sep)


def _forget_finders(folder: str) -> None:
    """Let Python ask the hooks again for a folder and those inside it."""
    for path in [each for each in sys.path_importer_cache if _is_in(os.path.abspath(each), folder)]:  # noqa: PTH100
        del sys.path_importer_cache[path]
