"""Environments for foreign packages: what a lock names, in front of everything that development installs."""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
from pathlib import Path

ROOT = Path(__file__).parents[2]
LOCKS = Path(__file__).parent / "locks"


def make_environment(folder: Path, lock: str) -> Path:
    """Make an environment with the packages of a lock; gives its Python. What the lock lacks is taken from this one."""
    environment = folder / lock
    subprocess.run([sys.executable, "-m", "venv", str(environment)], check=True)
    python = environment / "bin" / "python"
    install = ["--quiet", "--disable-pip-version-check", "--require-hashes", "--no-deps", "-r", f"{LOCKS / lock}.lock"]
    subprocess.run([str(python), "-m", "pip", "install", *install], check=True)
    [packages] = environment.glob("lib/python*/site-packages")
    behind = sysconfig.get_path("purelib")
    (packages / "development.pth").write_text(f"import site; site.addsitedir({behind!r})\n", encoding="utf-8")
    return python


def run(python: Path, *arguments: str, **environment: str) -> int:
    """Run Python in the folder of the project, with more variables; gives the code with which it ended."""
    return subprocess.run(
        [str(python), *arguments], cwd=ROOT, env={**os.environ, **environment}, check=False
    ).returncode


def versions(python: Path, *packages: str) -> str:
    """The versions of some packages in an environment."""
    code = "import sys; from importlib.metadata import version; print(*(f'{p} {version(p)}' for p in sys.argv[1:]))"
    done = subprocess.run([str(python), "-c", code, *packages], check=True, capture_output=True, text=True)
    return done.stdout.strip()
