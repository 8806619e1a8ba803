"""What a token may have carried out: a person's only what was granted to it, a project's what its file lists."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from duly.config.reading import load_with
from duly.errors import AccessDeniedError, ConfigError, InvalidInputError
from duly.model.action import Job, Message, Prompt, Target
from duly.runtime.capabilities import Capabilities
from duly.service.access.grants import Configured, holds, needs, parse_grants
from duly.service.access.scopes import ADMIN, Caller, Owned, Scope, check_action, may_change, may_read, visible_targets
from duly.testing import VirtualClock
from tests.conformance.schedules.harness import (
    DAILY,
    MCP,
    SERVICE,
    Refused,
    ScheduleHarness,
    make_schedule_harness,
    scenario,
)
from tests.unit.cli.command_line import NOON

CONFIGURED = Configured(default_spawner="claude", spawners={"blog": ("claude", "helper")}, gates={"blog": ("drafts",)})
NAMES = st.sampled_from(["claude", "codex", "helper", "default"])
PROJECTS = st.sampled_from(["blog", "shop", "a"])
GRANTS = st.frozensets(
    st.one_of(
        st.sampled_from(["claude", "codex", "helper", "*"]).map("prompts:{}".format),
        st.sampled_from(["drafts", "news"]).map("gates:{}".format),
        PROJECTS.map("projects:{}".format),
        st.sampled_from(["heavy", "cloud"]).map("executors:{}".format),
    )
)
ELSEWHERE = st.builds(Job, st.just("proj.tasks.report"), executor=st.sampled_from(["heavy", "cloud"]))
PROMPTS = st.builds(
    Prompt,
    text=st.just("go"),
    spawner=NAMES,
    gate=st.sampled_from([None, "drafts", "news"]),
    targets=st.lists(PROJECTS, unique=True, max_size=2).map(lambda names: tuple(map(Target, names))),
)


@pytest.fixture(params=[("sqlite-inline", SERVICE), ("postgres", MCP)], ids=["sqlite-service", "postgres-mcp"])
def harness(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[ScheduleHarness]:
    store, way = request.param
    with make_schedule_harness(store, way, tmp_path) as made:
        yield made


# the rule itself


def person(*grants: str) -> Scope:
    return Scope("user", "user_1", grants=frozenset(grants))


def allows(scope: Scope, action: Any) -> bool:
    try:
        check_action(scope, action, "create", CONFIGURED)
    except AccessDeniedError:
        return False
    return True


@given(grants=GRANTS, prompt=PROMPTS)
def test_no_set_of_grants_lets_a_person_do_more_than_the_sum_of_its_grants(
    grants: frozenset[str], prompt: Prompt
) -> None:
    """Each thing a prompt needs has to be given by a single grant; together they give nothing besides."""
    each_is_given = all(any(holds({one}, need) for one in grants) for need in needs(prompt, CONFIGURED))
    assert allows(person(*grants), prompt) == each_is_given


@given(grants=GRANTS, more=GRANTS, prompt=PROMPTS)
def test_a_further_grant_takes_nothing_away(grants: frozenset[str], more: frozenset[str], prompt: Prompt) -> None:
    assert allows(person(*grants), prompt) <= allows(person(*grants, *more), prompt)


@given(grants=GRANTS, prompt=PROMPTS)
def test_grants_neither_make_an_admin_nor_reach_what_belongs_to_others(grants: frozenset[str], prompt: Prompt) -> None:
    scope = person(*grants)
    assert not allows(scope, Job("backup"))
    assert allows(scope, Message(text="hello"))
    foreign = Owned("user:user_2", prompt.targets)
    assert not may_read(scope, foreign)
    assert not may_change(scope, foreign)
    assert not allows(replace(scope, read_only=True), prompt)


@given(grants=GRANTS, prompt=PROMPTS)
def test_a_projects_token_stays_in_its_project_with_every_grant(grants: frozenset[str], prompt: Prompt) -> None:
    scope = Scope("project", "blog", grants=grants)
    own = bool(prompt.targets) and all(target.project_id == "blog" for target in prompt.targets)
    given = grants | CONFIGURED.of_project("blog")
    rest = [need for need in needs(prompt, CONFIGURED) if not need.startswith("projects:")]
    assert allows(scope, prompt) == (own and all(holds(given, need) for need in rest))
    assert {target.project_id for target in visible_targets(scope, prompt.targets)} <= {"blog"}


@given(grants=GRANTS, job=ELSEWHERE)
def test_a_job_of_an_executor_needs_the_grant_for_it_and_nothing_else(grants: frozenset[str], job: Job) -> None:
    granted = f"executors:{job.executor}" in grants
    assert allows(person(*grants), job) == granted
    assert not allows(replace(person(*grants), read_only=True), job)
    project = Scope("project", "blog", grants=grants)
    assert allows(project, job) == granted
    listed = Configured(executors={"blog": (job.executor or "",)})
    check_action(project, job, "create", listed)
    with pytest.raises(AccessDeniedError, match="access denied"):
        check_action(Scope("project", "shop"), job, "create", listed)


def test_the_default_spawner_counts_under_its_own_name() -> None:
    unnamed = Prompt(text="go")
    assert allows(person("prompts:claude"), unnamed)
    assert not allows(person("prompts:default"), unnamed)  # that would be another one after the next change of the file
    assert not allows(person("prompts:codex"), unnamed)


@pytest.mark.parametrize(
    "text", ["prompts", "prompts:", "jobs:backup", "gates:*", "projects:*", "admin", "", "prompts:\n", "x:claude"]
)
def test_what_is_no_grant_is_refused(text: str) -> None:
    with pytest.raises(InvalidInputError, match="is unknown: write prompts:SPAWNER"):
        parse_grants([text])


# from every door


@scenario
async def test_a_person_without_a_grant_makes_messages_and_never_prompts(harness: ScheduleHarness) -> None:
    caller = await harness.as_holder("user:ada")
    with pytest.raises(Refused) as refused:
        await harness.create(**DAILY)
    assert str(refused.value) == (
        f"cannot create schedule with spawner butler: access denied, scope {caller.scope} has no grant prompts:butler. "
        f"An admin gives it: duly token grant {caller.token_id} prompts:butler"
    )
    with pytest.raises(Refused, match="no grant prompts:butler"):
        await harness.create(**DAILY, spawner="butler")
    with pytest.raises(Refused, match="jobs are for admins"):
        await harness.create("job", cron="0 9 * * *", job_name="backup")
    reminded = await harness.ask("remind", message="drink", delay_minutes=5)
    assert reminded["status"] == "scheduled"


@scenario
async def test_what_the_refusal_says_helps(harness: ScheduleHarness) -> None:
    caller = await harness.as_holder("user:ada")
    assert caller.token_id is not None
    await harness.tokens.grant(Caller(), caller.token_id, ["prompts:butler"])
    again = await harness.as_holder("user:ada", "prompts:butler")
    assert again.scope.grants == {"prompts:butler"}
    assert (await harness.create(**DAILY))["token_scope"] == str(caller.scope)
    with pytest.raises(Refused, match="no grant projects:a"):
        await harness.update("plants", targets=[{"project_id": "a"}])
    with pytest.raises(Refused, match="no grant gates:drafts"):
        await harness.update("plants", gate="drafts")
    with pytest.raises(Refused, match="no grant prompts:other"):
        await harness.update("plants", spawner="other")
    await harness.as_holder("user:ada", "prompts:butler", "projects:a")
    assert (await harness.update("plants", targets=[{"project_id": "a"}]))["targets"] == [{"project_id": "a"}]
    with pytest.raises(Refused, match="no grant projects:b"):
        await harness.update("plants", targets=[{"project_id": "a"}, {"project_id": "b"}])


@scenario
async def test_what_was_granted_is_looked_at_again_when_it_fires(harness: ScheduleHarness) -> None:
    caller = await harness.as_holder("user:ada", "prompts:butler")
    made = await harness.create(**DAILY)
    assert await harness.tick(hours=9) == 1
    assert caller.token_id is not None
    await harness.tokens.grant(Caller(), caller.token_id, taken=["prompts:butler"])
    assert await harness.tick(days=1) == 0
    assert len(harness.spawned) == 1
    harness.as_admin()
    failed = next(run for run in await harness.history(made["id"]) if run["status"] == "failed")
    assert f"An admin gives it: duly token grant {caller.token_id} prompts:butler" in failed["error"]
    harness.caller = replace(caller, scope=replace(caller.scope, grants=frozenset()))
    window = {"start": "2025-12-01T00:00:00Z", "end": "2025-12-02T00:00:00Z"}
    for tool, more in (("schedule_trigger", {}), ("schedule_backfill", window)):
        with pytest.raises(Refused, match="no grant prompts:butler"):
            await harness.ask(tool, schedule_id="plants", **more)
    assert not (await harness.update("plants", enabled=False))["enabled"]  # what may not run can still be paused
    with pytest.raises(Refused, match="no grant prompts:butler"):
        await harness.update("plants", enabled=True)
    await harness.ask("schedule_delete", schedule_id="plants")


@scenario
async def test_a_project_has_the_spawners_and_gates_its_file_lists(harness: ScheduleHarness) -> None:
    caller, own = await harness.as_holder("project:a"), {"targets": [{"project_id": "a"}]}
    await harness.create(**DAILY, **own)
    with pytest.raises(Refused) as refused:
        await harness.create("codex", **DAILY, **own, spawner="codex")
    assert str(refused.value) == (
        "cannot create schedule with spawner codex: access denied, scope project:a has no grant prompts:codex. An "
        f"admin gives it: duly token grant {caller.token_id} prompts:codex; or list it in duly.toml: [projects.a] "
        'spawners = ["codex"]'
    )
    with pytest.raises(Refused, match="no grant gates:drafts"):
        await harness.create("gated", **DAILY, **own, gate="drafts")
    harness.configured = Configured(default_spawner="butler", spawners={"a": ("helper",)})
    with pytest.raises(Refused, match="no grant prompts:butler"):
        await harness.create("second", **DAILY, **own)
    assert await harness.tick(hours=9) == 0  # the file took it away from what was made before, too
    assert harness.spawned == []


HEAVY = {"cron": "0 9 * * *", "job_name": "proj.tasks.report", "executor": "heavy"}


@scenario
async def test_a_person_without_a_grant_has_no_job_of_an_executor(harness: ScheduleHarness) -> None:
    caller = await harness.as_holder("user:ada", "prompts:butler")
    with pytest.raises(Refused) as refused:
        await harness.create("report", **HEAVY)
    assert str(refused.value) == (
        f"cannot create schedule for executor heavy: access denied, scope {caller.scope} has no grant executors:heavy. "
        f"An admin gives it: duly token grant {caller.token_id} executors:heavy"
    )
    await harness.create(**DAILY)
    with pytest.raises(Refused, match="no grant executors:heavy"):
        await harness.update("plants", dispatch_mode="job", job_name="proj.tasks.report", executor="heavy")
    granted = await harness.as_holder("user:ada", "executors:heavy")
    assert (await harness.create("report", **HEAVY))["executor"] == "heavy"
    with pytest.raises(Refused, match="jobs are for admins"):
        await harness.update("report", clear=["executor"])
    harness.caller = replace(granted, scope=replace(granted.scope, grants=frozenset()))
    with pytest.raises(Refused, match="no grant executors:heavy"):
        await harness.ask("schedule_trigger", schedule_id="report")


@scenario
async def test_a_project_has_the_executors_that_its_file_lists(harness: ScheduleHarness) -> None:
    await harness.as_holder("project:a")
    with pytest.raises(Refused, match=r'or list it in duly.toml: \[projects.a\] executors = \["heavy"\]'):
        await harness.create("report", **HEAVY)
    harness.configured = Configured(default_spawner="butler", executors={"a": ("heavy",)})
    made = await harness.create("report", **HEAVY)
    assert made["namespace"] == "project:a"
    await harness.as_holder("project:b")
    assert await harness.names() == []


@scenario
async def test_an_expired_token_opens_nothing_and_runs_nothing(harness: ScheduleHarness) -> None:
    made = await harness.tokens.create(Caller(), "bot", "project:a", expires_in=timedelta(hours=10))
    caller = await harness.tokens.caller(made.secret, harness.caller.face)
    assert caller is not None
    harness.caller = caller
    await harness.create(**DAILY, targets=[{"project_id": "a"}])
    assert await harness.tick(hours=9) == 1
    assert await harness.tick(days=1) == 0
    assert await harness.tokens.caller(made.secret, caller.face) is None
    harness.as_admin()
    failed = next(run for run in await harness.history("project:a/plants") if run["status"] == "failed")
    assert f"the token that made it ({caller.token_id}) has expired" in failed["error"]


# tokens with grants


@scenario
async def test_grants_that_a_scope_cannot_use_are_refused(harness: ScheduleHarness) -> None:
    for scope, grant, told in (
        ("admin", "prompts:butler", "takes no grants, got prompts:butler: it may do everything"),
        ("project:a:ro", "prompts:butler", "it may only look"),
        ("project:a", "projects:b", "it is about one project"),
        ("user:local", "jobs:backup", "is unknown: write prompts:SPAWNER"),
    ):
        with pytest.raises(InvalidInputError, match=told):
            await harness.tokens.create(Caller(), "x", scope, grants=[grant])
    with pytest.raises(InvalidInputError, match="must expire in the future"):
        await harness.tokens.create(Caller(), "x", "admin", expires_in=timedelta(0))
    assert (await harness.tokens.page(Caller()))[0] == []


@scenario
async def test_only_admins_grant_and_rotate(harness: ScheduleHarness) -> None:
    made = await harness.tokens.create(Caller(), "x", "user:local")
    for scope in ("admin:ro", "project:a", "user:local"):
        stranger = Caller(Scope.parse(scope))
        for asked in (
            harness.tokens.grant(stranger, made.record.id, ["prompts:*"]),
            harness.tokens.rotate(stranger, made.record.id),
            harness.tokens.renew(stranger, made.secret, "x", "admin"),
            harness.use_cases.ownership.reown(stranger, token=made.record.id),
        ):
            with pytest.raises(AccessDeniedError, match="access denied"):
                await asked
    assert (await harness.tokens.page(Caller(ADMIN)))[0] == [made.record]


# the file


def capabilities(folder: Path, text: str) -> Capabilities:
    file = folder / "duly.toml"
    file.write_text(text, encoding="utf-8")
    return Capabilities(load_with({}, file, data_dir=str(folder)), VirtualClock(NOON), {})


def test_the_file_says_what_a_project_may_use(tmp_path: Path) -> None:
    made = capabilities(
        tmp_path,
        '[gates]\ndrafts = ["true"]\n[projects.blog]\npath = "."\nspawners = ["codex", "default"]\n'
        'gates = ["drafts"]\nexecutors = ["heavy"]\n[projects.shop]\npath = "."\n'
        '[executors.heavy]\nkind = "celery"\nbroker = "env:BROKER"\ntasks = ["x"]\n',
    ).configured
    assert made.of_project("blog") == {"prompts:codex", "prompts:claude", "gates:drafts", "executors:heavy"}
    assert made.of_project("shop") == {"prompts:claude"}


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ('spawners = ["codx"]', "projects.blog.spawners: unknown spawner 'codx'"),
        ('gates = ["drafts"]', "projects.blog.gates: unknown gate 'drafts'"),
        ('spawners = "codex"', "projects.blog.spawners: must be a list of names"),
        ('executors = ["heavy"]', "projects.blog.executors: unknown executor 'heavy': configured are none"),
        ("gates = [1]", "projects.blog.gates: must be a list of names"),
    ],
)
def test_a_misspelt_name_in_the_file_is_told_with_its_line(tmp_path: Path, line: str, told: str) -> None:
    with pytest.raises(ConfigError) as refused:
        capabilities(tmp_path, f'[projects.blog]\npath = "."\n{line}\n')
    assert told in str(refused.value)
