"""What a campaign writes down about its processes: every life has an end."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.chaos.checker import FAULTS
from tests.chaos.fleet import Diary, ProcessSlot
from tests.chaos.witness import lines_of


@pytest.mark.parametrize("notice", [ProcessSlot.kill, ProcessSlot.look])
def test_the_end_of_a_process_that_ended_by_itself_is_written_down(
    tmp_path: Path, notice: Callable[[ProcessSlot], None]
) -> None:
    slot = ProcessSlot("worker0", False, "", tmp_path, Diary(tmp_path), None, lives=3)
    slot.child = subprocess.Popen([sys.executable, "-c", "raise SystemExit(7)"])
    slot.look()
    slot.child.wait()
    ended_at = time.monotonic()
    notice(slot)
    [fault] = lines_of(tmp_path / FAULTS)
    assert (fault["what"], fault["process"]) == ("vanished", "worker0-3")
    assert fault["begin"] <= ended_at <= fault["end"]
    assert slot.child is None
