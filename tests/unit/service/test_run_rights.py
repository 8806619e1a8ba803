"""Whether a run may begin: the rights of its creator and of its last changer, from nothing but the run and tokens."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from duly.model.action import Action, Job, Prompt, Target
from duly.model.run import Origin
from duly.ports.codec import encode_action
from duly.ports.records import Claimed
from duly.ports.tokens import TokenRecord
from duly.service.access.rights import run_refusal

NOW = datetime(2026, 1, 1, tzinfo=UTC)
BLOG = Prompt(text="tidy up", targets=(Target("blog"),))


def claimed(action: Action = BLOG, created_by: str | None = None, changed_by: str | None = None) -> Claimed:
    return Claimed(
        run_id="run_1",
        schedule_id="sched_1",
        namespace="default",
        name="tidy",
        origin=Origin.SCHEDULE,
        fire_at=NOW,
        due_at=NOW,
        handler=action.handler,
        attempt=1,
        fence=1,
        action=encode_action(action),
        policy="{}",
        created_by=created_by,
        changed_by=changed_by,
    )


def tokens(**scopes: str | None) -> dict[str, TokenRecord]:
    """Tokens by the end of their id; one without a scope was revoked."""
    return {
        f"tok_{name}": TokenRecord(
            id=f"tok_{name}",
            name=name,
            hash=name,
            scope=scope or "admin",
            created_at=NOW,
            revoked_at=NOW if scope is None else None,
        )
        for name, scope in scopes.items()
    }


def refusal(run: Claimed, known: dict[str, TokenRecord], now: datetime) -> str | None:
    """Check a run that was claimed together with these tokens."""
    run.give(known)
    return run_refusal(run, now)


@pytest.mark.parametrize("people", [(None, None), ("usr_1", None), ("local", "local"), (None, "usr_2")])
def test_what_was_made_without_a_token_needs_no_leave(people: tuple[str | None, str | None]) -> None:
    assert refusal(claimed(Job("backup"), *people), {}, NOW) is None


@pytest.mark.parametrize("scope", ["admin", "project:blog"])
def test_a_token_that_allows_it_lets_it_run(scope: str) -> None:
    known = tokens(maker=scope, changer="admin")
    assert refusal(claimed(BLOG, "tok_maker"), known, NOW) is None
    assert refusal(claimed(BLOG, "tok_changer", "tok_maker"), known, NOW) is None


@pytest.mark.parametrize("known", [tokens(maker=None, changer="admin"), tokens(changer="admin")])
def test_a_revoked_creator_is_named_with_the_cure(known: dict[str, TokenRecord]) -> None:
    said = refusal(claimed(BLOG, "tok_maker", "tok_changer"), known, NOW)
    assert said == (
        "cannot run tidy: the token that made it (tok_maker) was revoked; "
        "its owner takes it back by saving it, an admin with: duly schedule reown tidy"
    )


@pytest.mark.parametrize("creator", [None, "tok_maker"])
def test_what_a_revoked_token_changed_does_not_run_either(creator: str | None) -> None:
    said = refusal(claimed(BLOG, creator, "tok_changer"), tokens(maker="admin", changer=None), NOW)
    assert said is not None
    assert "the token that last changed it (tok_changer) was revoked" in said


@pytest.mark.parametrize("people", [("tok_weak", "tok_strong"), ("tok_strong", "tok_weak")])
@pytest.mark.parametrize("action", [Job("backup"), Prompt(text="x", targets=(Target("blog"), Target("shop")))])
def test_both_have_to_allow_it(people: tuple[str, str], action: Action) -> None:
    known = tokens(weak="project:blog", strong="admin")
    said = refusal(claimed(action, *people), known, NOW)
    assert said is not None
    assert said.startswith("cannot run schedule for ")
    assert "access denied" in said


@pytest.mark.parametrize(("grants", "runs"), [((), False), (("executors:heavy",), True)])
def test_a_job_of_an_executor_runs_with_its_grant(*, grants: tuple[str, ...], runs: bool) -> None:
    job = Job("proj.tasks.report", executor="heavy")
    known = tokens(ada="user:ada")
    known["tok_ada"] = replace(known["tok_ada"], grants=grants)
    said = refusal(claimed(job, "tok_ada"), known, NOW)
    assert (said is None) == runs
    assert runs or "has no grant executors:heavy" in str(said)


def test_a_scope_that_cannot_be_read_allows_nothing() -> None:
    said = refusal(claimed(BLOG, "tok_odd"), tokens(odd="everything"), NOW)
    assert said is not None
    assert "scope 'everything' is unknown" in said
