"""The MCP project's own conformance suite and Inspector against `duly`: `python -m tests.foreign.mcp_conformance`.

Node and both tools are installed into a directory that is thrown away. A scenario that fails without being in the
baseline of its revision is an error, and so is one that passes although it is there.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

from tests.integration.agents.installation import Installation

HERE = Path(__file__).parent
REVISIONS = ("2025-11-25", "2026-07-28")
PACKAGES = (
    "node@24",  # the Inspector needs 22.19 or newer
    "@modelcontextprotocol/inspector@2.12.0",
    "@modelcontextprotocol/conformance@0.2.0-alpha.12",  # older ones do not know the newer revision
)
PATIENCE = 600.0
Run = Callable[..., int]


def main() -> int:
    if shutil.which("npm") is None:
        sys.stderr.write("npm is not installed: it comes with Node.js\n")
        return 2
    with tempfile.TemporaryDirectory(prefix="duly-conformance-") as name:
        folder = Path(name)
        run = _tools(folder / "node")
        installation = Installation(folder / "duly")
        with installation.daemon("--no-auth") as daemon:
            failed = [*_conformance(run, daemon.url), *_inspect_http(run, daemon.url)]
        failed += _inspect_stdio(run, installation)
    sys.stdout.write("\n" + ("all is well\n" if not failed else "failed: " + ", ".join(failed) + "\n"))
    return 1 if failed else 0


def _tools(folder: Path) -> Run:
    """Installs what is needed; gives a way to run it."""
    (folder / "home").mkdir(parents=True)
    bin_directory = folder / "node_modules" / ".bin"
    environment = {
        **os.environ,
        "HOME": str(folder / "home"),
        "PATH": f"{bin_directory}{os.pathsep}{os.environ['PATH']}",
    }

    def run(*command: str, quiet: bool = False) -> int:
        sys.stdout.write(f"\n$ {' '.join(command)}\n")
        sys.stdout.flush()
        out = subprocess.DEVNULL if quiet else None
        return subprocess.run(
            command, cwd=folder, env=environment, stdout=out, timeout=PATIENCE, check=False
        ).returncode

    if run("npm", "install", "--no-audit", "--no-fund", "--loglevel=error", *PACKAGES):
        raise SystemExit("npm could not install the tools")
    return run


def _conformance(run: Run, url: str) -> list[str]:
    failed = []
    for revision in REVISIONS:
        baseline = str(HERE / f"baseline-{revision}.yml")
        suite = ("--suite", "all", "--spec-version", revision, "--expected-failures", baseline)
        if run("conformance", "server", "--url", f"{url}/mcp", *suite):
            failed.append(f"conformance {revision}")
    return failed


def _inspect_http(run: Run, url: str) -> list[str]:
    arguments = ("name=from outside", "cron=0 9 * * *", "prompt=look")
    create = [word for argument in arguments for word in ("--tool-arg", argument)]
    return _inspect(
        run,
        [f"{url}/mcp"],
        ("tools/list", "--strict"),
        ("tools/call", "--tool-name", "schedule_create", *create),
        ("resources/templates/list",),
        ("prompts/get", "--prompt-name", "schedule_well", "--prompt-args", "request=water the plants"),
    )


def _inspect_stdio(run: Run, installation: Installation) -> list[str]:
    server = [sys.executable, "-m", "duly", "mcp", "--data-dir", str(installation.data)]
    return _inspect(run, server, ("tools/list", "--strict"))


def _inspect(run: Run, server: Sequence[str], *methods: Sequence[str]) -> list[str]:
    """Quietly: what it lists is long, and only what it thinks of it matters."""
    command = ("mcp-inspector", "--cli", *server, "--method")
    return [f"inspector {method[0]}" for method in methods if run(*command, *method, quiet=True)]


if __name__ == "__main__":
    sys.exit(main())
