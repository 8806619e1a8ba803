"""Whom a command asks: duly on this machine, or the daemon that `--server` names. Both are asked the same."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Protocol, TypeVar

from duly.cli.settings import REMOTE, refuse_unstorable, with_runtime
from duly.errors import ConfigError

if TYPE_CHECKING:
    from duly.client import AsyncClient
    from duly.clock import Clock
    from duly.operations.ask import Ask
    from duly.operations.caller import CallerView
    from duly.runtime.runtime import Runtime
    from duly.service.access.scopes import Caller
    from duly.service.people.use_cases import PersonView
    from duly.service.services import Services

R = TypeVar("R")
Result = TypeVar("Result")


class AnyDuly(Protocol):
    """Duly, as commands ask it."""

    @property
    def clock(self) -> Clock: ...

    async def ask(self, ask: Ask[R]) -> R:
        """Give the answer to what is asked."""
        ...

    async def me(self) -> CallerView:
        """Give who asks, with their zone."""
        ...

    async def zone(self) -> str:
        """Give the zone of who asks, without loading what tells the rest about them."""
        ...

    @property
    def default_zone(self) -> str:
        """The zone of people who have chosen none."""
        ...

    @property
    def address(self) -> str:
        """Where its pages and links are, without a slash at the end."""
        ...

    async def nothing_runs(self) -> str | None:
        """Give the warning that no engine runs; None where one does."""
        ...

    def on_change(self, callback: Callable[[], None]) -> None:
        """Call back when something may have changed, where that is known before it is looked for."""
        ...


def with_duly(arguments: Namespace, clock: Clock, action: Callable[[AnyDuly], Awaitable[Result]]) -> Result:
    """Carry out an action that asks duly here, as the local user, or the daemon that `--server` names."""
    if REMOTE.get() is not None:
        return _elsewhere(arguments, clock, action)
    return with_runtime(arguments, clock, lambda runtime, caller: action(Here(runtime, caller)))


class Here:
    """Duly on this machine, asked by the local user."""

    def __init__(self, runtime: Runtime, caller: Caller) -> None:
        self.clock = runtime.clock
        self.runtime = runtime
        self.caller = caller
        self._me: CallerView | None = None

    @property
    def services(self) -> Services:
        return self.runtime.services

    async def ask(self, ask: Ask[R]) -> R:
        """Give the answer to what is asked."""
        return await self.services.ask(self.caller, ask)

    async def me(self) -> CallerView:
        """Give who asks, with their zone."""
        from duly.operations.caller import GetCaller

        if self._me is None:
            self._me = await self.ask(GetCaller())
        return self._me

    async def zone(self) -> str:
        """Give the zone of the local user."""
        return await self.runtime.services.schedules.zones.person(self.caller)

    @property
    def default_zone(self) -> str:
        """The zone of people who have chosen none."""
        return self.runtime.zone

    @property
    def address(self) -> str:
        """Where the daemon of this machine is reached, or would be."""
        settings = self.runtime.settings
        daemon = self.runtime.daemon() or {}
        base = settings.public_url or daemon.get("url") or f"http://{settings.host}:{settings.port}"
        return str(base).rstrip("/")

    async def nothing_runs(self) -> str | None:
        """Give the warning that no engine runs on this store; None where one does."""
        return await self.runtime.services.attention.nothing_runs()

    def on_change(self, callback: Callable[[], None]) -> None:
        """Call back when the store has something new."""
        self.runtime.services.journal.on_change(callback)


class AtServer:
    """A daemon elsewhere, asked with a token."""

    def __init__(self, client: AsyncClient, url: str, me: CallerView, clock: Clock) -> None:
        self.clock = clock
        self.address = url.rstrip("/").removesuffix("/api/v1")
        self.ask = client.ask
        self.default_zone = me.default_timezone
        self._me = me

    async def me(self) -> CallerView:
        """Give who asks, with their zone."""
        return self._me

    async def zone(self) -> str:
        """Give the zone of who asks."""
        return self._me.timezone

    async def nothing_runs(self) -> str | None:
        """Give no warning: the daemon that answers runs."""
        return None

    def on_change(self, callback: Callable[[], None]) -> None:
        """Give no hints: who follows looks every second anyway."""


def whose(arguments: Namespace) -> str | None:
    """Give the person to name in an ask; None for the caller's own, where `--user` names no one else."""
    from duly.ports.people import LOCAL_USER

    return None if arguments.user == LOCAL_USER else arguments.user


async def person_of(duly: AnyDuly, user: str | None) -> PersonView:
    """Show a person; without a name the one who asks, which is the local user where the token is for no person."""
    from duly.operations.access import GetPerson
    from duly.ports.people import LOCAL_USER

    return await duly.ask(GetPerson(user or (await duly.me()).user_id or LOCAL_USER))


def _elsewhere(arguments: Namespace, clock: Clock, action: Callable[[AnyDuly], Awaitable[Result]]) -> Result:
    import asyncio

    from duly.client import AsyncClient

    url, token = REMOTE.get() or ("", None)
    if arguments.config or arguments.data_dir:
        raise ConfigError("--config" if arguments.config else "--data-dir", "is for this machine: leave out --server")
    refuse_unstorable(arguments)

    async def act() -> Result:
        async with AsyncClient(url, token) as client:
            return await action(AtServer(client, url, await client.get_caller(), clock))

    return asyncio.run(act())
