"""Programs of another suite of Debian than this machine's, unpacked into a folder: nothing is installed.

The lists and packages are checked against Debian's keys, as `apt-get` always does.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

_KEYS = Path("/usr/share/keyrings/debian-archive-keyring.gpg")
_TOOLS = ("apt-get", "dpkg-deb")


def missing() -> str | None:
    """Give what is not there, if anything."""
    tools = [each for each in _TOOLS if shutil.which(each) is None]
    if tools or not _KEYS.exists():
        return f"needs a Debian with {', '.join(_TOOLS)} and {_KEYS}; {', '.join(tools) or _KEYS} is missing"
    return None


def unpack(folder: Path, suite: str, *packages: str) -> Path:
    """Fetch packages of a suite and unpack them; gives the folder that stands for their root."""
    root, fetched = folder / "root", folder / "packages"
    for each in (root, fetched, folder / "lists" / "partial", folder / "cache" / "archives" / "partial"):
        each.mkdir(parents=True)
    (folder / "status").touch()
    (folder / "sources").write_text(
        f"deb [signed-by={_KEYS}] http://deb.debian.org/debian {suite} main\n", encoding="utf-8"
    )
    options = {
        "Dir::State": folder,
        "Dir::State::lists": folder / "lists",
        "Dir::State::status": folder / "status",
        "Dir::Cache": folder / "cache",
        "Dir::Etc::sourcelist": folder / "sources",
        "Dir::Etc::sourceparts": "/dev/null",
        "APT::Sandbox::User": "root",
    }
    words = [word for name, value in options.items() for word in ("-o", f"{name}={value}")]
    for command in (["update"], ["download", *packages]):
        subprocess.run(["apt-get", "-qq", *words, *command], cwd=fetched, check=True, env={**os.environ, "LC_ALL": "C"})
    for package in fetched.glob("*.deb"):
        subprocess.run(["dpkg-deb", "-x", str(package), str(root)], check=True)
    return root
