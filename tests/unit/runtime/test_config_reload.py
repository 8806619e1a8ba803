"""A running daemon takes up changes of its file, refuses faulty ones, and names those that need a restart."""

from __future__ import annotations

import asyncio
import logging
from dataclasses import replace
from pathlib import Path

import pytest

from duly.config.reading import load
from duly.config.settings import Butler, Settings
from duly.errors import StoreUnavailableError
from duly.model.action import Job, Prompt, Target
from duly.runtime.config_reload import ConfigReloader, separate
from duly.runtime.runtime import Runtime
from duly.service.access.scopes import Face
from tests.world import FOLDER, GOOD, HEAD, JOB, DaemonFolder, daemon_folder, resting, state, statuses

__all__ = ["daemon_folder"]

NTFY = '[channels.ntfy]\nbase_url = "https://ntfy.example.org"\n'


async def _changed(daemon_folder: DaemonFolder, watch: ConfigReloader, text: str) -> None:
    """Edit the file, and let the daemon look at it until it has come to rest."""
    daemon_folder.write(text)
    await watch.look()
    await watch.look()


async def test_schedules_jobs_projects_and_limits_are_taken_up(daemon_folder: DaemonFolder) -> None:
    daemon_folder.make_program("echo-agent")
    (daemon_folder.folder / "blog").mkdir()
    (daemon_folder.folder / "shop").mkdir()
    async with daemon_folder.running(HEAD + GOOD) as runtime:
        watch = daemon_folder.reloading(runtime)
        daemon_folder.make_module("extra")
        more = HEAD.replace("[jobs]", '[jobs]\nextra = "daemon_job_extra:work"')
        more = more.replace("[gates]", '[projects.shop]\npath = "shop"\n[gates]\nmore = ["true"]')
        more = "[engine]\nmax_concurrency = 7\nmax_prompts = 3\nowner_share = 1\nretention_days = 3\n" + NTFY + more
        extra = JOB.replace('"late"', '"extra"') + FOLDER.replace('"blog"', '"shop"')
        await _changed(daemon_folder, watch, more + extra)
        [told] = daemon_folder.news("config.reloaded")
        assert told.data["changed"] == [
            *("max_concurrency", "max_prompts", "owner_share"),
            *("retention_days", "projects", "gates", "jobs", "channels", "butler"),
        ]
        assert told.data["needs_restart"] == []
        assert runtime.engine.settings.max_concurrency == 7
        assert (runtime.engine.settings.max_prompts, runtime.engine.settings.owner_share) == (3, 1)
        assert (runtime.prompts.places, runtime.prompts.owner_share) == (3, 1)
        assert (await state(runtime, "good")).disabled_by == "file"
        assert await resting(runtime) == {}
        assert list(runtime.channels) == ["ntfy"]
        await daemon_folder.clock.travel(seconds=30)
        assert await statuses(runtime, "job") == ["succeeded"]
        runtime.capabilities.check(Prompt(text="x", targets=(Target("shop"),), gate="more", spawner="echo"))
        assert runtime.prompts.rules is runtime.capabilities.rules
        await runtime.services.reminder_service.create("local", {"type": "once", "at": "5m"}, "tea", channel="ntfy")


async def test_schedules_of_a_job_rest_while_the_file_does_not_have_it(daemon_folder: DaemonFolder) -> None:
    daemon_folder.make_module("late")
    async with daemon_folder.running(HEAD) as runtime:
        watch = daemon_folder.reloading(runtime)
        fields = {"name": "mine", "cron": "* * * * *", "job_name": "late"}
        await runtime.services.use_cases.schedule_create(runtime.local(Face.MCP), fields)
        await _changed(daemon_folder, watch, HEAD.replace('late = "daemon_job_late:work"', ""))
        await daemon_folder.clock.travel(seconds=1)
        assert list(await resting(runtime)) == ["mine"]
        await _changed(daemon_folder, watch, HEAD)
        await daemon_folder.clock.travel(seconds=1)
        assert await resting(runtime) == {}


