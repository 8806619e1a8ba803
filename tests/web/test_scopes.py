"""What a token sees of the dashboard: only what it may, every link leads somewhere, and no button would be refused."""

from __future__ import annotations

from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import urldefrag

import pytest

from duly.service.access.scopes import ADMIN, Caller
from tests.web.scene import scene
from tests.web.test_sign_in import HTML
from tests.world import World

_FOR_EVERYONE = {"/ui/settings", "/signout", "/ui/pin", "/ui/unpin"}
"""Forms that change nothing but this browser."""
_NO = (401, 403, 405, 500)
_MOST_PAGES = 60
_OTHERS = ("/ui/static/", "/ui/live", "/api/", "/calendar/")
_HIDDEN = {
    "project:shop": ("backup-db", "bp-tablet", "inbox-triage", "blood-pressure", "secret-token"),
    "user:local": ("backup-db", "issue-triage", "inbox-triage", "Triage the new issues", "secret-token"),
}
"""What the scene has and these scopes may not see."""


class _Page(HTMLParser):
    """The links of a page, and its forms with their fields."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.forms: list[tuple[str, dict[str, str]]] = []
        self._is_posting = False
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        if tag == "a" and given.get("href", "").startswith("/"):
            self.links.append(urldefrag(given["href"]).url)
        elif tag == "form":
            self._is_posting = given.get("method", "get").lower() == "post"
            if self._is_posting:
                self.forms.append((given["action"], {}))
        elif tag in {"input", "button"} and self._is_posting and "name" in given:
            self.forms[-1][1].setdefault(given["name"], given.get("value", ""))

    def handle_endtag(self, tag: str) -> None:
        if tag == "form":
            self._is_posting = False


@dataclass
class Crawl:
    """All pages that links lead to."""

    texts: dict[str, str] = field(default_factory=dict)
    forms: dict[str, dict[str, str]] = field(default_factory=dict)
    refused: dict[str, int] = field(default_factory=dict)


def _kind(path: str) -> str:
    """Give what pages that differ only by their ids have in common: a few of each are enough."""
    parts = path.partition("?")[0].split("/")
    return "/".join("*" if "_" in part and len(part) > 20 else part for part in parts)


async def _crawl(here: World, scope: str) -> Crawl:
    entered = await here.http.post("/signin", data={"token": await here.token(scope)})
    assert entered.status_code == 303
    found = Crawl()
    seen: dict[str, int] = {}
    waiting = ["/"]
    while waiting and len(found.texts) < _MOST_PAGES:
        path = waiting.pop(0)
        kind = _kind(path)
        if path in found.texts or path.startswith(_OTHERS) or seen.get(kind, 0) >= 3:
            continue
        seen[kind] = seen.get(kind, 0) + 1
        answer = await here.http.get(path, headers=HTML, follow_redirects=True)
        found.texts[path] = answer.text
        if answer.status_code != 200:
            found.refused[path] = answer.status_code
            continue
        page = _Page(answer.text)
        waiting += [link for link in page.links if link not in found.texts]
        found.forms |= dict(page.forms)
    return found


@pytest.mark.parametrize("scope", ["project:shop", "user:local", "admin:ro", "project:shop:ro", "user:local:ro"])
async def test_a_token_sees_its_own_and_no_button_would_be_refused(tmp_path: Path, scope: str) -> None:
    async with scene(tmp_path, auth=True, others=3) as here:
        await here.runtime.services.tokens.create(Caller(ADMIN), "secret-token", "admin")
        found = await _crawl(here, scope)
        assert len(found.texts) > 5
        faults = [f"{path} answers {code}" for path, code in found.refused.items()]
        hidden = _HIDDEN.get(scope.removesuffix(":ro"), ())
        faults += [f"{path} shows {word}" for path, text in found.texts.items() for word in hidden if word in text]
        ours = {action: fields for action, fields in found.forms.items() if action not in _FOR_EVERYONE}
        if scope.endswith(":ro"):
            faults += [f"a form for {action}" for action in ours]
        else:
            assert ours
            faults += [f"{action} answers {code}" for action, code in (await _press(here, ours)).items() if code in _NO]
    assert faults == []


async def _press(here: World, forms: dict[str, dict[str, str]]) -> dict[str, int]:
    """Press every button, with the values that its form has."""
    codes = {}
    for action, fields in forms.items():
        answer = await here.http.post(action, data=fields, headers={"hx-request": "true"})
        codes[action] = answer.status_code
    return codes
