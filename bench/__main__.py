"""Run benchmarks and write RESULTS.md: `python -m bench` for all of them, `python -m bench cron` for one.

A benchmark is a module of this folder with a `report()` that returns a section of Markdown, heading first.
"""

from __future__ import annotations

import os
import platform
import re
import sys
from datetime import UTC, datetime
from importlib import import_module, metadata
from pathlib import Path

FOLDER = Path(__file__).parent
RESULTS = FOLDER / "RESULTS.md"
PEERS = ("croniter", "cronsim", "cronexpr")


def benchmarks() -> list[str]:
    """The modules that report; found by reading, so that one can run without what another needs."""
    return sorted(path.stem for path in FOLDER.glob("*.py") if "\ndef report(" in path.read_text(encoding="utf-8"))


def machine() -> str:
    """What the numbers were measured on."""
    versions = ", ".join(f"{name} {metadata.version(name)}" for name in PEERS)
    return (
        f"{_processor()}, {os.cpu_count()} cores, {platform.system()}, Python {platform.python_version()}, {versions}"
    )


def _processor() -> str:
    facts = Path("/proc/cpuinfo")
    model = re.search(r"model name\s*: (.*)", facts.read_text()) if facts.exists() else None
    return model[1] if model else platform.processor() or platform.machine()


def run(name: str, now: datetime) -> str:
    """The section of one benchmark, with the date and the machine under its heading."""
    load = os.getloadavg()[0]
    heading, _, body = import_module(f"bench.{name}").report().partition("\n")
    return f"{heading}\n\n{now:%Y-%m-%d}, on {machine()}; load {load:.1f} at the start.\n\n{body.strip()}\n"


def sections(text: str) -> dict[str, str]:
    """Markdown cut at its second-level headings."""
    parts = re.split(r"(?m)^(?=## )", text)[1:]
    return {part.partition("\n")[0]: part.strip() + "\n" for part in parts}


def main(names: list[str]) -> None:
    known = benchmarks()
    if unknown := [name for name in names if name not in known]:
        sys.exit(f"no benchmark {', '.join(unknown)}; there are {', '.join(known)}")
    results = sections(RESULTS.read_text(encoding="utf-8")) if RESULTS.exists() else {}
    for name in names or known:
        print(f"running {name} ...", flush=True)
        results |= sections(run(name, datetime.now(UTC)))
    text = "\n".join(["# Benchmarks\n\nWritten by `make bench`.\n", *results.values()])
    RESULTS.write_text(text, encoding="utf-8")
    print(text)


if __name__ == "__main__":
    main(sys.argv[1:])
