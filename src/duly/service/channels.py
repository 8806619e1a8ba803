"""The channels for callers with a scope: how each does, and tests that ask the vendor or reach a person."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from duly.channels.kinds import INBOUND_KEYS
from duly.errors import AccessDeniedError, ChannelError, NotFoundError
from duly.model.events import CHANNEL_TESTED, Event
from duly.model.reminder import AttemptStatus
from duly.planning.reach import INBOX
from duly.ports.channels import Outgoing
from duly.ports.remembered import ChannelCount
from duly.service.access.audit import asked_by
from duly.service.access.scopes import Caller

if TYPE_CHECKING:
    from duly.service.services import Services

_DAY = timedelta(hours=24)
_LISTENS = {
    "telegram": "by polling",
    "discord": "over Discord's gateway",
    "slack": "over Slack's Socket Mode",
    "matrix": "by reading its rooms",
}
"""Channels that duly can ask for answers, and how."""
_MISSING = {
    "discord": "listen = true, or public_key",
    "slack": "app_token, or signing_secret",
    "whatsapp": "app_secret",
    "matrix": "listen = true",
}
"""What to set where answers do not come back."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChannelView:
    """A channel, and how it did lately."""

    name: str
    kind: str
    answers: str
    """How people answer there: buttons, replies, link or none."""
    how: str = ""
    """The way on which answers come to the daemon, or what to set so that they can."""
    last_send_at: datetime | None = None
    last_state: str | None = None
    failures_24h: int = 0
    waiting: int = 0
    """Sends that have not ended."""
    health_words: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ChannelTest:
    """The result of a test."""

    name: str
    works: bool
    said: str
    """The words of the vendor, or why it does not work."""


class ChannelUseCases:
    """Lists and tests channels; for admins."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self._process = services.process
        self._clock = services.clock

    async def list(self, caller: Caller) -> list[ChannelView]:
        """Give every channel, the inbox first."""
        _admins_only(caller, "list")
        counts = {
            each.channel: each for each in await self._process.store.remembered.channel_counts(self._clock.now() - _DAY)
        }
        return [self._view(name, counts.get(name)) for name in self._process.channel_names]

    async def test(self, caller: Caller, name: str) -> ChannelTest:
        """Ask the vendor who we are, without writing to any person.

        It calls the vendor with duly's own account, and may set that up there: callers who may only look do neither.
        """
        _admins_only(caller, "test", changes=True)
        channel = self._process.make_channel(name)
        try:
            return ChannelTest(name=name, works=True, said=await channel.check())
        except ChannelError as error:
            return ChannelTest(name=name, works=False, said=str(error))
        finally:
            await channel.close()

    async def send_test(self, caller: Caller, name: str, user: str) -> ChannelTest:
        """Send a test message to a person over a channel."""
        _admins_only(caller, "test", changes=True)
        person = await self._services.reminder_service.people.get(user)
        addresses = [each.address for each in person.channels if each.channel == name]
        if name == INBOX:
            addresses = [person.user.id]
        if not addresses:
            who = person.user.name
            raise NotFoundError(f"{who} has no address on {name}: duly user set {who} --channel {name}:ADDRESS")
        now = self._clock.now()
        outgoing = Outgoing(text="duly can reach you here.", key=f"test/{now.isoformat()}")
        channel = self._process.make_channel(name)
        try:
            receipt = await channel.send(addresses[0], outgoing)
            result = ChannelTest(name=name, works=True, said=str(receipt.status))
        except ChannelError as error:
            result = ChannelTest(name=name, works=False, said=str(error))
        finally:
            await channel.close()
        about = {**asked_by(caller), "channel": name, "user": person.user.id, "result": result.said}
        await self._process.store.record([Event(CHANNEL_TESTED, now, data=about)])
        return result

    def _view(self, name: str, count: ChannelCount | None) -> ChannelView:
        return ChannelView(
            name=name,
            kind=name,
            answers=self._answers(name),
            how=self._way(name),
            last_send_at=None if count is None else count.last_send_at,
            last_state=None if count is None else count.last_status,
            failures_24h=0 if count is None else count.failures,
            waiting=0 if count is None else count.waiting,
            health_words=_health(count),
        )

    def _answers(self, name: str) -> str:
        """Say how people answer on a channel."""
        if name == INBOX:
            return "buttons"
        if self._is_called(name) or (name in _LISTENS and self._listens(name)):
            return "replies" if name in ("whatsapp", "matrix") else "buttons"
        return "link" if self._process.settings.public_url else "none"

    def _way(self, name: str) -> str:
        """Say on which way answers come back from a channel."""
        if name == INBOX:
            return "by duly ack, snooze, dismiss"
        if self._is_called(name):
            return f"to /inbound/{name}"
        if name in _LISTENS and self._listens(name):
            return _LISTENS[name]
        if name in _MISSING:
            return f"not at all: set {_MISSING[name]}"
        return "by signed links" if self._process.settings.public_url else "not at all: links need public_url"

    def _is_called(self, name: str) -> bool:
        """Whether the vendor calls a URL of the daemon."""
        return name in INBOUND_KEYS and INBOUND_KEYS[name][0] in self._process.settings.channels.get(name, {})

    def _listens(self, name: str) -> bool:
        """Whether the daemon asks the vendor for what people write."""
        section = self._process.settings.channels.get(name, {})
        return "app_token" in section if name == "slack" else section.get("listen", True) is True


def _health(count: ChannelCount | None) -> str:
    if count is None:
        return "nothing was sent in 24 hours"
    if count.last_status == AttemptStatus.FAILED:
        return f"the last send failed: {count.last_error or 'no reason was given'}"
    if count.failures:
        return f"works; {count.failures} sends failed in 24 hours"
    return "works"


def _admins_only(caller: Caller, verb: str, *, changes: bool = False) -> None:
    if not caller.scope.is_admin:
        raise AccessDeniedError(f"cannot {verb} channels: access denied, channels are for admins")
    if changes and caller.scope.read_only:
        raise AccessDeniedError(f"cannot {verb} channels: scope {caller.scope} may only look")
