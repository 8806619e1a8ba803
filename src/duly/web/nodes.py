"""Nodes: which engines carry out what, and is one of them stuck?"""

from __future__ import annotations

from dataclasses import dataclass

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from duly.service.access.scopes import Caller
from duly.service.overview.views import NodeView
from duly.service.pruning import PruneView
from duly.web.site import Site, text_of

_ENGINE_KINDS = ("engine", "unserved", "quarantined")
AGES = (("30d", "30 days"), ("90d", "90 days"), ("180d", "half a year"), ("365d", "a year"))
_SIGN_INS = {"key": "signed in by key", "file": "signed in by a file of credentials", "none": "no sign-in found"}


def make_nodes(site: Site) -> APIRouter:
    """Make the routes of Nodes."""
    router = site.router()

    @router.get("/nodes")
    async def nodes(request: Request) -> Response:
        caller = site.caller(request)
        found = await site.services.overview.nodes(caller)
        health = await site.services.schedules.health(caller)
        needs = await site.services.needs.items(caller)
        return await site.render(
            request,
            "nodes.html",
            nodes=found,
            health=health,
            troubles=[item for item in needs.items if item.kind in _ENGINE_KINDS],
            sentence=_sentence(found),
            groups=[(node.id, _handlers(node)) for node in found],
            agents=_agents(found),
            up=_command(site, caller),
            ages=AGES,
            age=request.query_params.get("older_than", AGES[1][0]),
            old=await _counted(site, request),
        )

    @router.post("/nodes/prune")
    async def prune(request: Request) -> Response:
        older_than = text_of(await request.form(), "older_than") or ""
        done = await site.services.pruning.begin(site.caller(request), older_than)
        return site.after(request, _said(done), go="/nodes")

    return router


async def _counted(site: Site, request: Request) -> PruneView | None:
    """Count what is older than the age that the address names."""
    older_than = request.query_params.get("older_than", "")
    viewer = site.viewer(request)
    if not older_than or not viewer.is_admin or not viewer.may_write:
        return None
    return await site.services.pruning.begin(viewer.caller, older_than, dry_run=True)


def _said(done: PruneView) -> str:
    return f"Deleted {done.listed}{': the rest is being deleted' if done.goes_on else ''}"


def _sentence(nodes: list[NodeView]) -> str:
    under_way = sum(node.under_way for node in nodes)
    if not nodes:
        return "No engine runs: what is due is kept, and runs when one starts."
    who = "One engine runs" if len(nodes) == 1 else f"{len(nodes)} engines run"
    work = "nothing is under way" if not under_way else f"{under_way} under way"
    return f"{who}, {work}."


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentLine:
    """An agent that prompts may name, and where its program is."""

    name: str
    found: list[str]
    """The hosts on which it can be started."""
    missing: list[str]
    sign_ins: list[str]
    """What is known of its sign-in, in words; by host where they differ."""


def _agents(nodes: list[NodeView]) -> list[AgentLine]:
    """Say of each agent where its program was found: a node announces what it could start."""
    names = {handler.partition(":")[2] for node in nodes for handler in node.handlers if handler.startswith("prompt:")}
    hosts = {name: [node.host for node in nodes if f"spawner:{name}" in node.handlers] for name in names}
    every = list(dict.fromkeys(node.host for node in nodes))
    lines = [
        AgentLine(
            name=name,
            found=list(dict.fromkeys(hosts[name])),
            missing=[each for each in every if each not in hosts[name]],
            sign_ins=_sign_ins(name, nodes),
        )
        for name in sorted(names - {"default"})
    ]
    return sorted(lines, key=lambda line: not line.found)


def _sign_ins(name: str, nodes: list[NodeView]) -> list[str]:
    known = {node.host: _SIGN_INS.get(node.sign_ins[name], "") for node in nodes if name in node.sign_ins}
    alike = set(known.values())
    return sorted(alike) if len(alike) < 2 else [f"{words} on {host}" for host, words in known.items()]


def _handlers(node: NodeView) -> list[tuple[str, list[str]]]:
    """Group the handlers of a node: which agents it starts, which jobs it has, and whether it delivers messages."""
    groups: dict[str, list[str]] = {}
    for handler in sorted(node.handlers):
        kind, _, name = handler.partition(":")
        groups.setdefault(kind, []).append(name)
    words = {
        "prompt": "takes prompts for",
        "job": "has the jobs",
        "message": "delivers messages",
        "project": "has the projects",
        "gate": "asks the gates",
    }
    groups.pop("spawner", None)  # said by agent, below
    return [(words.get(kind, kind), [name for name in names if name]) for kind, names in groups.items()]


def _command(site: Site, caller: Caller) -> str | None:
    """Give the command that starts another node; a store in a file serves the machine it lies on."""
    url = site.services.store.url
    if not caller.scope.is_admin or "://" not in url:
        return None
    return f"duly up --store {url}"
