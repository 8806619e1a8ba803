"""Journal: who changed what, through which door, and what was it before?"""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from urllib.parse import urlencode

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from duly.errors import InvalidInputError
from duly.model.codec import Json
from duly.service.access.audit_trail import AuditView
from duly.service.schedules.putting_back import is_change
from duly.web import words
from duly.web.inbox import through
from duly.web.site import Site
from duly.web.tokens import scope_in_words
from duly.web.viewer import Viewer

_KINDS = (
    ("", "everything"),
    ("schedule.*", "schedules"),
    ("run.*", "runs"),
    ("reminder.*", "answers"),
    ("person.*", "people"),
    ("token.*", "tokens"),
    ("login.*", "logins"),
)
_WORDS = {
    "created": "made",
    "updated": "changed",
    "paused": "paused",
    "resumed": "resumed",
    "deleted": "deleted",
    "restored": "restored",
    "fired": "run by hand",
}
_SENTENCES = {
    "schedule.fired": "run by hand",
    "run.cancel_asked": "asked to stop: {reason}",
    "reminder.taken_back": "waits again: the answer of {user} was taken back",
    "attention.seen": "“{title}” marked as seen",
    "channel.tested": "test message to {user} by {channel}: {result}",
    "person.added": "{user} added to the people",
    "person.changed": "{user} changed",
    "person.removed": "{user} removed from the people",
    "person.channel_added": "{user} is reached by {channel} {address} now",
    "person.channel_removed": "{user} is not reached by {channel} {address} any more",
    "person.code_made": "pairing code for {user} by {channel} made",
    "token.created": "token {token} made: it {scope}",
    "token.revoked": "token {token} revoked: it lets no one in any more",
    "trust.given": "{file} trusted",
    "trust.taken": "{file} not trusted any more",
    "calendar.linked": "calendar link {name} made",
    "calendar.unlinked": "calendar link {name} removed",
    "links.rotated": "links in messages signed with a new secret",
    "login.failed": "{count} times refused at {door}, from {source}: {reason}",
    "store.prune_asked": "{runs} runs and {records} other records from before {before} to be deleted",
    "audit.pruned": "old entries up to {upto} removed",
}
_PUT_BACK = ("schedule.updated", "schedule.paused", "schedule.resumed")
_LONGEST = 160


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangedField:
    """One field before and after."""

    name: str
    before: str
    after: str


@dataclass(frozen=True, slots=True, kw_only=True)
class JournalLine:
    """An entry of the audit, as the screen says it."""

    entry: AuditView
    at: datetime
    who: str
    door: str
    what: str
    changes: list[ChangedField]
    facts: str
    may_put_back: bool


def make_journal(site: Site) -> APIRouter:
    """Make the routes of Journal."""
    router = site.router()

    @router.get("/journal")
    async def journal(
        request: Request, schedule: str = "", actor: str = "", kind: str = "", cursor: int | None = None
    ) -> Response:
        caller = site.caller(request)
        if kind not in dict(_KINDS):
            raise InvalidInputError(f"kind {kind!r} is unknown: choose one of {', '.join(filter(None, dict(_KINDS)))}")
        found, older = await site.services.audit.entries(
            caller,
            actor=actor or None,
            kinds=[kind] if kind else [],
            schedule=schedule or None,
            cursor=cursor,
            limit=50,
        )
        names = await site.services.tokens.names(caller, {name for each in found for name in _named(each)})
        kept = {name: value for name, value in (("schedule", schedule), ("actor", actor), ("kind", kind)) if value}
        return await site.render(
            request,
            "journal.html",
            lines=[_line(each, names, site.viewer(request)) for each in reversed(found)],
            older=None if older is None else "/journal?" + urlencode({**kept, "cursor": older}),
            kinds=_KINDS,
            kind=kind,
            actor=actor,
            schedule=schedule,
            kept=kept,
            chips=[(_address(kept, "kind", key), text, key == kind) for key, text in _KINDS],
        )

    @router.post("/journal/{seq}/put-back")
    async def put_back(request: Request, seq: int) -> Response:
        form = await request.form()
        schedule = str(form.get("schedule") or "")
        done = await site.services.actions.put_back(site.caller(request), schedule, seq)
        return site.done(request, done, back="/journal")

    return router


def _address(kept: dict[str, str], name: str, value: str) -> str:
    wanted = {key: each for key, each in {**kept, name: value}.items() if each}
    return "/journal" + (f"?{urlencode(wanted)}" if wanted else "")


