"""Which file and which data directory count, and the errors of faulty settings."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import pytest

from duly.config.reading import load, trust
from duly.config.sections import LIMITS
from duly.config.settings import DEFAULT_HOST, DEFAULT_PORT
from duly.errors import ConfigError


def _written(folder: Path, text: str) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / "duly.toml"
    file.write_text(text, encoding="utf-8")
    return file


def _trusted(file: Path) -> None:
    """As `duly trust` does it."""
    trust(file)


@pytest.fixture
def alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A place without any configuration around."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "share"))
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    (tmp_path / "here").mkdir()
    return tmp_path


def test_every_limit_of_the_server_can_be_set(alone: Path) -> None:
    written = dict(zip(LIMITS, range(10, 100), strict=False))
    file = _written(alone, "[server]\n" + "".join(f"{key} = {value}\n" for key, value in written.items()))
    settings = load({}, config=str(file)).limits
    assert asdict(settings) == {LIMITS[key][0]: value for key, value in written.items()}


def test_nothing_has_to_be_configured(alone: Path) -> None:
    settings = load({}, here=alone / "here")
    assert settings.file is None
    assert settings.data_dir.is_relative_to(alone)
    assert settings.store == str(settings.data_dir / "schedules.db")
    assert (settings.host, settings.port, settings.butler) == (DEFAULT_HOST, DEFAULT_PORT, None)


def test_a_store_may_have_a_second_address(alone: Path) -> None:
    text = 'store = "env:DULY_STORE"\nstore_direct = "env:DULY_STORE_DIRECT"\n'
    settings = load({}, config=str(_written(alone, text)))
    assert (settings.store, settings.store_direct) == ("env:DULY_STORE", "env:DULY_STORE_DIRECT")


def test_the_data_directory_is_the_first_that_is_named(alone: Path) -> None:
    _trusted(_written(alone / "here", 'data_dir = "from-file"'))
    here, environment = alone / "here", {"DULY_DATA_DIR": str(alone / "from-environment")}
    assert load({}, here=here).data_dir == here / "from-file"
    assert load(environment, here=here).data_dir == alone / "from-environment"
    assert load(environment, here=here, data_dir=str(alone / "told")).data_dir == alone / "told"


def test_the_file_is_the_first_that_is_found(alone: Path) -> None:
    data, here = alone / "data", alone / "here"
    in_data = _written(data, 'timezone = "UTC"')
    assert load({}, here=here, data_dir=str(data)).file == in_data
    assert load({"DULY_DATA_DIR": str(data)}, here=here).file == in_data
    in_here = _written(here, 'timezone = "UTC"')
    assert load({}, here=here, data_dir=str(data)).file == in_data
    _trusted(in_here)
    assert load({}, here=here, data_dir=str(data)).file == in_here
    other = _written(alone / "other", 'timezone = "UTC"')
    assert load({"DULY_CONFIG": str(other)}, here=here).file == other
    assert load({"DULY_CONFIG": str(other)}, here=here, config=str(in_data)).file == in_data


def test_paths_start_from_the_file(alone: Path) -> None:
    file = _written(alone / "etc", '[projects.blog]\npath = "blog"\n[projects.home]\npath = "~/x"')
    projects = load({}, config=str(file)).projects
    assert projects == {"blog": alone / "etc" / "blog", "home": alone / "home" / "x"}


def test_paths_on_the_command_line_start_from_the_current_directory(alone: Path) -> None:
    here = alone / "here"
    inside = _written(here / "data", 'timezone = "UTC"')
    assert load({}, here=here, data_dir="data").file == inside
    assert load({}, here=here, data_dir="data").data_dir == here / "data"
    assert load({"DULY_DATA_DIR": "data"}, here=here).data_dir == here / "data"
    elsewhere = _written(alone / "etc", 'data_dir = "state"')
    assert load({}, here=here, config=str(elsewhere), data_dir="data").data_dir == here / "data"
    assert load({"DULY_CONFIG": "data/duly.toml"}, here=here).file == inside


def test_a_store_in_a_file_starts_from_the_file(alone: Path) -> None:
    for written, store in (
        ("mine.db", str(alone / "etc" / "mine.db")),
        ("~/mine.db", str(alone / "home" / "mine.db")),
        ("/srv/mine.db", "/srv/mine.db"),
        ("postgresql://host/db", "postgresql://host/db"),
        ("env:STORE", "env:STORE"),
        ("file:secret", "file:secret"),
    ):
        file = _written(alone / "etc", f'store = "{written}"')
        assert load({}, config=str(file), here=alone / "here").store == store


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('data_dir = ""', "data_dir: must be a text that is not empty, got ''"),
        ("colour = 1", "colour: is unknown: the file takes backup, butler, channels"),
        ("[sever]", r"sever: is unknown: did you mean server\? the file takes backup, butler, channels"),
        ("[server]\nport = 70000", "server.port: must be a whole number from 0 to 65535, got 70000"),
        ("[server]\nport = true", "server.port: must be a whole number"),
        ("[server]\nmax_connections = 3", "server.max_connections: must be a whole number from 10 to 100000, got 3"),
        ("[server]\ncolour = 1", "server.colour: is unknown"),
        ("[engine]\nmax_prompts = 0", "engine.max_prompts: must be a whole number from 1 to 10000, got 0"),
        ("[engine]\nmax_messages = 1.5", "engine.max_messages: must be a whole number"),
        ("[engine]\nowner_share = 0", "engine.owner_share: must be a number above 0, at most 1, got 0"),
        ("[engine]\nowner_share = nan", "engine.owner_share: must be a number above 0, at most 1, got nan"),
        ("[engine]\nowner_share = true", "engine.owner_share: must be a number above 0, at most 1, got True"),
        ('timezone = "Mars/Olympus"', "timezone: .*Mars/Olympus"),
        ('cron_timezone = "Mars/Olympus"', "cron_timezone: .*Mars/Olympus"),
        ('cron_timezone = ""', "cron_timezone: must be a text that is not empty, got ''"),
        ("cron_timezone = true", "cron_timezone: must be a text that is not empty, got True"),
        ("projects = 1", r"projects: must be a table, \[projects\], got 1"),
        ("[projects]\nblog = 1", r"projects.blog: must be a table"),
        ('[projects."a/b"]\npath = "x"', r"projects.a/b: an id is letters, digits, and any of . _ @ \+ -"),
        ('[projects."x:ro:"]\npath = "x"', "projects.x:ro:: an id is letters"),
        ("[projects.blog]", "projects.blog.path: is missing: it must be a text that is not empty"),
        ('[gates]\nx = "rm -rf"', "gates.x: must be a list of words"),
        ("[gates]\nx = []", "gates.x: must be a list of words"),
        ('[jobs]\nx = "module"', 'jobs.x: must be "module:function"'),
        ("[butler]", "butler.name: is missing: it must be a text"),
        ('[butler]\nname = "h"\nschedule = 1', r"butler.schedule: write each schedule as a \[\[butler.schedule\]\]"),
        ('[butler]\nname = "h"\n[[butler.schedule]]\ncron = "* * * * *"', r"butler.schedule\[0\].name"),
        (
            '[butler]\nname = "h"\n[[butler.schedule]]\nname = "a"\n[[butler.schedule]]\nname = "a"',
            r"butler.schedule\[1\].name: 'a' is there twice",
        ),
        (
            '[butler]\nname = "h"\n[[butler.schedule]]\nname = "a"\n[[butler.schedule]]\nname = " a "',
            r"butler.schedule\[1\].name: 'a' is there twice",
        ),
        ("not toml", "cannot be read"),
    ],
)
def test_a_fault_names_the_key_and_what_to_write(alone: Path, text: str, told: str) -> None:
    file = _written(alone / "etc", text)
    with pytest.raises(ConfigError, match=told):
        load({}, config=str(file))


def test_a_file_that_was_named_has_to_be_there(alone: Path) -> None:
    with pytest.raises(ConfigError, match="there is no such file"):
        load({"DULY_CONFIG": str(alone / "nowhere.toml")}, here=alone / "here")
