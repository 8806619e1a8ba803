"""Every method of the reminders that faces get × every kind of caller: a new face needs no check of its own.

The methods come from the classes. A new method without a row here fails.
"""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import duly
from duly.errors import AccessDeniedError
from duly.service.access.audit import acting
from duly.service.access.scopes import Caller, Face, Scope
from duly.service.chat.callers import CallersChat
from duly.service.reminders.use_cases import ChangeableReminders, ReadableReminders, ReminderUseCases
from tests.world import World, world

DAILY = {"type": "daily", "time": "08:00"}
MAY = {
    "admin": "change",
    "admin:ro": "read",
    "user:Ana": "change",
    "user:Ana:ro": "read",
    "user:Ben": "nothing",
    "user:Ben:ro": "nothing",
    "project:shop": "nothing",
    "project:shop:ro": "nothing",
}
"""What each caller may do with Ana's reminders."""

Asked = Callable[[Any, "Facts"], Awaitable[object]]


@dataclass(frozen=True)
class Facts:
    """What is there: a reminder of Ana's that waits for her answer, and a message in her inbox."""

    ana: str
    reminder: str
    run: str
    item: int


READING: dict[str, Asked] = {
    "person": lambda anas, _: anas.person(),
    "page": lambda anas, _: anas.page(),
    "get": lambda anas, facts: anas.get(facts.reminder),
    "show": lambda anas, facts: anas.show(facts.reminder, 10),
    "pending": lambda anas, _: anas.pending(),
    "deliveries": lambda anas, facts: anas.deliveries(facts.run),
    "company": lambda anas, facts: anas.company(SimpleNamespace(shared_with=(facts.ana,))),
    "inbox": lambda anas, _: anas.inbox(unread=False, limit=10),
    "inbox_item": lambda anas, facts: anas.inbox_item(facts.item),
}
CHANGING: dict[str, Asked] = {
    "create": lambda anas, _: anas.create(DAILY, "Stretch"),
    "remind": lambda anas, _: anas.remind("Stretch", delay_minutes=5),
    "update": lambda anas, facts: anas.update(facts.reminder, message="Walk"),
    "skip_next": lambda anas, facts: anas.skip_next(facts.reminder),
    "answer": lambda anas, facts: anas.answer("ack", facts.run, channel="test"),
    "read_inbox": lambda anas, _: anas.read_inbox(10),
    "remove": lambda anas, facts: anas.remove(facts.reminder),
}
"""In this order: what is removed is not asked for any more."""


def _methods(kind: type) -> set[str]:
    return {name for name, _ in inspect.getmembers(kind, inspect.isfunction) if not name.startswith("_")}


def test_every_method_has_a_row() -> None:
    assert _methods(ReadableReminders) == set(READING)
    assert _methods(ChangeableReminders) == {*READING, *CHANGING}
    assert _methods(ReminderUseCases) == {"to_read", "to_change"}
    assert _methods(CallersChat) == {"say", "pass_on"}


@asynccontextmanager
async def _with_anas(folder: Path) -> AsyncIterator[tuple[World, Facts]]:
    async with world(folder) as here:
        ana = await here.person("Ana")
        await here.person("Ben")
        reminder = await here.remind(ana, require_ack=True)
        daily = await here.runtime.services.reminder_service.create(
            ana, {"type": "interval", "every": "5m"}, "Drink", require_ack=True
        )
        await here.clock.travel(minutes=6)
        [item, *_], _ = await here.runtime.services.reminder_service.lists.inbox(ana)
        assert (await here.status(reminder)) == "awaiting_ack"
        run = (await here.latest(daily)).run_id
        yield here, Facts(ana, daily.id, run, item.id)


async def _caller(here: World, who: str) -> Caller:
    for name in ("Ana", "Ben"):
        who = who.replace(name, (await here.runtime.services.reminder_service.people.get(name)).user.id)
    scope = Scope.parse(who)
    return Caller(scope, "tok_1", Face.API, user_id=scope.subject if scope.kind == "user" else None)


@pytest.mark.parametrize("who", MAY)
async def test_what_a_caller_may_do_with_the_reminders_of_a_person(tmp_path: Path, who: str) -> None:
    async with _with_anas(tmp_path) as (here, facts):
        caller = await _caller(here, who)
        cases = ReminderUseCases(here.runtime.services.reminder_service)
        for name, asked in READING.items():
            assert await _outcome(lambda: cases.to_read(caller, facts.ana), asked, facts) is (MAY[who] != "nothing"), (
                name
            )
        for name, asked in {**READING, **CHANGING}.items():
            assert await _outcome(lambda: cases.to_change(caller, facts.ana), asked, facts) is (MAY[who] == "change"), (
                name
            )


