"""People, tokens, quotas and the audit at a daemon elsewhere, under the names that commands use."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

from duly.client import AsyncClient, people_calls
from duly.model.audit import AuditHead
from duly.operations.views import CallerView
from duly.ports.people import LOCAL_USER, User, UserChannel
from duly.ports.tokens import TokenRecord
from duly.service.access.audit_trail import AuditView, ChainView
from duly.service.access.quotas import QuotaView
from duly.service.access.scopes import Caller
from duly.service.access.token_views import NewToken, TokenView
from duly.service.people.people import Person
from duly.service.people.use_cases import PersonView


class RemotePeople:
    """People, at the daemon."""

    def __init__(self, ask: AsyncClient, me: CallerView) -> None:
        self._ask = ask
        self._me = me

    async def get(self, who: str) -> Person:
        """Find a person; the local user of a command is the owner of the token."""
        return _person(await self._ask.get_person(self._me.user_id or who if who == LOCAL_USER else who))

    async def page(self, cursor: str | None, limit: int) -> tuple[list[Person], str | None]:
        found, following = await self._ask.page(people_calls.list_people(cursor=cursor, limit=limit))
        return [_person(each) for each in found], following

    async def add(self, name: str, **fields: Any) -> Person:
        return _person(await self._ask.add_person(name, **fields))

    async def update(self, who: str, **fields: Any) -> Person:
        """Change a person; without a change, show the person."""
        return _person(await self._ask.update_person(who, **fields)) if fields else await self.get(who)

    async def set_channels(self, who: str, channels: Sequence[tuple[str, str]]) -> Person:
        ways = [{"channel": channel, "address": address} for channel, address in channels]
        return _person(await self._ask.update_person(who, channels=ways))

    async def check_addresses(self, _channels: Sequence[tuple[str, str]], _who: str | None = None) -> None:
        """Leave it to the daemon, which checks addresses before it stores any."""

    async def remove(self, who: str) -> None:
        await self._ask.remove_person(who)

    async def make_code(self, who: str, channel: str) -> str:
        return (await self._ask.pair_person(who, channel)).code


def _person(view: PersonView) -> Person:
    begin, _, end = (view.quiet or "").partition("-")
    user = User(
        id=view.id,
        name=view.name,
        timezone=view.timezone,
        language=view.language,
        is_admin=view.is_admin,
        quiet_from=begin or None,
        quiet_to=end or None,
        snoozes=view.snoozes,
        day_parts=view.day_parts,
        digest_at=view.digest_at,
        wants_answer=view.wants_answer,
        created_at=view.created_at,
    )
    ways = [UserChannel(user_id=view.id, channel=each.channel, address=each.address) for each in view.channels]
    return Person(user, tuple(ways))


class RemoteTokens:
    """Tokens, at the daemon."""

    def __init__(self, ask: AsyncClient) -> None:
        self._ask = ask

    async def create(
        self,
        _caller: Caller,
        name: str,
        scope: str,
        *,
        grants: Sequence[str] = (),
        expires_in: timedelta | None = None,
    ) -> NewToken:
        return _new(
            await self._ask.create_token(name, scope, grants=list(grants) or None, expires_in=_seconds(expires_in))
        )

    async def rotate(
        self,
        _caller: Caller,
        token_id: str,
        *,
        grace: timedelta,
        expires_in: timedelta | None = None,
        end_links: bool = False,
    ) -> NewToken:
        made = await self._ask.rotate_token(
            token_id,
            grace=_seconds(grace) or None,
            expires_in=_seconds(expires_in),
            end_calendar_links=end_links or None,
        )
        return _new(made)

    async def page(self, _caller: Caller, cursor: str | None, limit: int) -> tuple[list[TokenRecord], str | None]:
        found, following = await self._ask.page(people_calls.list_tokens(cursor=cursor, limit=limit))
        return [_record(each) for each in found], following

    async def revoke(self, _caller: Caller, token_id: str) -> TokenRecord:
        return _record(await self._ask.revoke_token(token_id))

    async def grant(
        self, _caller: Caller, token_id: str, given: Sequence[str] = (), taken: Sequence[str] = ()
    ) -> TokenRecord:
        return _record(await self._ask.change_grants(token_id, give=given, take=taken))


def _seconds(length: timedelta | None) -> float | None:
    return None if length is None else length.total_seconds()


def _new(view: TokenView) -> NewToken:
    links = tuple(view.calendar_links)
    return NewToken(record=_record(view), secret=view.secret or "", warning=view.warning, calendar_links=links)


def _record(view: TokenView) -> TokenRecord:
    return TokenRecord(
        id=view.id,
        name=view.name,
        hash="",  # it stays at the daemon
        scope=view.scope,
        grants=tuple(view.grants),
        created_at=view.created_at,
        last_used_at=view.last_used_at,
        revoked_at=view.revoked_at,
        expires_at=view.expires_at,
        old_until=view.old_secret_until,
    )


class RemoteQuotas:
    """Quotas, at the daemon."""

    def __init__(self, ask: AsyncClient) -> None:
        self._ask = ask

    async def page(self, _caller: Caller, cursor: str | None, limit: int) -> tuple[list[QuotaView], str | None]:
        return await self._ask.page(people_calls.list_quotas(cursor=cursor, limit=limit))


class RemoteAudit:
    """The audit, at the daemon."""

    def __init__(self, ask: AsyncClient) -> None:
        self._ask = ask

    async def entries(
        self,
        _caller: Caller,
        *,
        kinds: Sequence[str] = (),
        cursor: int | None = None,
        after: int | None = None,
        **filters: Any,
    ) -> tuple[list[AuditView], int | None]:
        """Give the newest entries; with `after` those that came since."""
        place = None if cursor is None else str(cursor)
        found, older = await self._ask.page(people_calls.list_audit(kind=list(kinds) or None, cursor=place, **filters))
        news = [each for each in found if after is None or each.seq > after]
        return news, None if older is None else int(older)

    async def last(self) -> int:
        """Give the number of the newest entry."""
        found, _ = await self._ask.page(people_calls.list_audit(limit=1))
        return found[-1].seq if found else 0

    async def head(self, _caller: Caller) -> AuditHead:
        """Give number and hash of the last link, which the daemon tells with the check of the chain."""
        chain = await self._ask.verify_audit()
        return _head(chain)

    async def verify(self, _caller: Caller, expected: str | None = None) -> ChainView:
        return await self._ask.verify_audit(expected)


def _head(chain: ChainView) -> AuditHead:
    number, _, digest = chain.head.partition(":")
    return AuditHead(number=int(number), hash=digest, seq=chain.entries)
