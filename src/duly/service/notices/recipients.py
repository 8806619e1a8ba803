"""Who gets notices of the runs of a schedule, and who may decide it."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import NamedTuple

from duly.config.notify import NotifySettings
from duly.errors import AccessDeniedError, InvalidInputError, NotFoundError
from duly.model.action import Priority
from duly.model.codec import Json
from duly.model.notice import NotifyOn, NotifyRule
from duly.model.policy import Policy
from duly.ports.people import LOCAL_USER, People, owner_of
from duly.service.access.scopes import Scope
from duly.service.schedules import values

WEBHOOK = "webhook"
"""The channel that tells programs."""


class Recipient(NamedTuple):
    """One person or webhook, and how to reach it."""

    name: str
    """The same for all that may share a message."""
    user_id: str | None = None
    channel: str | None = None
    address: str | None = None
    priority: Priority = Priority.NORMAL
    only_changes: bool = False


class Recipients:
    """Finds recipients by the rules of schedules."""

    def __init__(self, people: People, channels: Collection[str]) -> None:
        """`channels` are the names of the configured ones; they may change."""
        self._people = people
        self._channels = channels

    async def of_failures(self, namespace: str, policy: Policy, defaults: NotifySettings) -> list[Recipient]:
        """List the recipients of failures and recoveries; without rules about them, the owner."""
        rules = policy.notify
        if any(each.on is NotifyOn.NEVER for each in rules):
            return []
        asked = [each for each in rules if each.on.tells_failures]
        if not asked and not defaults.failures:
            return []
        return await self._resolve(namespace, asked or [NotifyRule(on=NotifyOn.FAILURE)])

    async def of_answers(self, namespace: str, policy: Policy) -> list[Recipient]:
        """List the recipients of answers."""
        return await self._resolve(namespace, [each for each in policy.notify if each.on.tells_answers])

    async def _resolve(self, namespace: str, rules: Iterable[NotifyRule]) -> list[Recipient]:
        """Find the recipients of rules, each once. A person who is gone stays in the list: sending says so."""
        found: dict[str, Recipient] = {}
        for rule in rules:
            recipient = await self._one(namespace, rule)
            before = found.get(recipient.name)
            if before is None or (before.only_changes and not recipient.only_changes):
                found[recipient.name] = recipient
        return list(found.values())

    async def _one(self, namespace: str, rule: NotifyRule) -> Recipient:
        only_changes = rule.on is NotifyOn.CHANGE
        if rule.address is not None:
            return Recipient(name=rule.address, address=rule.address, priority=rule.priority, only_changes=only_changes)
        user_id, channel = await self._person(namespace, rule)
        name = user_id if channel is None else f"{user_id} via {channel}"
        return Recipient(
            name=name if rule.priority is not Priority.CRITICAL else f"{name}, critical",
            user_id=user_id,
            channel=channel,
            priority=rule.priority,
            only_changes=only_changes,
        )

    async def _person(self, namespace: str, rule: NotifyRule) -> tuple[str, str | None]:
        """Find the person of a rule; a word that names no person but a channel is the owner's channel."""
        if rule.to is None:
            return owner_of(namespace), rule.channel
        user = await self._people.get(rule.to) or await self._people.find(rule.to)
        if user is not None:
            return user.id, rule.channel
        if rule.channel is None and rule.to in {*self._channels}:
            return owner_of(namespace), rule.to
        return rule.to, rule.channel

    async def check(self, scope: Scope, namespace: str, rules: Iterable[NotifyRule]) -> None:
        """Refuse rules that name unknown people or channels, or people that the caller may not notify."""
        for rule in rules:
            if rule.address is not None:
                self._check_webhook(scope, rule)
                continue
            user_id, channel = await self._person(namespace, rule)
            if not scope.is_admin and user_id != owner_of(namespace):
                whose = "the owner of the schedule" if scope.kind == "user" else "the owner"
                raise AccessDeniedError(
                    f"cannot notify {rule.to}: access denied, scope {scope} may notify {whose} only: leave out to"
                )
            if user_id != LOCAL_USER and await self._people.get(user_id) is None:
                raise NotFoundError(
                    f"there is no person {rule.to or user_id!r} to notify: duly user list has the names, "
                    "a webhook is an https:// URL"
                )
            if channel is not None and channel not in self._channels:
                raise InvalidInputError(
                    f"notify via {channel!r}: that channel is not configured, there is {', '.join(self._channels)}"
                )

    def _check_webhook(self, scope: Scope, rule: NotifyRule) -> None:
        if not scope.is_admin:
            raise AccessDeniedError(
                f"cannot notify {rule.to}: access denied, webhooks are for admins; leave out to, and the owner gets it"
            )
        if WEBHOOK not in self._channels:
            raise InvalidInputError(
                f"notify {rule.to}: add [channels.webhook] with a secret to duly.toml, which signs what is sent"
            )


class NotifyCheck:
    """Checks the rules that a caller gives for a schedule."""

    def __init__(self, people: People, channels: Collection[str]) -> None:
        self._recipients = Recipients(people, channels)

    async def __call__(self, scope: Scope, namespace: str, given: Json) -> None:
        """Refuse `notify` of a form if a rule names an unknown recipient, or one that the caller may not notify."""
        if given.get("notify") is not None:
            await self._recipients.check(scope, namespace, values.notify(given["notify"], "notify"))
