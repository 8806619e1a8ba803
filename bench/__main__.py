"""Run benchmarks and write RESULTS.md: `python -m bench` for all of them, `python -m bench cron` for one."""

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
LIBRARIES = ("croniter", "cronsim", "cronexpr")


def benchmarks() -> list[str]:
    """The modules of this folder that can report."""
    names = sorted(path.stem for path in FOLDER.glob("*.py") if not path.stem.startswith("_"))
    return [name for name in names if hasattr(import_module(f"bench.{name}"), "report")]


def machine() -> str:
    """What the numbers were measured on."""
    versions = ", ".join(f"{name} {metadata.version(name)}" for name in LIBRARIES)
    return (
        f"{_processor()}, {os.cpu_count()} cores, {platform.system()}, Python {platform.python_version()}; {versions}"
    )


def _processor() -> str:
    facts = Path("/proc/cpuinfo")
    model = re.search(r"model name\s*: (.*)", facts.read_text()) if facts.exists() else None
    return model[1] if model else platform.processor() or platform.machine()


def section(name: str, now: datetime) -> str:
    """One benchmark, run now."""
    module = import_module(f"bench.{name}")
    load = os.getloadavg()[0]
    purpose = (module.__doc__ or "").partition("\n")[0]
    return (
        f"## {name}\n\n{purpose}\n\n{now:%Y-%m-%d}, load {load:.1f} at the start. {machine()}.\n\n{module.report()}\n"
    )


def kept_sections() -> dict[str, str]:
    """What earlier runs wrote."""
    text = RESULTS.read_text(encoding="utf-8") if RESULTS.exists() else ""
    parts = re.split(r"(?m)^(?=## )", text)[1:]
    return {part[3:].partition("\n")[0]: part for part in parts}


def main(names: list[str]) -> None:
    known = benchmarks()
    if unknown := [name for name in names if name not in known]:
        sys.exit(f"no benchmark {', '.join(unknown)}; there are {', '.join(known)}")
    sections = {name: part for name, part in kept_sections().items() if name in known}
    for name in names or known:
        print(f"running {name} ...", flush=True)
        sections[name] = section(name, datetime.now(UTC))
    body = "\n".join(sections[name].rstrip() + "\n" for name in sorted(sections))
    RESULTS.write_text(f"# Benchmarks\n\nWritten by `make bench`.\n\n{body}", encoding="utf-8")
    print(body)


if __name__ == "__main__":
    main(sys.argv[1:])