def _named(entry: AuditView) -> set[str]:
    """Give the ids of tokens and people that an entry names, its author among them."""
    user = entry.data.get("user")
    token = entry.data.get("token")
    found = {entry.actor, *([f"user:{user}"] if user else []), *([str(token)] if token else [])}
    return {*found, entry.scope.removesuffix(":ro")} if token and entry.scope else found


def _line(entry: AuditView, names: dict[str, str], viewer: Viewer) -> JournalLine:
    said = _sentence(entry, names, viewer)
    return JournalLine(
        entry=entry,
        at=entry.at,
        who=names.get(entry.actor, words.ACTORS.get(entry.actor, entry.actor)),
        door=words.DOORS.get(entry.face or "", entry.face or ""),
        what=said or _what(entry),
        changes=_changes_of(entry),
        facts="" if said else _facts(entry),
        may_put_back=entry.kind in _PUT_BACK and is_change(entry.kind, entry.data),
    )


def _what(entry: AuditView) -> str:
    """Say what was done, by the name of the event: `schedule.updated` is "changed"."""
    noun, _, verb = entry.kind.partition(".")
    if noun == "schedule":
        return _WORDS.get(verb, verb.replace("_", " "))
    return f"{noun} {verb.replace('_', ' ')}"


def _sentence(entry: AuditView, names: dict[str, str], viewer: Viewer) -> str | None:
    """Say an entry that is not about a definition; None for one that has no sentence."""
    data = {name: _short(value) for name, value in entry.data.items() if value is not None}
    data["name"] = entry.schedule or data.get("name", "")
    data["user"] = names.get(f"user:{data.get('user')}", data["name"] or data.get("user", ""))
    if "token" in data:
        data["token"] = names.get(data["token"], data["token"])
    if entry.kind == "reminder.answered":
        return _answered(entry, data, viewer)
    if entry.kind == "schedule.fired" and "fires" in data:
        return f"run by hand for {data['fires']} past times"
    if entry.kind.startswith("token.") and entry.scope is not None:
        data["scope"] = scope_in_words(entry.scope, {key.removeprefix("user:"): name for key, name in names.items()})
    pattern = _SENTENCES.get(entry.kind)
    return None if pattern is None else pattern.format_map(_Blank(data))


def _answered(entry: AuditView, data: dict[str, str], viewer: Viewer) -> str:
    """Say an answer: "answered by Ana: snoozed until today 18:00, by Telegram"."""
    said = {"ack": "done", "snooze": "snoozed", "dismiss": "dismissed"}.get(data.get("response", ""), "answered")
    if (until := entry.data.get("until")) is not None:
        said += f" until {words.moment(datetime.fromisoformat(str(until)), viewer.now, viewer.zone)}"
    way = through(data.get("channel"))
    return f"answered: {said}" + (f", {way}" if way else "")


class _Blank(dict[str, str]):
    """Gives nothing for what an entry does not say: entries of older versions may have less."""

    def __missing__(self, key: str) -> str:
        return ""


def _changes_of(entry: AuditView) -> list[ChangedField]:
    """List the fields that differ; of a definition in JSON the keys that differ."""
    data = entry.data
    before = data.get("before") or {}
    after = data.get("after") or {}
    if not isinstance(before, dict) or not isinstance(after, dict) or not (before or is_change(entry.kind, data)):
        return []
    return differences(before, {name: data[name] for name in before if name in data} | after)


def differences(before: Json, after: Json) -> list[ChangedField]:
    """List the fields that differ between two records; of a definition in JSON the keys that differ."""
    found: list[ChangedField] = []
    for name in sorted({*before, *after}):
        found += _differences(name, _opened(before.get(name)), _opened(after.get(name)))
    return found


def _differences(name: str, before: Any, after: Any) -> list[ChangedField]:
    if isinstance(before, dict) and isinstance(after, dict):
        keys = [key for key in sorted({*before, *after}) if before.get(key) != after.get(key)]
        return [each for key in keys for each in _differences(key, before.get(key), after.get(key))]
    return [ChangedField(name=name.replace("_", " "), before=_short(before), after=_short(after))]


def _opened(value: Any) -> Any:
    """Read a value that is JSON inside JSON, as triggers, actions and policies are."""
    if isinstance(value, str) and value.startswith("{"):
        try:
            return json.loads(value)
        except ValueError:  # it was cut
            return value
    return value


def _short(value: Any) -> str:
    if value is None:
        return "—"
    if isinstance(value, bool):
        return "yes" if value else "no"
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"


def _facts(entry: AuditView) -> str:
    """Give the other data of an entry on one line."""
    rest = {key: value for key, value in entry.data.items() if key not in ("before", "after", "account")}
    return ", ".join(f"{key.replace('_', ' ')} {_short(value)}" for key, value in rest.items())[: _LONGEST * 2]