async def _outcome(opened: Callable[[], Any], asked: Asked, facts: Facts) -> bool:
    """Tell whether the caller is let in."""
    try:
        await asked(opened(), facts)
    except AccessDeniedError:
        return False
    return True


@pytest.mark.parametrize("who", MAY)
async def test_a_caller_who_names_no_person_reaches_their_own(tmp_path: Path, who: str) -> None:
    async with _with_anas(tmp_path) as (here, facts):
        caller = await _caller(here, who)
        cases = ReminderUseCases(here.runtime.services.reminder_service)
        if caller.scope.kind == "project":
            with pytest.raises(AccessDeniedError, match=r"scope project:shop(:ro)? is about a project$"):
                cases.to_read(caller)
            return
        found, _ = await cases.to_read(caller).page()
        assert [each.id for each in found if each.id == facts.reminder] == [facts.reminder] * ("Ana" in who)


@pytest.mark.parametrize("who", MAY)
async def test_what_a_caller_may_say_for_a_person(tmp_path: Path, who: str) -> None:
    async with _with_anas(tmp_path) as (here, facts):
        caller = await _caller(here, who)
        services = here.runtime.services
        for said in (
            lambda chat, _: chat.say("test", "what's on today?"),
            lambda chat, _: chat.pass_on("test", "what's on today?"),
        ):
            assert await _outcome(lambda: services.chat_of(caller, facts.ana), said, facts) is (MAY[who] == "change")


def test_a_read_only_caller_hears_so_before_anything_else() -> None:
    cases = ReminderUseCases(_Spy([]))  # type: ignore[arg-type]  # nothing is asked of it
    for scope in ("admin:ro", "user:ana:ro", "project:shop:ro"):
        with pytest.raises(AccessDeniedError, match=f"^cannot change reminders: scope {scope} may only look$"):
            cases.to_change(Caller(Scope.parse(scope)), user=7)


_Call = tuple[str, dict[str, Any], tuple[Any, ...], dict[str, Any]]
"""The name of what was called, who acts, and what was given."""


class _Spy:
    """Stands for the service: notes for each call who acts, for whom, and with which scope."""

    def __init__(self, calls: list[_Call], name: str = "") -> None:
        self._calls = calls
        self._name = name

    def __getattr__(self, name: str) -> _Spy:
        return _Spy(self._calls, name)

    def __iter__(self) -> Iterator[Any]:
        return iter(((), None))

    async def __call__(self, *given: Any, **named: Any) -> Any:
        self._calls.append((self._name, acting(), given, named))
        return self


@pytest.mark.parametrize("name", [*READING, *CHANGING])
async def test_every_call_names_the_caller_and_the_person(name: str) -> None:
    """What is made or changed counts for the caller's quota as well."""
    calls: list[_Call] = []
    caller = Caller(Scope.parse("user:ana"), "tok_ana", Face.GUI)
    before = acting()
    anas = ReminderUseCases(_Spy(calls)).to_change(caller)  # type: ignore[arg-type]
    await (READING | CHANGING)[name](anas, Facts("ana", "sch_1", "run_1", 1))
    assert acting() == before
    for called, by, given, named in calls:
        assert (by["by"], by["face"], given[0]) == ("tok_ana", "gui", "ana")
        if called in ("create", "remind", "update"):
            assert named["scope"] == caller.scope
        if called in ("create", "remind"):
            assert named["created_via"] == "gui"
    assert calls


FACES = ("rest", "ws", "mcp", "web", "server", "cli")
BY_PERSONS = {"server", "cli"}
"""Faces that also reach what is below the rights: signed links are pressed by a person, and commands typed by one."""
CHECKS = {"acts_for", "check_reach"}
BELOW = re.compile(r"\bReminderService\b|\bparts\.reminders\b|\bruntime\.reminders\b|\.chat\.handle\b")


@pytest.mark.parametrize("face", FACES)
def test_no_face_checks_rights_to_reminders_or_gets_round_them(face: str) -> None:
    """What a face has to call can be forgotten by the next one: `service` checks as it gives reminders away."""
    files = sorted((Path(str(duly.__file__)).parent / face).rglob("*.py"))
    assert files
    for path in files:
        text = path.read_text(encoding="utf-8")
        nodes = list(ast.walk(ast.parse(text)))
        named = {each.name for node in nodes if isinstance(node, ast.ImportFrom) for each in node.names}
        named |= {node.attr for node in nodes if isinstance(node, ast.Attribute)}
        assert not named & CHECKS, path
        assert face in BY_PERSONS or BELOW.search(text) is None, path
