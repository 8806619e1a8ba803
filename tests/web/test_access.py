"""Every route of the dashboard: nothing without a session, no change for who may only look, no form of another site."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from starlette.routing import Route

from tests.web.scene import scene
from tests.web.test_sign_in import HTML, csrf
from tests.world import World

OWN_BROWSER = ("/signout", "/ui/settings", "/ui/pin", "/ui/unpin")
"""Forms that change nothing but the browser that sends them."""
REFUSED = (403, 404, 422)
LOOKS = {"/ui/edit/preview"}
"""Forms that are sent to look: they change nothing."""


def pages(routes: list[Any]) -> Iterator[tuple[str, str]]:
    """Give the routes of the dashboard with their methods."""
    for route in routes:
        inner = getattr(getattr(route, "original_router", None), "routes", None)
        if inner is not None:
            yield from pages(inner)
        elif isinstance(route, Route) and getattr(route, "is_page", False):
            for method in route.methods or ():
                if method != "HEAD":
                    yield method, re.sub(r"\{\w+(?::\w+)?\}", "nothing", route.path)


async def rows(here: World) -> dict[str, int]:
    """Count what a change would leave behind."""
    overview = await here.runtime.store.overview(here.clock.now())
    return {"schedules": overview.schedules, "entries": (await here.runtime.store.audit.head()).seq}


def test_every_form_is_refused_without_its_token_and_to_who_may_only_look(tmp_path: Path) -> None:
    async def look() -> None:
        async with scene(tmp_path, auth=True, others=0) as here:
            found = sorted(set(pages(here.app.routes)))
            assert ("POST", "/ui/answer") in found
            await here.http.post("/signin", data={"token": await here.token("admin:ro")})
            token = await csrf(here)
            before = await rows(here)
            let_in: set[str] = set()
            for method, path in found:
                if method == "GET" or path in OWN_BROWSER:
                    continue
                bare = await here.http.request(method, path, headers={"hx-request": "true"})
                assert bare.status_code == 403, path
                sent = await here.http.request(
                    method, path, data={"csrf": token, "schedule": "backup-db"}, headers={"hx-request": "true"}
                )
                if sent.status_code not in REFUSED:
                    let_in.add(path)
            assert let_in == LOOKS
            assert await rows(here) == before

    asyncio.run(look())


def test_no_page_of_an_onlooker_has_a_form_that_changes_something(tmp_path: Path) -> None:
    async def look() -> None:
        async with scene(tmp_path, auth=True, others=0) as here:
            await here.http.post("/signin", data={"token": await here.token("admin:ro")})
            for method, path in sorted(set(pages(here.app.routes))):
                if method != "GET" or "nothing" in path or path in {"/ui/live", "/ui/fire", "/ui/components"}:
                    continue
                page = await here.http.get(path, headers=HTML)
                forms = set(re.findall(r'<form[^>]*method="post"[^>]*action="([^"]+)"', page.text))
                assert forms <= set(OWN_BROWSER), (path, forms)

    asyncio.run(look())
