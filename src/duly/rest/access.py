"""People, tokens and quotas: who may do what, and how much of it; and who is asking."""

from __future__ import annotations

from datetime import timedelta
from typing import Any
from urllib.parse import quote

from duly.rest.inputs import (
    Cursor,
    GrantBody,
    Limit,
    NewPerson,
    NewTokenBody,
    PairingBody,
    PersonChanges,
    PersonPath,
    RotateBody,
    TokenPath,
    given,
)
from duly.rest.operations import AnswerWith, By, Operations, PageOf
from duly.rest.views import CallerView
from duly.service.access.quotas import QuotaView
from duly.service.access.token_views import TokenView, token_view
from duly.service.people.use_cases import PairingView, PersonView
from duly.service.schedules.values import duration, storable

people = Operations("people", "The people who get messages, and the ways to reach them.")
tokens = Operations("tokens", "Secrets with which programs call; each has a scope, and grants.")
access = Operations("access", "Who is asking, and what is left of the quotas.")


@access.get("/me", CallerView)
async def get_caller(by: By) -> object:
    """Show who the token is for, and what it may do."""
    caller = by.caller
    return CallerView(
        scope=str(caller.scope),
        token_id=caller.token_id,
        grants=sorted(caller.scope.grants),
        namespace=caller.namespace,
        timezone=await by.services.schedules.zones.person(caller),
        default_timezone=by.services.schedules.zones.default,
        user_id=caller.user_id,
        user=caller.called,
    )


@access.get("/quotas", PageOf(QuotaView))
async def list_quotas(by: By, cursor: Cursor = None, limit: Limit = 50) -> object:
    """List the use and the limits of owners: of all for admins, of the caller alone for others."""
    return await by.services.quotas.page(by.caller, cursor, limit)


@people.get("/people", PageOf(PersonView))
async def list_people(by: By, cursor: Cursor = None, limit: Limit = 50) -> object:
    """List people in order of name; others than admins see themselves."""
    return await by.services.people.page(by.caller, cursor=cursor, limit=limit)


@people.post("/people", PersonView, status=201, headers=("Location",), once=True)
async def add_person(by: By, body: NewPerson) -> object:
    """Add a person. For admins."""
    made = await by.services.people.add(by.caller, given(body))
    return AnswerWith(view=made, headers={"Location": f"{by.request.url.path}/{quote(made.id)}"})


@people.get("/people/{person}", PersonView)
async def get_person(by: By, person: PersonPath) -> object:
    """Show a person with the ways to reach them."""
    return await by.services.people.get(by.caller, person)


@people.patch("/people/{person}", PersonView)
async def update_person(by: By, person: PersonPath, body: PersonChanges) -> object:
    """Change a person. People change their own zone, language and quiet hours, admins everything.

    With another zone, reminders in the person's own zone move along: 8 in the morning is 8 in the morning there.
    """
    return await by.services.people.update(by.caller, person, given(body))


@people.delete("/people/{person}", PersonView)
async def remove_person(by: By, person: PersonPath) -> object:
    """Remove a person with their reminders; their tokens are revoked. For admins."""
    return await by.services.people.remove(by.caller, person)


@people.post("/people/{person}/pairings", PairingView, status=201)
async def pair_person(by: By, person: PersonPath, body: PairingBody) -> object:
    """Make a code that binds a chat to a person: the person sends it to the bot there, within half an hour."""
    return await by.services.people.pair(by.caller, person, body.channel, by.services.clock.now())


@tokens.get("/tokens", PageOf(TokenView))
async def list_tokens(by: By, cursor: Cursor = None, limit: Limit = 50) -> object:
    """List tokens with the revoked ones, oldest first. For admins."""
    found, following = await by.services.tokens.page(by.caller, cursor, limit)
    now = by.services.clock.now()
    return [token_view(each, now) for each in found], following


@tokens.post("/tokens", TokenView, status=201)
async def create_token(by: By, body: NewTokenBody) -> object:
    """Make a token. For admins. The answer has its secret, which is shown this once."""
    rights = given(body)
    made = await by.services.tokens.create(
        by.caller,
        storable(body.name, "name"),
        storable(body.scope, "scope"),
        grants=rights.get("grants") or (),
        expires_in=_length(rights, "expires_in"),
    )
    return token_view(made.record, by.services.clock.now(), made)


@tokens.patch("/tokens/{token}", TokenView)
async def change_grants(by: By, token: TokenPath, body: GrantBody) -> object:
    """Give grants to a token, or take some; it keeps its secret and what it scheduled. For admins."""
    changed = await by.services.tokens.grant(by.caller, token, body.give, body.take)
    return token_view(changed, by.services.clock.now())


@tokens.post("/tokens/{token}/rotate", TokenView)
async def rotate_token(by: By, token: TokenPath, body: RotateBody | None = None) -> object:
    """Give a token a new secret, which is shown this once; what it scheduled goes on. For admins.

    The calendar links that it made have secrets of their own: the answer names them, and can end them.
    """
    wanted = given(body)
    made = await by.services.tokens.rotate(
        by.caller,
        token,
        grace=_length(wanted, "grace") or timedelta(0),
        expires_in=_length(wanted, "expires_in"),
        end_links=wanted.get("end_calendar_links") is True,
    )
    return token_view(made.record, by.services.clock.now(), made)


@tokens.delete("/tokens/{token}", TokenView)
async def revoke_token(by: By, token: TokenPath) -> object:
    """Revoke a token: it is not valid from now on, and what it scheduled does not run. For admins."""
    return token_view(await by.services.tokens.revoke(by.caller, token), by.services.clock.now())


def _length(fields: dict[str, Any], name: str) -> timedelta | None:
    return None if fields.get(name) is None else duration(fields[name], name)
