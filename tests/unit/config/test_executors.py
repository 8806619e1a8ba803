"""`[executors.NAME]` of `duly.toml`: what is read, and what each fault says."""

from __future__ import annotations

from dataclasses import fields
from datetime import timedelta
from pathlib import Path

import pytest

from duly.config.coverage import coverage_of
from duly.config.reading import load
from duly.config.settings import Settings
from duly.errors import ConfigError
from duly.ports.executor_settings import ExecutorKind, ExecutorSettings

BUTLERS = Path(__file__).parents[3] / "docs" / "butlers.md"
CELERY = '[executors.heavy]\nkind = "celery"\nbroker = "env:BROKER_URL"\ntasks = ["proj.tasks.*"]\n'
HTTP = '[executors.cloud]\nkind = "http"\nurl = "https://jobs.example/run"\ntasks = ["report"]\n'


def read(folder: Path, text: str) -> Settings:
    file = folder / "duly.toml"
    file.write_text(text, encoding="utf-8")
    return load({}, config=str(file), data_dir=str(folder / "data"))


def test_a_celery_executor_needs_its_kind_its_broker_and_its_tasks(tmp_path: Path) -> None:
    assert read(tmp_path, CELERY).executors == {
        "heavy": ExecutorSettings(
            name="heavy",
            kind=ExecutorKind.CELERY,
            tasks=("proj.tasks.*",),
            broker="env:BROKER_URL",
            folder=tmp_path,
        )
    }


def test_every_key_of_a_celery_executor(tmp_path: Path) -> None:
    found = read(
        tmp_path,
        CELERY + 'app = "proj.celery:app"\nresult_backend = "redis://localhost:6379/1"\nqueue = "slow"\npriority = 5\n'
        'lease = "90s"\nexpires = "1h"\nnot_begun_after = "2m"\nsoft_time_limit = "9m"\ntime_limit = "10m"\n'
        'reports = false\ncallback = "https://duly.example"\n',
    ).executors["heavy"]
    assert found == ExecutorSettings(
        name="heavy",
        kind=ExecutorKind.CELERY,
        tasks=("proj.tasks.*",),
        app="proj.celery:app",
        broker="env:BROKER_URL",
        result_backend="redis://localhost:6379/1",
        queue="slow",
        priority=5,
        lease=timedelta(seconds=90),
        expires=timedelta(hours=1),
        not_begun_after=timedelta(minutes=2),
        soft_time_limit=timedelta(minutes=9),
        time_limit=timedelta(minutes=10),
        reports=False,
        callback="https://duly.example",
        folder=tmp_path,
    )


