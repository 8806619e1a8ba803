"""A token that may only look changes nothing and sends nothing, whatever it posts to the dashboard.

The list of routes is that of the running server: a new one that changes something for such a token fails here.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from duly.channels.transport import SendingChannel
from duly.ports.channels import Outgoing, Receipt
from tests.integration.web.browsing import Browser, browsing, schedule
from tests.world import World

READERS = ("admin:ro", "user:Ana:ro", "project:shop:ro")
_ITS_OWN = {"/signin", "/signout"}
"""Beginning and ending a session, which a reader may."""
_FIELDS = {
    "name": "new", "text": "in 5 minutes: eat", "what": "in 5 minutes: eat", "when": "every day at 9", "prompt": "go",
    "channel": "probe", "address": "a", "first": "1", "person": "local", "user": "local", "action": "pause",
    "scope": "admin", "days": "1", "before": "30d", "confirm": "yes", "minutes": "5", "timezone": "UTC", "kind": "once",
}  # fmt: skip


class Probe(SendingChannel):
    """A channel that notes that it was used."""

    name = "probe"
    has_buttons = False

    def __init__(self, uses: list[str]) -> None:
        self._uses = uses

    async def send(self, address: str, outgoing: Outgoing) -> Receipt:  # noqa: ARG002
        self._uses.append("send")
        return Receipt()

    async def check(self) -> str:
        self._uses.append("check")
        return "here"


def routes_of(here: World) -> list[str]:
    """Give every path of the dashboard that takes a form."""
    waiting: list[Any] = list(here.app.routes)
    paths: list[str] = []
    while waiting:
        route = waiting.pop()
        waiting += getattr(getattr(route, "original_router", None), "routes", ())
        module = getattr(getattr(route, "endpoint", None), "__module__", "")
        if module.startswith("duly.web.") and (getattr(route, "methods", None) or set()) - {"GET", "HEAD"}:
            paths.append(route.path)
    return sorted(paths)


_READ = """
import json, sqlite3, sys
database = sqlite3.connect(f"file:{sys.argv[1]}?mode=ro", uri=True)
tables = [name for (name,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
kept = [each for each in tables if not each.startswith(("sqlite_", "nodes", "tokens", "clock"))]
for _ in sys.stdin:
    found = {name: sorted(map(repr, database.execute(f'SELECT * FROM "{name}"'))) for name in kept}
    print(json.dumps(found), flush=True)
"""


@contextmanager
def _reading(folder: Path) -> Iterator[Callable[[], Any]]:
    """Read every table but those that change by themselves; in another process, whose locks are its own."""
    words = [sys.executable, "-I", "-c", _READ, str(folder / "duly.db")]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as reader:
        assert reader.stdin is not None
        assert reader.stdout is not None
        asked, answered = reader.stdin, reader.stdout

        def contents() -> Any:
            asked.write("\n")
            asked.flush()
            return json.loads(answered.readline())

        yield contents
        asked.close()


@contextmanager
def _probed(here: World, monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    uses: list[str] = []
    monkeypatch.setattr(here.runtime, "make_channel", lambda _name: Probe(uses))
    yield uses


def _filled(path: str, values: dict[str, str]) -> str:
    return re.sub(r"\{(\w+)(?::\w+)?\}", lambda each: values.get(each[1], "1"), path)


async def _scene(browser: Browser) -> dict[str, str]:
    here = browser.here
    made = await schedule(here)
    await here.runtime.services.reminder_service.people.get("local")  # made when it is looked up for the first time
    return {"schedule_id": made, "run_id": made, "person": "local", "name": "probe"}


@pytest.mark.parametrize("scope", READERS)
async def test_no_route_of_the_dashboard_changes_anything_for_a_reader(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, scope: str
) -> None:
    async with browsing(tmp_path, scope) as browser:
        values = await _scene(browser)
        with _probed(browser.here, monkeypatch) as uses, _reading(tmp_path) as contents:
            paths = routes_of(browser.here)
            assert len(paths) > 30
            before = contents()
            for path in paths:
                if path in _ITS_OWN:
                    continue
                for action in ("pause", "run", "delete", "skip", "resume") if "{action}" in path else ("",):
                    asked = _filled(path, {**values, "action": action})
                    fields = {**_FIELDS, **values, "ids": values["schedule_id"], "id": values["schedule_id"]}
                    answer = await browser.post(asked, **fields)
                    assert answer.status_code < 500, (asked, answer.text[:300])
                    assert contents() == before, asked
                    assert uses == [], asked


async def test_a_reader_tests_no_channel_through_any_face(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with browsing(tmp_path, "admin:ro") as browser:
        with _probed(browser.here, monkeypatch) as uses:
            page = await browser.get("/channels")
            assert "/test" not in page
            await browser.post("/channels/probe/test")
            reader = {"Authorization": f"Bearer {await browser.here.token('admin:ro')}"}
            answer = await browser.http.post("/api/v1/channels/probe/test", headers=reader)
            assert answer.status_code in (403, 404)
            assert uses == []


async def test_an_admin_still_tests_channels(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with browsing(tmp_path, "admin") as browser:
        with _probed(browser.here, monkeypatch) as uses:
            await browser.post("/channels/probe/test")
            assert uses == ["check"]
