"""Celery is loaded by several executors at once, and with it an application that sets up a process as its own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

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


_SHOP = """
import os, time
from importlib import import_module
from logging.config import dictConfig
from celery import Celery
from celery.signals import import_modules

app = Celery("shop", broker="memory://")
begun = []

@import_modules.connect(sender=app, weak=False)
def set_up(**_):
    "As Django does, which looks for its parts by their names, and once."
    os.environ["TZ"] = "Asia/Tokyo"
    time.tzset()
    dictConfig({"version": 1, "disable_existing_loggers": True})
    if begun:
        raise RuntimeError("populate() isn't reentrant")
    begun.append(1)
    import_module("orders")
"""
_CHECK = """
import logging, os, sys, time
from pathlib import Path
from duly.errors import InvalidInputError
from duly.executors.celery import CeleryExecutor
from duly.ports.executor_settings import ExecutorKind, ExecutorSettings

log = logging.getLogger("duly")
settings = ExecutorSettings(
    name="heavy", kind=ExecutorKind.CELERY, tasks=("orders.*",), app="shop:app", folder=Path(sys.argv[1])
)
executor = CeleryExecutor(settings, str)
for _ in range(2):
    try:
        executor.check("orders.tidy", {}, [], None)
    except InvalidInputError as error:
        print(error)
print(os.environ["TZ"], time.strftime("%H", time.gmtime(0)) == time.strftime("%H", time.localtime(0)), log.disabled)
"""


def _check(folder: Path, orders: str) -> list[str]:
    """Check a task of an application twice; gives what was said, and how the process is afterwards."""
    (folder / "shop.py").write_text(_SHOP, encoding="utf-8")
    (folder / "orders.py").write_text(orders, encoding="utf-8")
    words = [sys.executable, "-c", _CHECK, str(folder)]
    environment = {**os.environ, "TZ": "UTC"}
    done = subprocess.run(words, capture_output=True, text=True, timeout=120, check=False, env=environment)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def test_an_app_leaves_zone_and_log_of_the_process_as_they_were(tmp_path: Path) -> None:
    tidy = "from celery import shared_task\n@shared_task\ndef tidy(): ...\n"
    assert _check(tmp_path, tidy) == ["UTC True False"]


def test_the_fault_of_an_app_stays_the_first_one(tmp_path: Path) -> None:
    """What was imported in part fails in another way the next time."""
    first, second, process = _check(tmp_path, "raise OSError('no key')")
    assert first == second == "cannot load what 'shop:app' of executor 'heavy' uses: OSError: no key"
    assert process == "UTC True False"
