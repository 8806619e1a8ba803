"""Connect: how does my agent get in? One card per agent, with the command to copy and when it last called."""

from __future__ import annotations

import json
import shlex
from dataclasses import dataclass
from datetime import datetime

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from duly.config.reading import data_directory
from duly.config.settings import Settings, client_file
from duly.ports.people import LOCAL_USER
from duly.ports.tokens import TokenRecord
from duly.web.site import Site

_AGENTS = (
    ("claude", "Claude Code", "claude mcp add -s user duly --"),
    ("codex", "Codex", "codex mcp add duly --"),
    ("gemini", "Gemini", "gemini mcp add -s user duly"),
    ("opencode", "opencode", ""),
)
_RIGHTS = {
    "own": (
        "Its own",
        "",
        f"--scope user:{LOCAL_USER}",
        "schedules and reminders of the local user, no prompts and no jobs",
    ),
    "prompts": (
        "With prompts",
        " --spawner {agent}",
        f"--scope user:{LOCAL_USER} --grant prompts:{{agent}}",
        "also prompts, with the spawner of the same name",
    ),
    "admin": ("Everything", " --admin", "--scope admin", "everything that you may do here, and the tokens of others"),
}
"""Its name, and as options: of `duly connect`, and of `duly token create`; and what it means."""
_PAGE = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentCard:
    """An agent that can be connected."""

    name: str
    title: str
    command: str
    make_token: str
    """The command that makes the token of these rights."""
    token_file: str
    """Where the agent's `duly mcp` reads it; without one it would be the admin."""
    by_hand: str
    made_at: datetime | None = None
    called_at: datetime | None = None
    scope: str = ""


def make_connect(site: Site) -> APIRouter:
    """Make the route of Connect."""
    router = site.router()

    @router.get("/connect")
    async def connect(request: Request, rights: str = "own") -> Response:
        chosen = rights if rights in _RIGHTS else "own"
        tokens = await _valid_tokens(site, request)
        cards = [_card(agent, chosen, tokens, site.services.process.settings) for agent in _AGENTS]
        return await site.render(
            request,
            "connect.html",
            cards=cards,
            connected=[card for card in cards if card.called_at is not None],
            rights=[(f"/connect?rights={key}", label, key == chosen) for key, (label, *_) in _RIGHTS.items()],
            means=_RIGHTS[chosen][-1],
            url=(site.doors.public_url or str(request.base_url)).rstrip("/"),
        )

    return router


async def _valid_tokens(site: Site, request: Request) -> dict[str, TokenRecord]:
    """Give the newest valid token of each name; raises for callers who may not see tokens."""
    found, cursor = await site.services.tokens.page(site.caller(request), limit=_PAGE)
    while cursor is not None:
        more, cursor = await site.services.tokens.page(site.caller(request), cursor, _PAGE)
        found += more
    now = site.viewer(request).now
    return {each.name: each for each in found if each.ended_at(now) is None}


def _card(agent: tuple[str, str, str], rights: str, tokens: dict[str, TokenRecord], settings: Settings) -> AgentCard:
    name, title, add = agent
    _, connects, makes, _ = _RIGHTS[rights]
    places = _places(settings)
    token_file = str(client_file(settings.data_dir, name))
    record = tokens.get(f"connect {name}")  # as `duly connect` names it
    return AgentCard(
        name=name,
        title=title,
        command=f"duly connect {name}{connects.format(agent=name)}{places}",
        make_token=f"duly token create {shlex.quote(f'connect {name}')} {makes.format(agent=name)}{places}",
        token_file=token_file,
        by_hand=_by_hand(add, settings, token_file),
        made_at=None if record is None else record.created_at,
        called_at=None if record is None else record.last_used_at,
        scope="" if record is None else record.scope,
    )


def _places(settings: Settings) -> str:
    """Name the settings file and the data directory for a terminal, where they are not those it would use anyway."""
    usual = data_directory({}, None)
    if settings.data_dir == usual and (settings.file is None or settings.file.parent == usual):
        return ""
    file = [] if settings.file is None else ["--config", str(settings.file)]
    return " " + shlex.join([*file, "--data-dir", str(settings.data_dir)])


def _by_hand(add: str, settings: Settings, token_file: str) -> str:
    """Write what `duly connect` tells the agent: with every place, because it starts duly in any folder."""
    file = [] if settings.file is None else ["--config", str(settings.file)]
    command = ["duly", "mcp", *file, "--data-dir", str(settings.data_dir), "--token-file", token_file]
    if add:
        return f"{add} {shlex.join(command)}"
    return f"opencode.json: {json.dumps({'mcp': {'duly': {'type': 'local', 'command': command}}})}"