def test_an_executor_over_http(tmp_path: Path) -> None:
    found = read(
        tmp_path,
        HTTP
        + 'secret = "file:key"\nstatus_url = "https://jobs.example/how"\ncancel_url = "https://jobs.example/end"\n',
    ).executors["cloud"]
    assert (found.kind, found.url, found.secret) == (ExecutorKind.HTTP, "https://jobs.example/run", "file:key")
    assert (found.status_url, found.cancel_url) == ("https://jobs.example/how", "https://jobs.example/end")
    assert (found.lease, found.not_begun_after) == (timedelta(minutes=1), timedelta(minutes=5))


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("[executors.heavy]", "duly.toml:1: executors.heavy.kind: is missing: it must be one of 'celery', 'http'"),
        (CELERY.replace("celery", "cellery"), "executors.heavy.kind: must be one of 'celery', 'http', got 'cellery'"),
        (CELERY.partition("tasks")[0], "executors.heavy.tasks: is missing: it must be a list of names and patterns"),
        (CELERY.replace('["proj.tasks.*"]', "[]"), "duly.toml:4: executors.heavy.tasks: must be a list of names"),
        (CELERY.replace("proj.tasks.*", "a b"), "executors.heavy.tasks: must be a list of names and patterns such as"),
        (CELERY.replace("broker", "# "), "executors.heavy.broker: is missing: name the broker, such as"),
        (CELERY.replace("env:BROKER_URL", "amqp://me:s3cret@host//"), 'executors.heavy.broker: must be "env:NAME"'),
        (CELERY + 'app = "proj"', 'executors.heavy.app: must be "module:name" of the Celery app'),
        (CELERY + 'lease = "1s"', "executors.heavy.lease: must be at least 5 s, got '1s'"),
        (CELERY + "lease = -1", "executors.heavy.lease: must be seconds or text such as"),
        (CELERY + 'expires = "later"', "executors.heavy.expires: must be seconds or text such as"),
        (CELERY + "priority = 300", "executors.heavy.priority: must be a whole number from 0 to 255, got 300"),
        (CELERY + 'queue = ""', "executors.heavy.queue: must be a text that is not empty"),
        (CELERY + 'reports = "no"', "executors.heavy.reports: must be true or false, got 'no'"),
        (CELERY + 'callback = "duly.example"', "executors.heavy.callback: must be an address such as"),
        (
            CELERY + 'soft_time_limit = "10m"\ntime_limit = "10m"',
            "executors.heavy.soft_time_limit: must be shorter than time_limit, 0:10:00",
        ),
        (CELERY + 'queues = "x"', "executors.heavy.queues: is unknown: did you mean queue?"),
        (CELERY + 'url = "https://x.example"', "executors.heavy.url: is unknown: executors.heavy takes"),
        (HTTP.partition("url")[0] + 'tasks = ["x"]', "executors.cloud.url: is missing: it must be where the service"),
        (HTTP + 'secret = "s3cret"', 'executors.cloud.secret: must be "env:NAME" or "file:PATH", never the secret'),
        (
            HTTP.replace("https://", "https://me:s3cret@"),
            "executors.cloud.url: must be an address without a name and a password",
        ),
        (CELERY.replace("heavy", '"a b"'), "executors.a b: a name is letters, digits, and any of . _ -"),
        ('[projects.blog]\npath = "."\nexecutors = "heavy"', "projects.blog.executors: must be a list of names"),
    ],
)
def test_every_fault_has_its_key_and_a_cure(tmp_path: Path, text: str, told: str) -> None:
    with pytest.raises(ConfigError) as refused:
        read(tmp_path, text)
    assert told in str(refused.value)
    assert told.endswith("never the secret") or "s3cret" not in str(refused.value)


def test_the_module_of_an_app_is_trusted_with_the_file(tmp_path: Path) -> None:
    (tmp_path / "proj").mkdir()
    (tmp_path / "proj" / "celery.py").write_text("app = None\n")
    settings = read(tmp_path, CELERY + 'app = "proj.celery:app"\n')
    assert str(tmp_path / "proj" / "celery.py") in coverage_of(settings).digests


def test_with_an_app_come_all_packages_beside_it(tmp_path: Path) -> None:
    """Celery and Django find tasks and settings by names that no import has."""
    (tmp_path / "orders" / "jobs").mkdir(parents=True)
    named = [
        tmp_path / each for each in ("proj.py", "orders/__init__.py", "orders/jobs/__init__.py", "orders/jobs/daily.py")
    ]
    for each in named:
        each.write_text("app = None\n")
    (tmp_path / "orders" / "jobs" / "notes.txt").write_text("not Python")
    covered = {str(tmp_path / "duly.toml"), *map(str, named)}
    assert set(coverage_of(read(tmp_path, CELERY + 'app = "proj:app"\n')).digests) == covered
    elsewhere = coverage_of(read(tmp_path, CELERY + 'app = "installed.proj:app"\n'))
    assert set(elsewhere.digests) == {str(tmp_path / "duly.toml")}


@pytest.mark.parametrize(
    ("task", "is_allowed"),
    [("proj.tasks.report", True), ("proj.tasks.", True), ("proj.other", False), ("Proj.tasks.report", False)],
)
def test_patterns_say_which_tasks_are_allowed(task: str, *, is_allowed: bool) -> None:
    assert ExecutorSettings(name="x", kind=ExecutorKind.CELERY, tasks=("proj.tasks.*",)).allows(task) is is_allowed


def test_every_key_is_in_the_reference() -> None:
    keys = {each.name for each in fields(ExecutorSettings)} - {"name", "folder"}
    text = BUTLERS.read_text(encoding="utf-8").partition("## Executors")[2].partition("\n## ")[0]
    assert [each for each in sorted(keys) if f"`{each}`" not in text] == []
