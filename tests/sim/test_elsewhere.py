"""Runs that an executor carries out, while everything goes wrong: nothing is lost, accepted twice, or begun twice.

And a check that sees it: each known bug, put into what duly does, is found within a few seeds.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest
from _pytest.monkeypatch import MonkeyPatch

from duly.executors import sending
from duly.executors.sending import Outbox, Parcel
from duly.executors.watching import Hearing
from duly.model.handover import Handover, HandoverState
from duly.planning import handovers as planning
from duly.planning.handovers import Refusal, Revised, RunStanding
from duly.ports.executors import SendResult
from tests.sim.campaign import check_elsewhere
from tests.sim.elsewhere import simulate_elsewhere

SEEDS = 10

MOST_SEEDS = 60
FOUND_BY = {"accepts_an_old_number": 4, "takes_its_own_deafness_for_silence": 4}
"""Where to begin to look for a bug: the first seed that found it when this was written."""
Sabotage = Callable[[MonkeyPatch], None]
BUGS: dict[str, tuple[Sabotage, str]] = {}


def _bug(complaint: str) -> Callable[[Sabotage], Sabotage]:
    def register(sabotage: Sabotage) -> Sabotage:
        BUGS[sabotage.__name__] = (sabotage, complaint)
        return sabotage

    return register


@_bug("was beating")
def gives_leave_to_everyone(patch: MonkeyPatch) -> None:
    original = planning.begin

    def begin(handover: Handover, standing: RunStanding, **facts: Any) -> Revised | Refusal:
        answer = original(handover, standing, **facts)
        return Revised(replace(handover, start=facts["start"])) if answer is Refusal.BEATING else answer

    patch.setattr(planning, "begin", begin)


@_bug("outcome was accepted")
def accepts_an_old_number(patch: MonkeyPatch) -> None:
    def end(handover: Handover, standing: RunStanding, outcome: Any, *, start: str | None, now: datetime) -> Revised:
        del start
        return Revised(replace(handover, state=outcome.state, result=outcome.result, ended_at=now, ended_fence=0), True)

    patch.setattr(planning, "end", end)


@_bug("is pending")
def notes_before_it_publishes(patch: MonkeyPatch) -> None:
    original = Outbox._publish

    async def publish(self: Outbox, parcels: Sequence[Parcel]) -> Any:
        terms = self._executor()[1]
        await self._note(parcels, [SendResult() for _ in parcels], datetime(2026, 1, 1, tzinfo=UTC), terms)
        return await original(self, parcels)

    patch.setattr(Outbox, "_publish", publish)


@_bug("with a message that was void")
def keeps_the_token_when_it_sends_again(patch: MonkeyPatch) -> None:
    def renewed(handover: Handover, _standing: RunStanding, *, seen: Handover, token_hash: str) -> Revised | None:
        del seen, token_hash
        return Revised(handover) if handover.state is HandoverState.INTENDED else None

    async def write_down(self: Outbox, parcels: Sequence[Parcel], *, renew: bool) -> set[Any]:
        del renew
        new = [each.handover for each in parcels if each.before is None]
        ours = await self._handovers.intend(new) if new else set()
        return ours | {each.handover.key for each in parcels if each.before is not None}

    patch.setattr(planning, "renewed", renewed)
    patch.setattr(sending, "hash_token", lambda _token: "always the same")
    patch.setattr(Outbox, "_write_down", write_down)


@_bug("while no node could hear")
def takes_its_own_deafness_for_silence(patch: MonkeyPatch) -> None:
    def note(self: Hearing, wall: datetime, monotonic: float) -> None:
        del wall, monotonic
        self.since = datetime(2026, 1, 1, tzinfo=UTC)

    patch.setattr(Hearing, "note", note)


def _seeds(bug: str) -> list[int]:
    first = FOUND_BY.get(bug, 0)
    return [*range(first, MOST_SEEDS), *range(first)]


@pytest.mark.parametrize("start", range(0, SEEDS, 5))
def test_nothing_is_lost_or_done_twice(start: int) -> None:
    found = [each for seed in range(start, start + 5) for each in simulate_elsewhere(seed).complaints]
    assert found == []


@pytest.mark.parametrize("name", BUGS)
def test_each_planted_bug_is_found(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    sabotage, complaint = BUGS[name]
    sabotage(monkeypatch)
    seen: set[str] = set()
    for seed in _seeds(name):
        complaints = simulate_elsewhere(seed).complaints
        if any(complaint in line for line in complaints):
            monkeypatch.undo()
            assert simulate_elsewhere(seed).complaints == [], f"seed {seed} proves nothing"
            return
        seen.update(complaints[:2])
    pytest.fail(f"{MOST_SEEDS} seeds did not find it; they found {sorted(seen)[:5]}")


def test_the_campaign_tells_what_it_finds(monkeypatch: pytest.MonkeyPatch) -> None:
    takes_its_own_deafness_for_silence(monkeypatch)
    answers = (check_elsewhere(seed) for seed in _seeds(takes_its_own_deafness_for_silence.__name__))
    found = next(each for each in answers if each is not None)
    assert "was given up while no node could hear" in found
    assert re.search(r"replay: python -m tests\.sim\.replay \d+ --elsewhere$", found)


def test_a_seed_gives_the_same_trace_every_time() -> None:
    assert simulate_elsewhere(5).trace == simulate_elsewhere(5).trace
