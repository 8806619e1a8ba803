"""People, tokens and quotas: who may do what, and how much of it; and who is asking."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from datetime import timedelta
from typing import TYPE_CHECKING, Annotated, Any

from duly.operations.ask import Ask, Group, Page, PagedAsk, delete, get, patch, post
from duly.operations.caller import CALLER
from duly.operations.parameters import Cursor, Limit, Object, Param
from duly.service.access.quotas import QuotaView
from duly.service.access.token_views import TokenView, token_view
from duly.service.limits import LONGEST_OTHER
from duly.service.people.use_cases import PairingView, PersonView
from duly.service.schedules.values import duration, storable

if TYPE_CHECKING:
    from duly.service.access.scopes import Caller
    from duly.service.services import Services

PersonPath = Annotated[str, Param(words="Id (user_…) or name", example="local")]
TokenPath = Annotated[str, Param(words="Id (tok_…)")]
ChannelName = Annotated[str, Param(shortest=1, longest=200, example="telegram")]
Scope = Annotated[
    str,
    Param(words="admin, admin:ro, project:ID, project:ID:ro, user:NAME or user:NAME:ro", longest=LONGEST_OTHER),
]
Grants = Annotated[
    Sequence[str] | None,
    Param(words="prompts:SPAWNER, gates:NAME, projects:ID, executors:NAME", longest=100),
]
Length = float | str | None
"""Seconds, or text such as "90d"."""
Lifetime = Annotated[Length, Param(words='How long it is valid: seconds or text such as "90d"')]
Grace = Annotated[Length, Param(words="How long the old secret stays valid (default: not at all)")]
FromNowOn = Annotated[Length, Param(words="How long the token is valid from now on")]
EndLinks = Annotated[bool, Param(words="Whether the calendar links end that the token has made")]
SomeGrants = Annotated[Sequence[str], Param(longest=100)]


@dataclass(frozen=True, slots=True)
class ListQuotas(PagedAsk[QuotaView]):
    """List the use and the limits of owners: of all for admins, of the caller alone for others."""

    _: KW_ONLY
    cursor: Cursor = None
    limit: Limit = 50

    async def carry_out(self, services: Services, caller: Caller) -> Page[QuotaView]:
        return await services.quotas.page(caller, self.cursor, self.limit)


@dataclass(frozen=True, slots=True)
class ListPeople(PagedAsk[PersonView]):
    """List people in order of name; others than admins see themselves."""

    _: KW_ONLY
    cursor: Cursor = None
    limit: Limit = 50

    async def carry_out(self, services: Services, caller: Caller) -> Page[PersonView]:
        return await services.people.page(caller, cursor=self.cursor, limit=self.limit)


@dataclass(frozen=True, slots=True)
class AddPerson(Ask[PersonView]):
    """Add a person. For admins."""

    fields: Annotated[Object, Param(model="NewPerson")]

    @classmethod
    def of(cls, name: str, **fields: Any) -> AddPerson:
        """Add a person, with a zone, a language, quiet hours and channels."""
        return cls({"name": name, **fields})

    async def carry_out(self, services: Services, caller: Caller) -> PersonView:
        return await services.people.add(caller, self.fields)


@dataclass(frozen=True, slots=True)
class GetPerson(Ask[PersonView]):
    """Show a person with the ways to reach them."""

    person: PersonPath

    async def carry_out(self, services: Services, caller: Caller) -> PersonView:
        return await services.people.get(caller, self.person)


@dataclass(frozen=True, slots=True)
class UpdatePerson(Ask[PersonView]):
    """Change a person. People change their own zone, language and quiet hours, admins everything.

    With another zone, reminders in the person's own zone move along: 8 in the morning is 8 in the morning there.
    """

    person: PersonPath
    fields: Annotated[Object, Param(model="PersonChanges")]

    @classmethod
    def of(cls, person: str, **fields: Any) -> UpdatePerson:
        """Change fields of a person; None empties one."""
        return cls(person, fields)

    async def carry_out(self, services: Services, caller: Caller) -> PersonView:
        return await services.people.update(caller, self.person, self.fields)


@dataclass(frozen=True, slots=True)
class RemovePerson(Ask[PersonView]):
    """Remove a person with their reminders; their tokens are revoked. For admins."""

    person: PersonPath

    async def carry_out(self, services: Services, caller: Caller) -> PersonView:
        return await services.people.remove(caller, self.person)


@dataclass(frozen=True, slots=True)
class PairPerson(Ask[PairingView]):
    """Make a code that binds a chat to a person: the person sends it to the bot there, within half an hour."""

    person: PersonPath
    channel: ChannelName

    async def carry_out(self, services: Services, caller: Caller) -> PairingView:
        return await services.people.pair(caller, self.person, self.channel, services.clock.now())


@dataclass(frozen=True, slots=True)
class ListTokens(PagedAsk[TokenView]):
    """List tokens with the revoked ones, oldest first. For admins."""

    _: KW_ONLY
    cursor: Cursor = None
    limit: Limit = 50

    async def carry_out(self, services: Services, caller: Caller) -> Page[TokenView]:
        found, following = await services.tokens.page(caller, self.cursor, self.limit)
        now = services.clock.now()
        return [token_view(each, now) for each in found], following


@dataclass(frozen=True, slots=True)
class CreateToken(Ask[TokenView]):
    """Make a token. For admins. The answer has its secret, which is shown this once."""

    name: Annotated[str, Param(shortest=1, longest=100)]
    scope: Scope
    _: KW_ONLY
    grants: Grants = None
    expires_in: Lifetime = None

    async def carry_out(self, services: Services, caller: Caller) -> TokenView:
        made = await services.tokens.create(
            caller,
            storable(self.name, "name"),
            storable(self.scope, "scope"),
            grants=self.grants or (),
            expires_in=_length(self.expires_in, "expires_in"),
        )
        return token_view(made.record, services.clock.now(), made)


@dataclass(frozen=True, slots=True)
class ChangeGrants(Ask[TokenView]):
    """Give grants to a token, or take some; it keeps its secret and what it scheduled. For admins."""

    token: TokenPath
    _: KW_ONLY
    give: SomeGrants = ()
    take: SomeGrants = ()

    async def carry_out(self, services: Services, caller: Caller) -> TokenView:
        changed = await services.tokens.grant(caller, self.token, self.give, self.take)
        return token_view(changed, services.clock.now())


@dataclass(frozen=True, slots=True)
class RotateToken(Ask[TokenView]):
    """Give a token a new secret, which is shown this once; what it scheduled goes on. For admins.

    The calendar links that it made have secrets of their own: the answer names them, and can end them.
    """

    token: TokenPath
    _: KW_ONLY
    grace: Grace = None
    expires_in: FromNowOn = None
    end_calendar_links: EndLinks = False

    async def carry_out(self, services: Services, caller: Caller) -> TokenView:
        made = await services.tokens.rotate(
            caller,
            self.token,
            grace=_length(self.grace, "grace") or timedelta(0),
            expires_in=_length(self.expires_in, "expires_in"),
            end_links=self.end_calendar_links,
        )
        return token_view(made.record, services.clock.now(), made)


@dataclass(frozen=True, slots=True)
class RevokeToken(Ask[TokenView]):
    """Revoke a token: it is not valid from now on, and what it scheduled does not run. For admins."""

    token: TokenPath

    async def carry_out(self, services: Services, caller: Caller) -> TokenView:
        return token_view(await services.tokens.revoke(caller, self.token), services.clock.now())


def _length(value: Length, name: str) -> timedelta | None:
    return None if value is None else duration(value, name)


_PERSON: Mapping[str, Any] = {"status": 201, "headers": ("Location",), "once": True}
PEOPLE = Group(
    "people",
    "The people who get messages, and the ways to reach them.",
    (
        get(ListPeople, "/people"),
        post(AddPerson, "/people", body="NewPerson", **_PERSON),
        get(GetPerson, "/people/{person}"),
        patch(UpdatePerson, "/people/{person}", body="PersonChanges"),
        delete(RemovePerson, "/people/{person}"),
        post(
            PairPerson,
            "/people/{person}/pairings",
            status=201,
            body="PairingBody",
            about_body="The chat to pair with a person.",
        ),
    ),
)
ACCESS = Group(
    "access",
    "Who is asking, and what is left of the quotas.",
    (CALLER, get(ListQuotas, "/quotas")),
)
TOKENS = Group(
    "tokens",
    "Secrets with which programs call; each has a scope, and grants.",
    (
        get(ListTokens, "/tokens"),
        post(
            CreateToken,
            "/tokens",
            status=201,
            body="NewTokenBody",
            about_body="A token to make.",
            examples=({"name": "laptop", "scope": "project:shop"},),
        ),
        patch(
            ChangeGrants,
            "/tokens/{token}",
            body="GrantBody",
            about_body="Grants to give to a token, and grants to take from it.",
        ),
        post(
            RotateToken,
            "/tokens/{token}/rotate",
            body="RotateBody",
            about_body="How a token gets a new secret.",
            may_lack_body=True,
        ),
        delete(RevokeToken, "/tokens/{token}"),
    ),
)
