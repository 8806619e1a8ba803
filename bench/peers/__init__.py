"""Other people's schedulers, each in an environment of its own, asked to do the same work in the same run."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).parent
ENVIRONMENTS = HERE.parents[1] / ".bench"


@dataclass(frozen=True)
class Peer:
    """A script beside this file, what it needs, and how much of it is enough to know its speed."""

    name: str
    script: str
    packages: tuple[str, ...]
    store: str
    number: int
    scheme: str = ""
    options: tuple[str, ...] = ()

    def run(self, target: str) -> dict[str, float]:
        """Its figures: schedules added and fired per second."""
        python = _environment(self)
        command = [str(python), str(HERE / self.script), self.scheme + target, str(self.number), *self.options]
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
        if done.returncode:
            raise RuntimeError(f"{self.name} failed: {done.stderr[-800:]}")
        figures: dict[str, float] = json.loads(done.stdout.strip().splitlines()[-1])
        return figures


PEERS = (
    Peer("APScheduler 3", "apscheduler3.py", ("apscheduler<4", "sqlalchemy"), "sqlite", 2000, "sqlite:///"),
    Peer(
        "APScheduler 4",
        "apscheduler4.py",
        ("apscheduler==4.0.0a6", "sqlalchemy[asyncio]", "aiosqlite", "sniffio"),
        "sqlite",
        400,
        "sqlite+aiosqlite:///",
    ),
    Peer("huey (one-off, queued)", "huey_sqlite.py", ("huey",), "sqlite", 3000, options=("queued",)),
    Peer("huey (one-off, scheduled)", "huey_sqlite.py", ("huey",), "sqlite", 3000, options=("scheduled",)),
    Peer(
        "APScheduler 3",
        "apscheduler3.py",
        ("apscheduler<4", "sqlalchemy", "psycopg[binary]"),
        "postgres",
        2000,
        "postgresql+psycopg://",
    ),
    Peer(
        "APScheduler 4",
        "apscheduler4.py",
        ("apscheduler==4.0.0a6", "sqlalchemy[asyncio]", "psycopg[binary]", "sniffio"),
        "postgres",
        400,
        "postgresql+psycopg://",
    ),
    Peer("procrastinate", "procrastinate_postgres.py", ("procrastinate",), "postgres", 1000, "postgresql://"),
)


def _environment(peer: Peer) -> Path:
    """A virtual environment with the peer in it, made once."""
    folder = ENVIRONMENTS / f"{peer.script.removesuffix('.py')}-{peer.store}"
    python = folder / "bin" / "python"
    if not (folder / ".ready").exists():
        subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True)
        install = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *peer.packages]
        subprocess.run(install, check=True)
        (folder / ".ready").touch()
    return python
