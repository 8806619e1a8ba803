"""The requests of the client about people, their reminders, tokens, and the records."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from duly.client.calls import Call, PagedCall, get, list_of, patch, place, post
from duly.operations.views import AnsweredView, CallerView, ChatReplyView, UndoneView
from duly.service.access.audit_trail import AuditView, ChainView
from duly.service.access.quotas import QuotaView
from duly.service.access.token_views import TokenView
from duly.service.attention.items import NeedItem, NeedsView
from duly.service.calendar.calendar import CalendarLinkView, ImportReport, NewCalendarLink
from duly.service.channels import ChannelTest, ChannelView
from duly.service.configuration import ConfigDiff
from duly.service.executors.views import ExecutorView
from duly.service.journal import EventView
from duly.service.overview.views import NodeView
from duly.service.people.use_cases import PairingView, PersonView
from duly.service.pruning import PruneView
from duly.service.reminders.history import ReminderHistory
from duly.service.reminders.inbox import InboxPage
from duly.service.reminders.views import InboxView
from duly.service.schedules.fields import ReminderView
from duly.service.schedules.views import HealthView
from duly.service.undo import UndoView

# reminders and the inbox


def list_reminders(
    *,
    user: str | None = None,
    enabled: bool | None = None,
    status: str | None = None,
    priority: str | None = None,
    text: str | None = None,
    due_before: datetime | None = None,
    limit: int | None = None,
    cursor: str | None = None,
) -> PagedCall[ReminderView]:
    """List the reminders of a person: all, or those with a status, a priority, a text, or due before a moment."""
    return list_of(ReminderView, "/reminders", **locals())


def create_reminder(
    schedule: Mapping[str, Any], message: str, *, user: str | None = None, **options: Any
) -> Call[ReminderView]:
    """Make a reminder: `{"type": "daily", "time": "08:00"}` and a message."""
    body = {"schedule": schedule, "message": message, **options}
    return post(ReminderView, "/reminders", body, user=user, once=True)


def get_reminder(reminder: str, *, user: str | None = None) -> Call[ReminderView]:
    """Show a reminder."""
    return get(ReminderView, place("reminders", reminder), user=user)


def show_reminder_history(reminder: str, *, user: str | None = None, limit: int | None = None) -> Call[ReminderHistory]:
    """Show a reminder with its latest runs: every send, answer and escalation."""
    return get(ReminderHistory, place("reminders", reminder, "history"), user=user, limit=limit)


def update_reminder(
    reminder: str, *, user: str | None = None, version: int | None = None, **fields: Any
) -> Call[ReminderView]:
    """Change fields of a reminder. With `version`, only if it was not changed since."""
    headers = {} if version is None else {"If-Match": f'"{version}"'}
    return replace(patch(ReminderView, place("reminders", reminder), fields, user=user), headers=headers)


def remove_reminder(reminder: str, *, user: str | None = None) -> Call[ReminderView]:
    """Remove a reminder."""
    return get(ReminderView, place("reminders", reminder), user=user).by("DELETE")


def skip_next_reminder(reminder: str, *, user: str | None = None) -> Call[ReminderView]:
    """Leave out the next message."""
    return post(ReminderView, place("reminders", reminder, "skip"), user=user)


def answer_reminder(
    response: str,
    reminder: str | None = None,
    *,
    minutes: int | None = None,
    until: datetime | None = None,
    length: str | None = None,
    user: str | None = None,
) -> Call[AnsweredView]:
    """Answer a reminder (ack, snooze, dismiss), by id, name or run; by default the only one that waits."""
    body = {"response": response, "minutes": minutes, "until": until, "length": length}
    path = "/answers" if reminder is None else place("reminders", reminder, "answer")
    return post(AnsweredView, path, body, user=user)


def send_message(text: str, *, channel: str | None = None, user: str | None = None) -> Call[ChatReplyView]:
    """Say something to duly in plain words, as in a chat."""
    return post(ChatReplyView, "/messages", {"text": text, "channel": channel}, user=user)


def get_inbox(*, user: str | None = None) -> Call[InboxPage]:
    """Show the inbox of a person."""
    return get(InboxPage, "/inbox", user=user)


def list_messages(
    *, user: str | None = None, unread: bool = True, limit: int | None = None, cursor: str | None = None
) -> PagedCall[InboxView]:
    """List the messages in the inbox, newest first."""
    return list_of(InboxView, "/inbox/messages", **locals())


def read_messages(*, user: str | None = None, limit: int | None = None) -> PagedCall[InboxView]:
    """Mark the newest unread messages as read, and show them."""
    return list_of(InboxView, "/inbox/read", user=user, limit=limit).by("POST")


def get_message(item: int, *, user: str | None = None) -> Call[InboxView]:
    """Show one message in full."""
    return get(InboxView, place("inbox/messages", str(item)), user=user)


# calendars


def list_calendar_links() -> PagedCall[CalendarLinkView]:
    """List calendar links."""
    return list_of(CalendarLinkView, "/calendar/links")


def create_calendar_link(name: str = "calendar") -> Call[NewCalendarLink]:
    """Make a calendar link; `secret` and `path` of the answer are shown this once."""
    return post(NewCalendarLink, "/calendar/links", {"name": name})


def rotate_calendar_link(link: str) -> Call[NewCalendarLink]:
    """Give a calendar link a new secret."""
    return post(NewCalendarLink, place("calendar/links", link, "rotate"))


def revoke_calendar_link(link: str) -> Call[CalendarLinkView]:
    """Remove a calendar link."""
    return get(CalendarLinkView, place("calendar/links", link)).by("DELETE")


def export_calendar(*, rhythms: bool = False) -> Call[bytes]:
    """Give the calendar of what you may see, as a file."""
    return replace(get(bytes, "/calendar.ics", rhythms=rhythms), headers={"Accept": "text/calendar"})


def import_calendar(data: bytes, *, user: str | None = None, dry_run: bool = False) -> Call[ImportReport]:
    """Make reminders of the events and tasks of a calendar file."""
    call = post(ImportReport, "/calendar/import", user=user, dry_run=dry_run)
    return replace(call, content=data, headers={"Content-Type": "text/calendar"})


# what needs a person


def list_attention() -> Call[NeedsView]:
    """List what needs a person."""
    return get(NeedsView, "/attention")


def mark_seen(item: str) -> Call[NeedItem]:
    """Mark an item as seen, for everyone."""
    return post(NeedItem, place("attention", item, "seen"))


def get_last_step() -> Call[UndoView]:
    """Show your latest step that can still be taken back."""
    return get(UndoView, "/undo")


def undo_step(token: str | None = None) -> Call[UndoneView]:
    """Take back a step, by default the latest."""
    return post(UndoneView, "/undo", {"token": token})


# people, tokens, channels, nodes, executors


def get_caller() -> Call[CallerView]:
    """Show who the token is for."""
    return get(CallerView, "/me")


def list_people(*, limit: int | None = None, cursor: str | None = None) -> PagedCall[PersonView]:
    """List people."""
    return list_of(PersonView, "/people", **locals())


def get_person(person: str) -> Call[PersonView]:
    """Show a person."""
    return get(PersonView, place("people", person))


def add_person(name: str, **fields: Any) -> Call[PersonView]:
    """Add a person."""
    return post(PersonView, "/people", {"name": name, **fields}, once=True)


def update_person(person: str, **fields: Any) -> Call[PersonView]:
    """Change fields of a person; None empties one."""
    return patch(PersonView, place("people", person), fields)


def remove_person(person: str) -> Call[PersonView]:
    """Remove a person with their reminders."""
    return get(PersonView, place("people", person)).by("DELETE")


def pair_person(person: str, channel: str) -> Call[PairingView]:
    """Make a code that binds a chat to a person."""
    return post(PairingView, place("people", person, "pairings"), {"channel": channel})


def list_tokens(*, limit: int | None = None, cursor: str | None = None) -> PagedCall[TokenView]:
    """List tokens, with the revoked ones."""
    return list_of(TokenView, "/tokens", **locals())


def create_token(
    name: str, scope: str, *, grants: Sequence[str] | None = None, expires_in: float | str | None = None
) -> Call[TokenView]:
    """Make a token; `secret` of the answer is shown this once."""
    return post(TokenView, "/tokens", {"name": name, "scope": scope, "grants": grants, "expires_in": expires_in})


def change_grants(token: str, *, give: Sequence[str] = (), take: Sequence[str] = ()) -> Call[TokenView]:
    """Give grants to a token, or take some."""
    return patch(TokenView, place("tokens", token), {"give": list(give), "take": list(take)})


def rotate_token(
    token: str,
    *,
    grace: float | str | None = None,
    expires_in: float | str | None = None,
    end_calendar_links: bool | None = None,
) -> Call[TokenView]:
    """Give a token a new secret; the answer names its calendar links, which end if that is wanted."""
    wanted = {"grace": grace, "expires_in": expires_in, "end_calendar_links": end_calendar_links}
    return post(TokenView, place("tokens", token, "rotate"), wanted)


def revoke_token(token: str) -> Call[TokenView]:
    """Revoke a token."""
    return get(TokenView, place("tokens", token)).by("DELETE")


def list_quotas(*, limit: int | None = None, cursor: str | None = None) -> PagedCall[QuotaView]:
    """List the use and the limits of owners."""
    return list_of(QuotaView, "/quotas", **locals())


def list_channels() -> PagedCall[ChannelView]:
    """List the channels."""
    return list_of(ChannelView, "/channels")


def check_channel(channel: str) -> Call[ChannelTest]:
    """Ask the vendor of a channel who we are."""
    return post(ChannelTest, place("channels", channel, "test"))


def send_test_message(channel: str, user: str) -> Call[ChannelTest]:
    """Send a test message to a person."""
    return post(ChannelTest, place("channels", channel, "messages"), {"user": user})


def list_nodes() -> PagedCall[NodeView]:
    """List the engines that carry out runs."""
    return list_of(NodeView, "/nodes")


def list_executors() -> PagedCall[ExecutorView]:
    """Look at every executor, and list how it is."""
    return list_of(ExecutorView, "/executors")


def check_executor(executor: str) -> Call[ExecutorView]:
    """Check one executor."""
    return get(ExecutorView, place("executors", executor))


# records


def list_journal(
    *,
    schedule: str | None = None,
    run: str | None = None,
    kind: Sequence[str] | None = None,
    level: str | None = None,
    since: datetime | None = None,
    until: datetime | None = None,
    limit: int | None = None,
    cursor: str | None = None,
) -> PagedCall[EventView]:
    """List entries of the journal: each page in the order they were written, the newest page first."""
    return list_of(EventView, "/journal", **locals())


def list_audit(
    *,
    schedule: str | None = None,
    actor: str | None = None,
    kind: Sequence[str] | None = None,
    since: datetime | None = None,
    until: datetime | None = None,
    limit: int | None = None,
    cursor: str | None = None,
) -> PagedCall[AuditView]:
    """List changes: each page in the order they were made, the newest page first."""
    return list_of(AuditView, "/audit", **locals())


def verify_audit(head: str | None = None) -> Call[ChainView]:
    """Check that the audit is whole."""
    return get(ChainView, "/audit/chain", head=head)


def prune(older_than: str, *, dry_run: bool = False) -> Call[PruneView]:
    """Delete what is older than an age, such as 30d; a dry run only counts it."""
    return post(PruneView, "/prune", {"older_than": older_than, "dry_run": dry_run})


def get_health(kind: str | None = None) -> Call[HealthView]:
    """Show the health, and the schedules that need attention."""
    return get(HealthView, "/health", kind=kind)


def compare_config() -> Call[ConfigDiff]:
    """Show how the schedules of the file differ from those that are stored."""
    return get(ConfigDiff, "/config/diff")
