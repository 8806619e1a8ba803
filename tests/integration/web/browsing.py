"""A browser without script: it follows links, fills forms in and posts them, over the real application."""

from __future__ import annotations

import html
import re
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx

from duly.server.dashboard import sign_in_link
from duly.service.access.scopes import ADMIN, Caller, Face
from tests.world import World, world

HOSTILE = "<script>alert(1)</script>\"'><img src=x onerror=alert(2)>"
"""Markup that people or agents may write into any field: on a page it stays text."""


class Browser:
    """Asks pages as one caller, and remembers cookies as a browser does."""

    def __init__(self, here: World) -> None:
        self.here = here
        self.http = here.http

    async def sign_in(self, scope: str) -> None:
        """Sign in with a token of this scope."""
        answer = await self.http.post("/signin", data={"token": await self.here.token(scope)})
        assert answer.status_code in (200, 303), answer.text

    async def get(self, path: str, status: int = 200) -> str:
        """Open a page, and check that it is whole and under the policy."""
        answer = await self.http.get(path, headers={"accept": "text/html"}, follow_redirects=True)
        assert answer.status_code == status, answer.text[:2000]
        check_page(answer)
        return answer.text

    async def post(self, path: str, **fields: Any) -> httpx.Response:
        """Post a form as a page without script does; the token of the session comes with it."""
        page = await self.http.get("/settings", headers={"accept": "text/html"})
        found = re.search(r'name="csrf" (?:content|value)="([^"]+)"', page.text)
        assert found is not None, page.text[:500]
        return await self.http.post(path, data={"csrf": html.unescape(found[1]), **fields})

    async def pressed(self, path: str, **fields: Any) -> str:
        """Post a form and give the page it leads to."""
        answer = await self.post(path, **fields)
        assert answer.status_code == 303, answer.text[:2000]
        return await self.get(answer.headers["location"])


def check_page(answer: httpx.Response) -> None:
    """Check what holds for every page: the policy, and nothing that it would refuse."""
    policy = answer.headers["content-security-policy"]
    assert "unsafe" not in policy
    assert "default-src 'none'" in policy
    text = answer.text
    for refused in (" style=", "<style", "javascript:", " onclick=", " hx-on", "<script>"):
        assert refused not in text, f"{refused} in {answer.url}"
    assert "onerror=alert" not in re.sub(r"&#34;|&quot;|&#39;|&lt;.*?&gt;", "", text)


def actions(page: str) -> set[str]:
    """Give the addresses of all forms of a page that post."""
    return {html.unescape(match) for match in re.findall(r'<form[^>]*method="post"[^>]*action="([^"]+)"', page)}


def text_of(page: str) -> str:
    """Give the words of a page."""
    return html.unescape(re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", page)))


@asynccontextmanager
async def browsing(folder: Path, scope: str | None = None, **options: Any) -> AsyncIterator[Browser]:
    """Start a daemon and open its dashboard: as the local admin, or with a token of a scope."""
    async with world(folder, **options) as here:
        browser = Browser(here)
        if scope is None:
            await browser.http.get(sign_in_link(here.runtime, ""), follow_redirects=True)
        else:
            if scope.startswith("user:"):
                await here.person(scope.split(":")[1])
            await browser.sign_in(scope)
        yield browser


async def schedule(here: World, name: str = "review", **fields: Any) -> str:
    """Make a schedule with a prompt; give its id."""
    given: Mapping[str, Any] = {"name": name, "when": "every weekday at 08:00", "prompt": "look", **fields}
    given = {key: value for key, value in given.items() if value is not None}
    here.runtime.check_action = lambda *_: None  # type: ignore[method-assign]  # no project has a folder here
    made = await here.runtime.services.use_cases.schedule_create(Caller(ADMIN, face=Face.GUI), given)
    return made.id