async def test_a_broken_edit_is_refused_with_its_line_and_changes_nothing(daemon_folder: DaemonFolder) -> None:
    async with daemon_folder.running(HEAD + GOOD) as runtime:
        watch, before = daemon_folder.reloading(runtime), runtime.settings
        faults = {
            HEAD + GOOD.replace("* * * * *", "61 * * * *"): "duly.toml:16: butler.schedule[0].cron: Invalid cron",
            HEAD + GOOD + "colour = 1\n": "duly.toml:18: butler.schedule[0].colour: is unknown: a schedule takes name",
            HEAD + GOOD + 'timeout = "soon"\n': "duly.toml:18: butler.schedule[0].timeout: must be a number of seconds",
            HEAD + GOOD + "queue_limit = 3\n": "duly.toml:18: butler.schedule[0].queue_limit: 3 has no effect without",
            HEAD + GOOD + "retry = { tries = 3 }\n": "duly.toml:18: butler.schedule[0].retry.tries: is unknown: retry",
            HEAD + GOOD.replace('"good"\n', '"god"\n'): "duly.toml:17: butler.schedule[0].job_name: unknown job 'god'",
            HEAD + FOLDER.replace('"blog"', '"blgo"'): "duly.toml:18: butler.schedule[0].targets: unknown project",
            HEAD.replace("new =", "timeout = 0\nnew ="): "duly.toml:5: spawners.echo.timeout: must be",
            "colour = 1\n" + HEAD: "duly.toml:1: colour: is unknown",
            HEAD + "[broken\n": "duly.toml:14: cannot be read: ",
            NTFY.replace("base_url", "server") + HEAD: "duly.toml:2: channels.ntfy.server: is unknown",
        }
        for text, fault in faults.items():
            await _changed(daemon_folder, watch, text)
            [told] = daemon_folder.news("config.refused")
            assert told.data["file"] == str(daemon_folder.folder / "duly.toml")
            assert told.data["error"].startswith(str(daemon_folder.folder / fault))
            assert runtime.config_fault == told.data["error"]
            assert runtime.settings == before
        for _ in range(3):
            await watch.look()
        assert daemon_folder.news("config.refused") == []  # once is enough
        await daemon_folder.clock.travel(minutes=1)
        assert await statuses(runtime, "good") == ["succeeded"]
        await _changed(daemon_folder, watch, HEAD + GOOD)
        [told] = daemon_folder.news("config.reloaded")
        assert (told.data["changed"], runtime.config_fault) == ([], None)


async def test_settings_that_need_a_restart_are_named_once(
    daemon_folder: DaemonFolder, caplog: pytest.LogCaptureFixture
) -> None:
    async with daemon_folder.running(HEAD + GOOD) as runtime:
        watch = daemon_folder.reloading(runtime)
        with caplog.at_level(logging.WARNING, logger="duly"):
            for port in ("8001", "8001  # again"):
                await _changed(daemon_folder, watch, f"[server]\nport = {port}\n" + HEAD + GOOD)
            await _changed(daemon_folder, watch, '[server]\nport = 8001\nhost = "::1"\n' + HEAD + GOOD)
        said = [record.getMessage() for record in caplog.records if record.levelno >= logging.WARNING]
        assert said == ["needs a restart: server.port", "needs a restart: server.host"]
        assert runtime.settings.port == 8765


