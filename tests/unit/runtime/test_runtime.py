"""The parts of a process, and the errors when one cannot be made."""

from __future__ import annotations

import asyncio
import sys
import threading
from pathlib import Path

import pytest

from duly.config.settings import Settings
from duly.entropy import random_bits
from duly.errors import ConfigError
from duly.model.action import Job, Prompt
from duly.recurrence import as_trigger, run_now
from duly.runtime.runtime import Runtime
from duly.service.schedules.drafts import Draft
from duly.service.schedules.schedules import ScheduleService

_MODULE = """
def note() -> str:
    return "noted"

def answer(prompt: str, trigger_source: str) -> str:
    return "answered"
"""


async def test_a_data_directory_that_cannot_be_made_is_an_error_with_the_fix(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way", encoding="utf-8")
    for folder in (tmp_path / "file", tmp_path / "file" / "below"):
        runtime = Runtime(Settings(data_dir=folder, store=str(tmp_path / "schedules.db")))
        with pytest.raises(ConfigError, match=rf"data_dir: cannot make the directory {folder}: .*--data-dir"):
            await runtime.open()


def test_a_driver_that_is_not_installed_is_a_fault_of_the_settings(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "duly.stores.postgres.store", None)
    with pytest.raises(ConfigError, match="store: import of"):
        Runtime(Settings(data_dir=tmp_path, store="postgresql://127.0.0.1/x"))


async def test_close_ends_the_threads_and_restores_the_module_path(tmp_path: Path) -> None:
    (tmp_path / "beside_the_file.py").write_text(_MODULE, encoding="utf-8")
    settings = Settings(
        file=tmp_path / "duly.toml",
        data_dir=tmp_path,
        store=str(tmp_path / "schedules.db"),
        jobs={"note": "beside_the_file:note"},
        spawners={"helper": {"kind": "callable", "call": "beside_the_file:answer"}},
    )
    path, before = list(sys.path), set(threading.enumerate())
    runtime = Runtime(settings)
    await runtime.open()
    assert sys.path == path  # until a function of the file is loaded
    drafts = [
        Draft(name="job", trigger=as_trigger(run_now()), action=Job("note", {})),
        Draft(name="prompt", trigger=as_trigger(run_now()), action=Prompt(text="hello", spawner="helper")),
    ]
    await ScheduleService(runtime.store, runtime.clock, runtime.capabilities.check_job, random_bits).save(drafts)
    assert await runtime.engine.tick(runtime.clock.now()) == 2
    assert sys.path == [*path, str(tmp_path)]
    started = set(threading.enumerate()) - before
    assert {"duly-job_0", "duly-prompt_0"} <= {thread.name for thread in started}

    await runtime.close()
    await runtime.close()
    assert sys.path == path
    for thread in started:
        if thread.name.startswith("duly-"):
            await asyncio.to_thread(thread.join, 60)
            assert not thread.is_alive(), thread.name
