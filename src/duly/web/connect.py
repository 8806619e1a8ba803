"""Connect: how does my agent get in? One card per agent, with the command to copy and when it last called."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from duly.ports.tokens import TokenRecord
from duly.web.site import Site

_AGENTS = (
    ("claude", "Claude Code", "claude mcp add -s user duly -- duly mcp"),
    ("codex", "Codex", "codex mcp add duly -- duly mcp"),
    ("gemini", "Gemini", "gemini mcp add -s user duly duly mcp"),
    ("opencode", "opencode", 'opencode.json: {"mcp": {"duly": {"type": "local", "command": ["duly", "mcp"]}}}'),
)
_RIGHTS = {
    "own": ("Its own", "", "schedules and reminders of the local user, no prompts and no jobs"),
    "prompts": ("With prompts", " --spawner {agent}", "also prompts, with the spawner of the same name"),
    "admin": ("Everything", " --admin", "everything that you may do here, and the tokens of others"),
}
_PAGE = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentCard:
    """An agent that can be connected."""

    name: str
    title: str
    command: str
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
        cards = [_card(agent, chosen, tokens) for agent in _AGENTS]
        return await site.render(
            request,
            "connect.html",
            cards=cards,
            connected=[card for card in cards if card.called_at is not None],
            rights=[(f"/connect?rights={key}", label, key == chosen) for key, (label, _, _) in _RIGHTS.items()],
            means=_RIGHTS[chosen][2],
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


def _card(agent: tuple[str, str, str], rights: str, tokens: dict[str, TokenRecord]) -> AgentCard:
    name, title, by_hand = agent
    record = tokens.get(f"connect {name}")  # as `duly connect` names it
    return AgentCard(
        name=name,
        title=title,
        command=f"duly connect {name}{_RIGHTS[rights][1].format(agent=name)}",
        by_hand=by_hand,
        made_at=None if record is None else record.created_at,
        called_at=None if record is None else record.last_used_at,
        scope="" if record is None else record.scope,
    )
