"""Tables that Django and django-celery-beat made, taken over by `duly import celery-beat`, with the times of both.

`python -m tests.foreign.beat_tables`: on SQLite and on PostgreSQL, in an environment that is thrown away.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from psycopg.conninfo import conninfo_to_dict

from duly.clock import SystemClock
from tests.foreign.environments import ROOT, make_environment, versions
from tests.postgres_server import OwnServer

_WRITER = Path(__file__).parent / "beat_tables_writer.py"
_NEVER = "0001-01-01"
_REFUSED = {"microseconds": "whole seconds", "solar": "sunset of the sun"}
_TOML = '[executors.celery]\nkind = "celery"\nbroker = "redis://localhost:1/0"\ntasks = ["proj.*"]\n'


def main() -> int:
    faults = []
    with tempfile.TemporaryDirectory(prefix="duly-django-") as name:
        folder = Path(name)
        python = make_environment(folder, "django-celery-beat")
        print(versions(python, "django", "django-celery-beat", "celery", "psycopg"), flush=True)
        file = folder / "db.sqlite3"
        sqlite = {"ENGINE": "django.db.backends.sqlite3", "NAME": str(file)}
        faults += _compare(python, folder / "sqlite", sqlite, f"sqlite:///{file}")
        server = OwnServer()
        try:
            with server.database(migrated=False) as address:
                url = server.tcp_url(address)
                facts = conninfo_to_dict(url)
                postgres = {
                    "ENGINE": "django.db.backends.postgresql",
                    **{key.upper(): str(facts[key]) for key in ("host", "port", "user")},
                    "NAME": facts["dbname"],
                }
                faults += _compare(python, folder / "postgres", postgres, url)
        finally:
            server.close()
    print("\n".join(faults) or "all is well")
    return 1 if faults else 0


def _compare(python: Path, folder: Path, database: dict[str, Any], url: str) -> list[str]:
    """Let Django write, duly read, and django-celery-beat tell its times; gives what differs."""
    _django(python, database, _NEVER)
    folder.mkdir()
    (folder / "duly.toml").write_text(_TOML, encoding="utf-8")
    items, after = _import(folder, url)
    there = json.loads(_django(python, database, after.isoformat()))
    faults = [
        f"{name}: refused as {items[name]['reason']!r}"
        for name, why in _REFUSED.items()
        if why not in str(items[name]["reason"])
    ]
    compared = 0
    for name, item in items.items():
        if name in _REFUSED:
            continue
        here = [datetime.fromisoformat(each) for each in item["next_here"]]
        theirs = [datetime.fromisoformat(each) for each in there[name]]
        if item["action"] != "created" or not here:
            faults.append(f"{name}: {item['action']}, {item['reason']}")
        elif "crontab" in name or name == "clocked":
            compared += 1
            if here != theirs:
                faults.append(f"{name} ({item['written']}): here {item['next_here']}, there {there[name]}")
        elif name in ("seconds", "minutes", "hours", "days") and here[1] - here[0] != theirs[1] - theirs[0]:
            faults.append(f"{name}: every {here[1] - here[0]}, there {theirs[1] - theirs[0]}")
    if items.keys() != there.keys() - {"celery.backend_cleanup"}:
        faults.append(f"other names: {items.keys() ^ there.keys()}")
    kind = url.partition(":")[0]
    print(f"{kind}: {len(items)} entries, {len(items) - len(_REFUSED)} carried over, times of {compared} compared")
    return [f"{kind}: {each}" for each in faults]


def _django(python: Path, database: dict[str, Any], after: str) -> str:
    done = subprocess.run(
        [str(python), str(_WRITER), json.dumps(database), after], cwd=ROOT, capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise SystemExit(done.stderr[-3000:])
    return done.stdout


def _import(folder: Path, url: str) -> tuple[dict[str, Any], datetime]:
    """Ask duly what it would make of the tables, within one minute; gives its answer, and when that was."""
    command = ["import", "celery-beat", url, "--dry-run", "--json", "--data-dir", str(folder)]
    while True:
        before = SystemClock().now()
        done = subprocess.run(
            [sys.executable, "-m", "duly", *command, "--config", str(folder / "duly.toml")],
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode:
            raise SystemExit(done.stdout[-1000:] + done.stderr[-2000:])
        if (before + timedelta(seconds=1)).replace(second=0) >= SystemClock().now().replace(second=0, microsecond=0):
            return {each["name"]: each for each in json.loads(done.stdout)["items"]}, before


if __name__ == "__main__":
    sys.exit(main())
