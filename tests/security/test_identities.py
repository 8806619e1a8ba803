"""The identities of tokens: persons by id, clients by a token of their own, each only while it is valid."""

from __future__ import annotations

import asyncio
import json
import os
import stat
from collections.abc import Iterator
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from mcp import Client
from mcp.shared.exceptions import MCPError

from duly.cli.output import here
from duly.config.settings import Settings, client_file
from duly.errors import AccessDeniedError, ConfigError, InboundRefusedError, NotFoundError
from duly.mcp.server import make_server
from duly.planning.quotas import Quota, Quotas
from duly.ports.channels import ButtonKind
from duly.runtime.identity import Identity
from duly.runtime.links import link_secret, link_to, read_link, rotate_link_secret
from duly.runtime.runtime import Runtime
from duly.server import daemon as server_daemon
from duly.server.exposure import note_exposure, sends_tokens_in_the_clear
from duly.service.access.scopes import ADMIN, Caller, Face
from duly.testing import VirtualClock
from tests.conformance.schedules.harness import DAILY, MCP, SERVICE, ScheduleHarness, make_schedule_harness, scenario
from tests.unit.cli.command_line import NOON, CommandLine, command_line

__all__ = ["command_line"]


@pytest.fixture(params=[("sqlite-inline", MCP), ("postgres", SERVICE)], ids=["sqlite-mcp", "postgres-service"])
def harness(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[ScheduleHarness]:
    store, way = request.param
    with make_schedule_harness(store, way, tmp_path) as made:
        yield made


# persons


@scenario
async def test_a_token_made_for_a_name_is_for_the_person_who_has_it_then(harness: ScheduleHarness) -> None:
    people = harness.reminders.people
    ana = (await people.add("Ana Maria")).user
    for scope in ("user:Ana Maria", f"user:{ana.id}"):
        assert (await harness.tokens.create(Caller(), "t", scope)).record.scope == f"user:{ana.id}"
    assert (await harness.tokens.create(Caller(), "t", "user:Ana Maria:ro")).record.scope == f"user:{ana.id}:ro"
    assert (await harness.tokens.create(Caller(), "t", "user:local")).record.scope == "user:local"
    await people.update(ana.id, name="Ann")
    await people.add("Ana Maria")
    assert all(each.scope.split(":")[1] in (ana.id, "local") for each in (await harness.tokens.page(Caller()))[0])


@scenario
async def test_an_unknown_person_gets_no_token(harness: ScheduleHarness) -> None:
    await harness.reminders.people.add("Ana")
    with pytest.raises(NotFoundError) as refused:
        await harness.tokens.create(Caller(), "t", "user:Anna")
    assert str(refused.value) == (
        "there is no user 'Anna' to make a token for: there are Ana, local; duly user add makes one"
    )
    assert (await harness.tokens.page(Caller()))[0] == []


@scenario
async def test_a_token_made_by_name_sees_its_own_reminders(harness: ScheduleHarness) -> None:
    await harness.as_holder("user:Ana")
    made = await harness.ask("remind", message="drink", delay_minutes=5)
    assert [each["id"] for each in (await harness.ask("schedule_list"))["items"]] == [made["id"]]
    assert (await harness.get(made["id"]))["namespace"] == harness.caller.namespace


@scenario
async def test_removing_a_person_revokes_their_tokens_and_the_next_of_that_name_is_another(
    harness: ScheduleHarness,
) -> None:
    people = harness.reminders.people
    await people.add("Ana")
    secrets = [
        (await harness.tokens.create(Caller(), "t", scope, grants=grants)).secret
        for scope, grants in (("user:Ana", ["prompts:butler"]), ("user:Ana:ro", []), ("user:local", []))
    ]
    caller = await harness.tokens.caller(secrets[0], Face.MCP)
    assert caller is not None
    harness.caller = caller
    made = await harness.create(**DAILY)
    await people.remove("Ana")
    assert [await harness.tokens.caller(each, Face.MCP) is not None for each in secrets] == [False, False, True]
    assert [name for name, _ in await harness.told()].count("token.revoked") == 2
    await people.add("Ana")
    assert await harness.tokens.caller(secrets[0], Face.MCP) is None
    assert await harness.tick(hours=9) == 0
    harness.as_admin()
    (failed,) = await harness.history(made["id"])
    assert "was revoked" in failed["error"]
    await harness.as_holder("user:Ana", "prompts:butler")
    assert await harness.names() == []  # nothing of the one before


@scenario
async def test_a_token_made_while_its_person_is_removed_opens_nothing(harness: ScheduleHarness) -> None:
    ana = (await harness.reminders.people.add("Ana")).user
    made = await harness.tokens.create(Caller(), "t", "user:Ana")
    await harness.store.people.remove(ana.id, harness.now)
    await harness.store.tokens.change(made.record.id, lambda token: replace(token, revoked_at=None))
    assert await harness.tokens.caller(made.secret, Face.MCP) is None


@scenario
async def test_a_person_and_their_tokens_go_in_one_transaction(harness: ScheduleHarness) -> None:
    ana = (await harness.reminders.people.add("Ana")).user
    made = await harness.tokens.create(Caller(), "t", "user:Ana")
    other = await harness.tokens.create(Caller(), "t", "user:local")
    (revoked,) = await harness.store.people.remove(ana.id, harness.now) or []
    assert (revoked.id, revoked.revoked_at) == (made.record.id, harness.now)
    await harness.reminders.people.get("local")
    assert await harness.store.people.remove("local", harness.now) == []  # the local user is always there, with theirs
    assert await harness.tokens.caller(other.secret, Face.MCP) is not None


# clients


def _connected(command_line: CommandLine, *words: str) -> dict[str, Any]:
    told: dict[str, Any] = command_line.read("connect", "opencode", *words)
    return told


def test_a_client_gets_the_least_it_needs(command_line: CommandLine, tmp_path: Path) -> None:
    identity = _connected(command_line)["identity"]
    assert (identity["scope"], identity["grants"]) == ("user:local", [])
    file = client_file(tmp_path, "opencode")
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700
    assert file.read_text(encoding="utf-8").strip() not in json.dumps(_connected(command_line, "--dry-run"))


def test_the_spawners_named_when_connecting_are_granted_and_shown(command_line: CommandLine) -> None:
    command_line.configure('[projects.blog]\npath = "."\n')
    said = command_line.say("connect", "opencode", "--spawner", "claude", "--spawner", "codex", "--project", "blog")
    first, second, *_ = said.splitlines()
    (token,) = command_line.read("token", "list")["items"]
    assert first == (
        f"identity {token['id']} · user:local · prompts:claude · prompts:codex · projects:blog: schedules and "
        "reminders of local; prompts with claude, codex"
    )
    assert second == f"to end it: duly token revoke {token['id']}"
    assert token["grants"] == ["projects:blog", "prompts:claude", "prompts:codex"]
    assert "unknown spawner 'cluade'" in command_line.fail("connect", "opencode", "--spawner", "cluade", code=2)


def test_connecting_again_replaces_the_identity(command_line: CommandLine, tmp_path: Path) -> None:
    file = client_file(tmp_path, "opencode")
    first, secret = _connected(command_line, "--spawner", "claude")["identity"], file.read_text(encoding="utf-8")
    second = _connected(command_line, "--admin")["identity"]
    assert (second["id"], second["scope"], second["grants"]) == (first["id"], "admin", [])
    assert file.read_text(encoding="utf-8") != secret
    command_line.say("token", "revoke", first["id"])
    assert _connected(command_line)["identity"]["id"] != first["id"]
    assert sorted(each["state"] for each in command_line.read("token", "list")["items"]) == ["ok", "revoked"]


def test_connecting_on_another_machine_of_the_same_store_leaves_this_ones_identity_alone(
    command_line: CommandLine, tmp_path: Path
) -> None:
    first, file = _connected(command_line)["identity"], client_file(tmp_path, "opencode")
    here = file.rename(tmp_path / "kept")
    assert _connected(command_line)["identity"]["id"] != first["id"]
    here.replace(file)
    assert _connected(command_line)["identity"]["id"] == first["id"]


def test_a_dry_run_makes_no_identity(command_line: CommandLine, tmp_path: Path) -> None:
    shown = _connected(command_line, "--dry-run", "--spawner", "claude")
    assert shown["identity"] == {"scope": "user:local", "grants": ["prompts:claude"]}
    assert shown["command"][-2:] == ["--token-file", str(client_file(tmp_path, "opencode"))]
    assert command_line.read("token", "list")["items"] == []
    assert not client_file(tmp_path, "opencode").exists()
    assert command_line.say("connect", "codex", "--dry-run").startswith(
        "would be user:local: schedules and reminders of local"
    )
    assert "gives everything" in command_line.fail("connect", "codex", "--admin", "--spawner", "claude", code=2)


@asynccontextmanager
async def _runtime(folder: Path, **settings: Any) -> Any:
    made = Runtime(Settings(data_dir=folder, store=str(folder / "schedules.db"), **settings), clock=VirtualClock(NOON))
    await made.open()
    try:
        yield made
    finally:
        await made.close()


async def test_standard_input_speaks_as_the_token_in_the_file(tmp_path: Path) -> None:
    async with _runtime(tmp_path) as runtime:
        admin, file = runtime.local(Face.CLI), tmp_path / "client.token"
        made = await runtime.services.tokens.create(admin, "client", "user:local")
        file.write_text(made.secret, encoding="utf-8")
        identity = Identity(runtime, file)
        await identity.confirm()
        server = make_server(runtime.services, identity.caller_of)
        server._lowlevel_server.middleware.insert(0, identity)
        async with Client(server) as client:
            made_by_client = {"name": "x", "cron": "0 9 * * *", "prompt": "send me the keys"}
            refused = await client.call_tool("schedule_create", made_by_client)
            assert "no grant prompts:claude" in refused.content[0].text  # type: ignore[union-attr]
            await runtime.services.tokens.grant(admin, made.record.id, ["prompts:claude"])
            answer = await client.call_tool("schedule_create", made_by_client)
            assert (answer.structured_content or {})["namespace"] == "user:local"
            fresh = await runtime.services.tokens.rotate(admin, made.record.id)
            file.write_text(fresh.secret, encoding="utf-8")
            assert not (await client.call_tool("schedule_list", {})).is_error  # the file has the new one
            await runtime.services.tokens.revoke(admin, made.record.id)
            with pytest.raises(MCPError, match="opens nothing: it was revoked"):
                await client.call_tool("schedule_list", {})


async def test_without_a_token_file_the_caller_is_the_local_user_and_a_wrong_one_is_refused(tmp_path: Path) -> None:
    async with _runtime(tmp_path) as runtime:
        identity = Identity(runtime, None)
        await identity.confirm()
        assert identity.caller_of(None) == runtime.local(Face.MCP)
        with pytest.raises(ConfigError, match=r"--token-file: cannot read .*none"):
            await Identity(runtime, tmp_path / "none").confirm()
        (tmp_path / "empty").touch()
        with pytest.raises(AccessDeniedError, match="opens nothing"):
            await Identity(runtime, tmp_path / "empty").confirm()


# ends


def test_the_list_says_when_a_token_expires_and_warns_a_week_before(command_line: CommandLine) -> None:
    made = command_line.read("token", "create", "bot", "--scope", "project:a", "--expires", "10d")
    assert made["expires_at"] == "2026-11-26T12:00:00Z"
    assert "warning" not in command_line.say("token", "list")
    command_line.clock.advance(timedelta(days=3))
    assert command_line.say("token", "list").splitlines()[-1] == (
        f"warning: bot expires at {here(datetime(2026, 11, 26, 12, tzinfo=UTC))}, and what it scheduled stops then: "
        f"duly token rotate {made['id']} --expires 90d"
    )
    assert command_line.read("token", "list")["items"][0]["state"] == "expires soon"
    command_line.clock.advance(timedelta(days=7))
    assert command_line.read("token", "list")["items"][0]["state"] == "expired"
    assert "it has expired; give it a new end" in command_line.fail("token", "rotate", made["id"], code=2)
    said = command_line.say("token", "rotate", made["id"], "--expires", "90d", "--grace", "1h")
    assert f"the old secret opens until {here(datetime(2026, 11, 26, 13, tzinfo=UTC))}" in said
    assert command_line.read("token", "list")["items"][0]["state"] == "ok"
    assert "must expire in the future" in command_line.fail(
        "token", "create", "x", "--scope", "admin", "--expires", "0s", code=2
    )


def test_grants_on_the_command_line(command_line: CommandLine) -> None:
    made = command_line.read("token", "create", "bot", "--scope", "user:local", "--grant", "prompts:claude")
    assert made["grants"] == ["prompts:claude"]
    said = command_line.say("token", "grant", made["id"], "prompts:codex", "prompts:*")
    assert said == f"✓ {made['id']} · user:local · prompts:* · prompts:claude · prompts:codex\n"
    assert command_line.read("token", "ungrant", made["id"], "prompts:*")["grants"] == [
        "prompts:claude",
        "prompts:codex",
    ]
    assert "prompts:claude prompts:codex" in command_line.say("token", "list")
    assert "names no spawner: the default is claude" in command_line.fail(
        "token", "create", "x", "--scope", "user:local", "--grant", "prompts:default", code=2
    )
    assert "unknown gate 'drafts'" in command_line.fail("token", "grant", made["id"], "gates:drafts", code=2)
    assert "duly token grant ID GRANT" in command_line.fail("token", "grant", made["id"], code=2)


def test_an_admin_takes_over_on_the_command_line(command_line: CommandLine) -> None:
    made = command_line.read("token", "create", "bot", "--scope", "project:a")
    assert command_line.say("schedule", "reown", "--token", made["id"]) == "no schedules of this token\n"
    command_line.say("schedule", "create", "x", "--cron", "0 9 * * *", "--prompt", "go")
    (would,) = command_line.read("schedule", "reown", "x", "--dry-run")["schedules"]
    assert (would["name"], would["made_by"]) == ("x", None)
    assert command_line.say("schedule", "reown", "x").startswith("✓ x is yours now")
    assert "one of the two" in command_line.fail("schedule", "reown", code=2)


async def test_links_of_before_end_at_once_or_after_the_grace_that_was_given(tmp_path: Path) -> None:
    async with _runtime(tmp_path, public_url="https://duly.example.org") as runtime:
        make = link_to(runtime)

        def signed() -> str:
            return str(make("done:AAAAAAAAAAAA", ButtonKind.DONE)).rpartition("/")[2]

        first = signed()
        assert read_link(runtime, first) == ("done:AAAAAAAAAAAA", ButtonKind.DONE)
        assert rotate_link_secret(runtime, timedelta(0)) is None
        with pytest.raises(InboundRefusedError, match="not one of ours"):
            read_link(runtime, first)
        second = signed()  # a daemon that runs signs with the new secret at once
        assert rotate_link_secret(runtime, timedelta(days=1)) == NOON + timedelta(days=1)
        assert read_link(runtime, second) == read_link(runtime, signed())
        runtime.clock.advance(timedelta(days=1))
        with pytest.raises(InboundRefusedError, match="not one of ours"):
            read_link(runtime, second)
        assert read_link(runtime, signed())
        file = tmp_path / "link.secret"
        assert stat.S_IMODE(file.stat().st_mode) == 0o600
        assert len(link_secret(runtime)) == 43


def test_links_are_rotated_on_the_command_line(command_line: CommandLine) -> None:
    assert command_line.say("token", "rotate-links").endswith("those that were sent before open nothing any more\n")
    assert command_line.read("token", "rotate-links", "--grace", "8d") == {"old_links_until": "2026-11-24T12:00:00Z"}


# doors


def _settings(folder: Path, **more: Any) -> Settings:
    return Settings(data_dir=folder, store=str(folder / "schedules.db"), port=0, **more)


@pytest.mark.parametrize(
    ("more", "told"),
    [
        ({"public_url": "https://duly.example.org"}, "public_url: .* everyone would be its admin"),
        ({"public_url": "http://192.0.2.7:8765"}, "public_url: .* everyone would be its admin"),
        ({"host": "0.0.0.0"}, "server.host: .* without tokens only loopback"),  # noqa: S104  it is refused
    ],
)
async def test_no_auth_is_refused_where_others_can_reach_the_daemon(
    tmp_path: Path, more: dict[str, str], told: str
) -> None:
    with pytest.raises(ConfigError, match=told):
        await server_daemon.serve(_settings(tmp_path, **more), auth=False, say=print)


@pytest.mark.parametrize(
    ("more", "warns"),
    [
        ({}, False),
        ({"host": "::1"}, False),
        ({"host": "0.0.0.0"}, True),  # noqa: S104  it is warned of
        ({"host": "0.0.0.0", "public_url": "https://duly.example.org"}, False),  # noqa: S104  a proxy is in front
        ({"public_url": "https://duly.example.org"}, False),
        ({"public_url": "http://duly.example.org"}, True),
        ({"public_url": "http://127.0.0.1:8765"}, False),
    ],
)
def test_tokens_over_plain_http_beyond_loopback_are_warned_of(
    tmp_path: Path, more: dict[str, str], warns: bool
) -> None:
    told = sends_tokens_in_the_clear(_settings(tmp_path, **more))
    assert (told is not None and "travel unencrypted" in told) == warns


async def test_the_warning_is_in_the_health_of_the_daemon(tmp_path: Path) -> None:
    async with _runtime(tmp_path, host="0.0.0.0") as runtime:  # noqa: S104  nothing listens
        note_exposure(runtime, auth=True)
        _ = runtime.engine
        health = await runtime.health()
        assert [each for each in health.reasons if "travel unencrypted" in each] == runtime.notes
        assert len(runtime.notes) == 1


@pytest.mark.parametrize(
    ("uid", "spawners", "warns"),
    [
        (0, {"local": {"preset": "claude"}}, True),
        (0, {"local": {"preset": "claude", "run_as": "agent"}}, False),
        (0, {"hook": {"kind": "webhook", "url": "https://example.org"}}, False),
        (0, {}, False),
        (1000, {"local": {"preset": "claude"}}, False),
    ],
)
async def test_a_daemon_that_runs_agents_as_root_warns_once_with_the_cure(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    uid: int,
    spawners: dict[str, dict[str, str]],
    warns: bool,
) -> None:
    async with _runtime(tmp_path, spawners=spawners) as runtime:
        with monkeypatch.context() as patched:
            patched.setattr(os, "geteuid", lambda: uid)
            note_exposure(runtime, auth=False)
        health = await runtime.health()
    logged = [each.getMessage() for each in caplog.records if "run as root" in each.getMessage()]
    assert [each for each in health.reasons if "run as root" in each] == logged
    assert len(logged) == warns
    assert all("set run_as" in each and "spawners.local" in each for each in logged)


async def test_the_journal_says_which_change_of_a_token_was_made(tmp_path: Path) -> None:
    async with _runtime(tmp_path) as runtime:
        admin = Caller(ADMIN)
        made = await runtime.services.tokens.create(admin, "t", "project:blog")
        await runtime.services.tokens.rotate(admin, made.record.id)
        await runtime.services.tokens.grant(admin, made.record.id, ["prompts:claude"])
        await runtime.services.tokens.rotate(admin, made.record.id, scope="project:shop", expires_in=timedelta(days=1))
        changes, _ = await runtime.services.journal.page(admin, kinds=["token.changed"])
        audited, _ = await runtime.services.audit.entries(admin, kinds=["token.changed"])
    told = ["secret", "grants", "secret, scope, expires_at"]
    assert [each.data["changed"] for each in changes] == told
    assert [each.data["changed"] for each in audited] == told


async def test_a_token_for_an_unknown_project_is_made_with_a_warning(tmp_path: Path) -> None:
    async with _runtime(tmp_path, projects={"blog": tmp_path}) as runtime:
        known = await runtime.services.tokens.create(Caller(ADMIN), "t", "project:blog")
        unknown = await runtime.services.tokens.create(Caller(ADMIN), "t", "project:blgo:ro")
    assert known.warning is None
    assert unknown.warning is not None
    assert "there is no project 'blgo' in duly.toml" in unknown.warning
    assert "configured are blog" in unknown.warning


async def test_quotas_of_unknown_owners_are_warned_of_once(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    names = ("user:ana", "user:anna", "project:blog", "project:blgo")
    quotas = Quotas(owners=dict.fromkeys(names, Quota()))
    async with _runtime(tmp_path, projects={"blog": tmp_path}, quotas=quotas) as runtime:
        await runtime.services.reminder_service.people.add("ana")
        await runtime.prepare()
        await runtime.services.quotas.warn_of_unknown_owners(runtime.settings.projects)
    assert [each.getMessage() for each in caplog.records if "limits no one" in each.getMessage()] == [
        "[quotas.\"project:blgo\"] limits no one: there is no project called 'blgo'; name it as in [projects]",
        "[quotas.\"user:anna\"] limits no one: there is no user called 'anna'; duly user list shows the names",
    ]


@pytest.mark.parametrize("name", ["", " "])
def test_an_empty_name_of_a_token_file_is_refused(
    command_line: CommandLine, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "--token-file: is empty" in command_line.fail("mcp", "--token-file", name, code=2)
    monkeypatch.setenv("DULY_TOKEN_FILE", name)
    assert "DULY_TOKEN_FILE: is empty" in command_line.fail("mcp", code=2)


def test_a_pipe_is_no_token_file(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    identity = Identity(Runtime(Settings(data_dir=tmp_path, store=str(tmp_path / "duly.db"))), tmp_path / "pipe")
    with pytest.raises(ConfigError, match="is not a file"):
        asyncio.run(identity.confirm())


def test_an_agent_that_refuses_leaves_the_identity_as_it_was(
    command_line: CommandLine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    claude = tmp_path / "bin" / "claude"
    claude.parent.mkdir()
    claude.write_text("#!/bin/sh\necho no >&2\nexit 1\n", encoding="utf-8")
    claude.chmod(0o755)
    monkeypatch.setenv("PATH", f"{claude.parent}:{os.environ['PATH']}")
    assert "claude refused: no" in command_line.fail("connect", "claude", code=1)
    assert command_line.read("token", "list")["items"] == []