def test_settings_are_taken_up_now_or_at_the_next_start(tmp_path: Path) -> None:
    now = Settings(data_dir=tmp_path, store="a.db", channels={"telegram": {"token": "a"}, "ntfy": {}})
    wanted = replace(
        now,
        data_dir=tmp_path / "other",
        store="b.db",
        timezone="UTC",
        cron_timezone="UTC",
        public_url="https://x",
        max_concurrency=3,
        channels={"telegram": {"token": "b"}, "slack": {"token": "c"}, "mail": {}},
        butler=Butler(name="home"),
    )
    settings, changed, restart = separate(now, wanted)
    assert restart == [
        "data_dir",
        "store",
        "timezone",
        "cron_timezone",
        "public_url",
        "channels.telegram",
        "channels.slack",
        "butler",
    ]
    assert changed == ["max_concurrency", "channels"]
    assert settings == replace(now, max_concurrency=3, channels={"telegram": {"token": "a"}, "mail": {}})
    renamed = separate(replace(now, butler=Butler(name="a")), replace(now, butler=Butler(name="b")))
    assert renamed[1:] == ([], ["butler.name"])


async def test_a_file_that_is_being_written_is_not_read_yet(daemon_folder: DaemonFolder) -> None:
    async with daemon_folder.running(HEAD + GOOD) as runtime:
        watch = daemon_folder.reloading(runtime)
        await watch.look()
        for half in ("[projects.blog", "[projects.blog]\npath =", HEAD + GOOD):
            daemon_folder.write(half)
            await watch.look()
        assert daemon_folder.news("config.refused", "config.reloaded") == []
        await watch.look()
        assert daemon_folder.news("config.refused", "config.reloaded") == []  # it says the same as before


async def test_a_file_that_vanishes_is_reported_and_taken_up_when_it_returns(daemon_folder: DaemonFolder) -> None:
    async with daemon_folder.running(HEAD + GOOD) as runtime:
        watch = daemon_folder.reloading(runtime)
        await watch.look()
        (daemon_folder.folder / "duly.toml").unlink()
        await watch.look()
        await watch.look()
        [told] = daemon_folder.news("config.refused")
        assert "there is no such file" in told.data["error"]
        await _changed(daemon_folder, watch, HEAD + GOOD)
        assert runtime.config_fault is None


async def test_a_daemon_without_a_file_takes_up_the_one_of_its_data_directory(daemon_folder: DaemonFolder) -> None:
    data = daemon_folder.folder / "data"

    def reread(file: Path) -> Settings:
        return load({}, config=str(file), data_dir=str(data))

    runtime = Runtime(load({}, data_dir=str(data), here=data), clock=daemon_folder.clock)
    taken: list[Path] = []
    await runtime.open()
    await runtime.start_engine()
    try:
        watch = ConfigReloader(runtime, reread, taken.append)
        await watch.look()
        assert (taken, runtime.settings.file) == ([], None)
        (data / "daemon_job_good.py").write_text("async def work():\n    pass\n", encoding="utf-8")
        (data / "duly.toml").write_text('[jobs]\nfine = "daemon_job_good:work"\n', encoding="utf-8")
        await watch.look()
        await watch.look()
        assert (taken, runtime.settings.file) == ([data / "duly.toml"], data / "duly.toml")
        runtime.capabilities.check_job(Job("fine"))
    finally:
        await runtime.close()


async def test_a_reload_is_tried_again_when_the_store_is_away(
    daemon_folder: DaemonFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with daemon_folder.running(HEAD + GOOD) as runtime:
        watch = daemon_folder.reloading(runtime)
        looking = asyncio.create_task(watch.run())
        save = runtime.store.save

        async def fail(*_args: object) -> list[str]:
            raise StoreUnavailableError("gone")

        monkeypatch.setattr(runtime.store, "save", fail)
        daemon_folder.write(HEAD + GOOD.replace("* * * * *", "0 * * * *"))
        await daemon_folder.clock.travel(seconds=5)
        assert runtime.config_fault is None
        assert daemon_folder.news("config.reloaded") == []
        monkeypatch.setattr(runtime.store, "save", save)
        await daemon_folder.clock.travel(seconds=2)
        assert [event.data["changed"] for event in daemon_folder.news("config.reloaded")] == [["butler"]]
        looking.cancel()
        await asyncio.gather(looking, return_exceptions=True)
