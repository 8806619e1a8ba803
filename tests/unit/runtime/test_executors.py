"""The executors of a running daemon: checked when a schedule is saved, taken up with the file, missed when gone."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from duly.errors import ConfigError, InvalidInputError, NotFoundError
from duly.model.action import Job
from duly.ports.executor_settings import ExecutorKind, ExecutorSettings
from duly.ports.executors import ExecutorStanding
from duly.runtime import executors
from duly.runtime.executors import ConfiguredExecutors, look_at_executors
from duly.service.access.scopes import ADMIN, Caller, Face
from tests.configured_executor import MADE, PLACE, ConfiguredExecutor
from tests.world import HEAD, DaemonFolder, daemon_folder, resting, until

__all__ = ["daemon_folder"]

HEAVY = '[executors.heavy]\nkind = "celery"\nbroker = "env:BROKER"\ntasks = ["proj.tasks.*"]\n'
REPORT = {"name": "report", "cron": "0 3 * * *", "job_name": "proj.tasks.report", "executor": "heavy"}


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[ConfiguredExecutor]]:
    """Every executor is a scripted one."""
    monkeypatch.setitem(executors.CLASSES, ExecutorKind.CELERY, PLACE)
    MADE.clear()
    yield MADE
    MADE.clear()


def configured(**more: ExecutorSettings) -> ConfiguredExecutors:
    usual = ExecutorSettings(name="heavy", kind=ExecutorKind.CELERY, tasks=("proj.tasks.*",))
    return ConfiguredExecutors({"heavy": usual, **more}, lambda where: lambda text: f"{where}:{text}", callback="own")


def test_a_connection_is_made_once_and_late(made: list[ConfiguredExecutor]) -> None:
    known = configured()
    known.check_known(Job("proj.tasks.report", executor="heavy"))
    assert made == []
    assert known.get("heavy") is known.get("heavy")
    [one] = made
    assert (one.settings.callback, one.resolve("env:X")) == ("own", "executors.heavy:env:X")
    known.close()
    assert one.is_closed


def test_what_the_executor_refuses_is_not_saved(made: list[ConfiguredExecutor]) -> None:
    known = configured()
    job = Job("proj.tasks.report", executor="heavy")
    known.check(job)
    made[0].refuses = "takes no argument 'to'"
    with pytest.raises(InvalidInputError, match=r"proj\.tasks\.report: takes no argument 'to'"):
        known.check(job)
    with pytest.raises(NotFoundError, match=r"unknown executor 'heavvy': configured are heavy\. did you mean heavy\?"):
        known.check(Job("proj.tasks.report", executor="heavvy"))
    with pytest.raises(InvalidInputError, match=r"task 'x' is not allowed for executor 'heavy': it takes proj\.tasks"):
        known.check(Job("x", executor="heavy"))


def test_what_is_not_installed_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(executors.CLASSES, ExecutorKind.CELERY, ("duly_missing.celery", "CeleryExecutor"))
    with pytest.raises(ConfigError, match=r"executors\.heavy\.kind: 'celery' needs .*duly_missing"):
        configured().get("heavy")


async def test_one_side_decides_about_retries(daemon_folder: DaemonFolder, made: list[ConfiguredExecutor]) -> None:
    async with daemon_folder.running(HEAD + HEAVY) as runtime:
        caller = Caller(ADMIN, face=Face.CLI)
        fields = {"cron": "0 0 1 1 *", "executor": "heavy", "job_name": "proj.tasks.report"}
        kept = await runtime.services.use_cases.schedule_create(caller, {**fields, "name": "kept"})
        made[0].retries_itself = True
        await runtime.services.use_cases.update(caller, kept.id, {"timeout": "1h"})
        with pytest.raises(InvalidInputError, match="both duly and the executor would try"):
            await runtime.services.use_cases.update(caller, kept.id, {"retry": {"max_attempts": 3}})
        with pytest.raises(InvalidInputError, match="both duly and the executor would try"):
            await runtime.services.use_cases.schedule_create(
                caller, {**fields, "name": "refused", "retry": {"max_attempts": 3}}
            )


async def test_a_schedule_rests_while_its_executor_is_not_in_the_file(
    daemon_folder: DaemonFolder, made: list[ConfiguredExecutor]
) -> None:
    async with daemon_folder.running(HEAD + HEAVY) as runtime:
        watch = daemon_folder.reloading(runtime)

        async def changed(text: str) -> None:
            daemon_folder.write(text)
            await watch.look()
            await watch.look()
            await daemon_folder.clock.travel(seconds=30)

        await runtime.services.use_cases.schedule_create(runtime.local(Face.MCP), REPORT)
        assert await resting(runtime) == {}
        [first] = made
        await changed(HEAD)
        [told] = daemon_folder.news("config.reloaded")
        assert told.data == {**told.data, "changed": ["executors"], "needs_restart": []}
        assert (await resting(runtime))["report"].startswith("unknown executor 'heavy': none is configured.")
        await changed(HEAD + HEAVY.replace("proj.tasks", "other"))
        assert (await resting(runtime))["report"].startswith("task 'proj.tasks.report' is not allowed for executor")
        await changed(HEAD + HEAVY)
        assert await resting(runtime) == {}
        assert not first.is_closed
    assert first.is_closed


async def test_a_change_of_other_tables_keeps_the_connection(
    daemon_folder: DaemonFolder, made: list[ConfiguredExecutor]
) -> None:
    async with daemon_folder.running(HEAD + HEAVY) as runtime:
        watch = daemon_folder.reloading(runtime)
        there = runtime.capabilities.executors.get("heavy")
        for text, kept in (
            ("[engine]\nmax_prompts = 3\n" + HEAD + HEAVY, True),
            (HEAD + HEAVY + "priority = 3\n", False),
        ):
            daemon_folder.write(text)
            await watch.look()
            await watch.look()
            assert (runtime.capabilities.executors.get("heavy") is there) == kept
        assert len(made) == 2
        assert not any(each.is_closed for each in made)
    assert all(each.is_closed for each in made)


async def test_a_fault_in_a_table_keeps_the_settings(daemon_folder: DaemonFolder) -> None:
    async with daemon_folder.running(HEAD + HEAVY) as runtime:
        watch = daemon_folder.reloading(runtime)
        daemon_folder.write(HEAD + HEAVY.replace('"celery"', '"celeri"'))
        await watch.look()
        await watch.look()
        assert "executors.heavy.kind: must be one of" in str(runtime.config_fault)
        assert list(runtime.capabilities.executors) == ["heavy"]


async def test_a_daemon_looks_at_its_executors_every_minute(
    daemon_folder: DaemonFolder, made: list[ConfiguredExecutor]
) -> None:
    async with daemon_folder.running(HEAD + HEAVY) as runtime:
        looking = asyncio.create_task(look_at_executors(runtime))
        try:
            await daemon_folder.clock.travel(seconds=1)
            executor = runtime.capabilities.executors.get("heavy")
            assert made == [executor]
            await until(lambda: runtime.capabilities.executors.looks, "the first look")
            made[0].answer = ExecutorStanding(reachable=False, error="connection refused")
            await daemon_folder.clock.travel(seconds=61)
            away = "executor heavy cannot be reached: connection refused"
            await until(lambda: not runtime.capabilities.executors.looks["heavy"].standing.reachable, away)
            assert [each for each in (await runtime.health()).reasons if each.startswith(away)]
        finally:
            looking.cancel()
            await asyncio.gather(looking, return_exceptions=True)


def test_a_table_of_celery_makes_an_executor_that_knows_its_app(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "duly_table_app.py").write_text(
        "from celery import Celery\n\napp = Celery('proj', broker='memory://')\n\n\n"
        "@app.task(name='proj.tasks.report')\ndef report(to: str) -> None:\n    pass\n"
    )
    monkeypatch.setattr("sys.path", [*sys.path])
    table = ExecutorSettings(
        name="heavy",
        kind=ExecutorKind.CELERY,
        tasks=("proj.tasks.*",),
        app="duly_table_app:app",
        folder=tmp_path,
        broker="env:BROKER",
        soft_time_limit=timedelta(seconds=9),
    )
    secrets = {"env:BROKER": "memory://"}
    known = ConfiguredExecutors({"heavy": table}, lambda _where: secrets.__getitem__, callback="http://127.0.0.1:8765")
    try:
        known.check(Job("proj.tasks.report", {"to": "tape"}, executor="heavy"))
        with pytest.raises(InvalidInputError, match=r"proj\.tasks\.report"):
            known.check(Job("proj.tasks.report", {"too": "tape"}, executor="heavy"))
        with pytest.raises(InvalidInputError, match=r"proj\.tasks\.misspelt"):
            known.check(Job("proj.tasks.misspelt", executor="heavy"))
    finally:
        known.close()


def test_a_secret_that_is_missing_here_keeps_no_schedule_from_being_saved() -> None:
    def missing(_text: str) -> str:
        raise ConfigError("executors.heavy.broker", "the environment variable BROKER is not set")

    table = ExecutorSettings(name="heavy", kind=ExecutorKind.CELERY, tasks=("x",), broker="env:BROKER")
    known = ConfiguredExecutors({"heavy": table}, lambda _where: missing)
    known.check(Job("x", executor="heavy"))
    with pytest.raises(InvalidInputError, match="is not allowed"):
        known.check(Job("y", executor="heavy"))
    known.close()
