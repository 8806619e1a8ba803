"""Celery is loaded by several executors at once."""

from __future__ import annotations

import subprocess
import sys

_SCRIPT = """
import sys, threading, time
from importlib.abc import MetaPathFinder
from duly.executors.celery import CeleryExecutor
from duly.ports.executor_settings import ExecutorKind, ExecutorSettings

def look(name):
    settings = ExecutorSettings(
        name=name, kind=ExecutorKind.CELERY, tasks=("a",), broker="memory://", callback="http://127.0.0.1:1"
    )
    try:
        CeleryExecutor(settings, str)._apps()
    except BaseException as error:
        failed.append(error)

def stands_still(thread):
    "Whether it waits: for the module that is being imported, or for its turn."
    seen = [None]
    while len(seen) < 20:
        frame = sys._current_frames().get(thread.ident)
        now = frame and (frame.f_code, frame.f_lasti)
        seen = [*seen, now] if now == seen[-1] else [now]
        time.sleep(0.01)

class Second(MetaPathFinder):
    "Has the second executor load Celery while the first one is in the middle of it."
    def find_spec(self, name, path, target=None):
        if name.startswith("celery.") and not threads:
            threads.append(threading.Thread(target=look, args=("second",)))
            threads[0].start()
            stands_still(threads[0])

failed, threads = [], []
assert "celery" not in sys.modules
sys.meta_path.insert(0, Second())
look("first")
threads[0].join()
assert not failed, failed
"""


def test_executors_that_load_celery_at_once_get_all_of_it() -> None:
    done = subprocess.run([sys.executable, "-c", _SCRIPT], capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
