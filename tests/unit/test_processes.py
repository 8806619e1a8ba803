"""Whether a process is on its way out."""

from __future__ import annotations

import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from duly.processes import is_ending

_ENDING = """
import threading
from duly.processes import is_ending

def late():
    threading.main_thread().join()
    print(is_ending())

threading.Thread(target=late).start()
"""


def test_an_ending_process_is_found_by_its_last_threads() -> None:
    done = subprocess.run([sys.executable, "-c", _ENDING], capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout == "True\n"


def test_a_machine_without_free_threads_is_handled(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    with ThreadPoolExecutor(1) as pool:
        assert pool.submit(is_ending).result(60) is False
        monkeypatch.setattr(threading.Thread, "start", refuse)
        assert pool.submit(is_ending).result(60) is False
