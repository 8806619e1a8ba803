"""A program whose jobs run in processes of their own, and live in `__main__`: `python isolated.py`."""

from __future__ import annotations

import asyncio
import atexit
import os
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

from duly import Duly, EngineSettings, RunContext

STORE, FOLDER = "ISOLATED_STORE", "ISOLATED_FOLDER"
app = Duly(os.environ.get(STORE, "unused.db"), settings=EngineSettings(poll=0.5, grace=0.2))


@app.job(isolate="process")
def answer(number: int) -> dict[str, int]:
    return {"number": number, "pid": os.getpid()}


@app.job(isolate="process")
async def answer_later(number: int) -> dict[str, int]:
    await asyncio.sleep(0)
    return {"number": number, "pid": os.getpid()}


@app.job(isolate="process")
def whoami(run: RunContext) -> list[Any]:
    run.heartbeat()
    run.progress({"half": True})
    return [run.key, run.id, run.name, run.attempt, run.cancelled]


@app.job(isolate="process")
def explode() -> None:
    raise ValueError("boom")


@app.job(isolate="process")
def leave() -> None:
    sys.exit(3)


@app.job(isolate="process")
def crash(folder: str) -> None:
    """Dies without a word, and leaves behind a copy of itself that holds on to everything it had open."""
    if os.fork() == 0:
        note_pid(folder, "copy")
        time.sleep(3600)
    note_pid(folder, "crash")
    while not Path(folder, "copy.pid").exists():
        time.sleep(0.01)
    os._exit(11)


@app.job(isolate="process")
def unspeakable() -> object:
    return threading.Lock()


@app.job(isolate="process")
def tidy(folder: str) -> str:
    """Has something to do after its last word."""
    atexit.register(Path(folder, "tidied").touch)
    threading.Thread(target=_finish, args=(folder,)).start()
    return "done"


def _finish(folder: str) -> None:
    time.sleep(0.2)
    Path(folder, "finished").touch()


@app.job(isolate="process")
def linger(folder: str, tag: str) -> None:
    """Never ends, and has started other processes that never do; one has left the group."""
    for name, away in (("child", False), ("runaway", True)):
        started = subprocess.Popen(["/bin/sleep", "3600"], start_new_session=away)
        Path(folder, f"{tag}-{name}.pid").write_text(str(started.pid), encoding="ascii")
    note_pid(folder, tag)
    time.sleep(3600)


def note_pid(folder: str, name: str) -> None:
    path = Path(folder, f"{name}.pid")
    path.with_suffix(".new").write_text(str(os.getpid()), encoding="ascii")
    path.with_suffix(".new").rename(path)


async def main() -> None:
    async with app:
        asyncio.get_running_loop().call_soon(Path(os.environ[FOLDER], "ready").touch)
        await app.run_forever()


if __name__ == "__main__":
    asyncio.run(main())
