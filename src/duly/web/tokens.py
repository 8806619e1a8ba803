"""Tokens: who may do what?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from fastapi import APIRouter
from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import Response

from duly.errors import DulyError, InvalidInputError, NotFoundError
from duly.ports.tokens import TokenRecord
from duly.service.access.scopes import Scope
from duly.service.access.token_views import NewToken
from duly.web.people import RefusedForm, names_of
from duly.web.site import Site, text_of

SCOPES = (
    ("project", "one project: sees and changes what runs there"),
    ("user", "one person: their reminders and schedules"),
    ("admin:ro", "everything, looking only"),
    ("admin", "everything"),
)
ENDS = (("", "never"), ("1", "after a day"), ("30", "after 30 days"), ("90", "after 90 days"), ("365", "after a year"))


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenLine:
    """A token in the list."""

    token: TokenRecord
    may: str
    schedules: int
    """How many schedules it made or last changed; they stop when it is revoked."""
    ended_at: datetime | None


def make_tokens(site: Site) -> APIRouter:
    """Make the routes of Tokens."""
    router = site.router()

    @router.get("/tokens")
    async def tokens(request: Request, cursor: str | None = None) -> Response:
        return await _show(site, request, cursor=cursor)

    @router.post("/tokens")
    async def create(request: Request) -> Response:
        form = await request.form()
        try:
            made = await site.services.tokens.create(
                site.caller(request),
                text_of(form, "name"),
                _scope(form),
                grants=text_of(form, "grants").split(),
                expires_in=_ends_in(form),
            )
        except (InvalidInputError, NotFoundError) as error:  # not found: the person whose token it would be
            return await _show(site, request, refused=_refused(form, error))
        return await _show(site, request, made=made)  # not a redirect: the secret stands on this page only

    @router.post("/tokens/{token}/rotate")
    async def rotate(request: Request, token: str) -> Response:
        ends = text_of(await request.form(), "links") == "end"
        made = await site.services.tokens.rotate(site.caller(request), token, end_links=ends)
        return await _show(site, request, made=made)

    @router.post("/tokens/{token}/revoke")
    async def revoke(request: Request, token: str) -> Response:
        gone = await site.services.tokens.revoke(site.caller(request), token)
        return site.after(
            request, f"{gone.name} was revoked: it lets no one in, and what it scheduled stops", go="/tokens"
        )

    return router


async def _show(
    site: Site,
    request: Request,
    *,
    made: NewToken | None = None,
    cursor: str | None = None,
    refused: RefusedForm | None = None,
) -> Response:
    caller = site.caller(request)
    found, following = await site.services.tokens.page(caller, cursor, 50)
    counts = await site.services.tokens.scheduled(caller, [each.id for each in found])
    now = site.services.clock.now()
    scopes = [Scope.parse(each.scope) for each in found]
    names = await names_of(site, caller, [each.subject for each in scopes if each.kind == "user"])
    lines = [
        TokenLine(
            token=each,
            may=scope_in_words(each.scope, names),
            schedules=counts.get(each.id, 0),
            ended_at=each.ended_at(now),
        )
        for each in found
    ]
    return await site.render(
        request,
        "tokens.html",
        status=422 if refused else 200,
        refused=refused or RefusedForm(),
        lines=sorted(lines, key=lambda line: line.ended_at is not None),
        living=sum(line.ended_at is None for line in lines),
        following=following,
        made=made,
        scopes=SCOPES,
        ends=ENDS,
    )


def scope_in_words(text: str, names: Mapping[str, str]) -> str:
    """Say what a token of a scope may do; people are called by their names."""
    scope = Scope.parse(text)
    who = names.get(scope.subject, scope.subject)
    what = {"admin": "everything", "project": f"project {scope.subject}", "user": f"reminders of {who}"}
    verb = "looks at" if scope.read_only else "sees and changes"
    return f"{verb} {what[scope.kind]}"


def _refused(form: FormData, error: DulyError) -> RefusedForm:
    """Keep what was typed, with the fault at the field whose value it is about."""
    said = str(error)
    granted = [each.partition(":")[2] or each for each in text_of(form, "grants").split()]
    at = "subject"
    if said.startswith("name"):
        at = "name"
    elif "grant" in said or any(repr(each) in said for each in granted if each != text_of(form, "subject")):
        at = "grants"
    typed = {name: text_of(form, name) for name in ("name", "scope", "subject", "grants", "ends")}
    return RefusedForm(typed | {"read_only": "yes" if "read_only" in form else ""}, {at: said})


def _scope(form: FormData) -> str:
    kind = text_of(form, "scope")
    if kind not in dict(SCOPES):
        raise InvalidInputError(f"scope {kind!r} is unknown: choose one of {', '.join(dict(SCOPES))}")
    if kind.startswith("admin"):
        return kind
    subject = text_of(form, "subject")
    if not subject:
        raise InvalidInputError(f"a token for one {kind} needs its name: write it under Of which")
    return f"{kind}:{subject}" + (":ro" if "read_only" in form else "")


def _ends_in(form: FormData) -> timedelta | None:
    days = text_of(form, "ends")
    if days not in dict(ENDS):
        raise InvalidInputError(f"{days!r} is not one of the offered times")
    return timedelta(days=int(days)) if days else None
