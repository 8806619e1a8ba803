"""Runs and Run: the list whose address is the query, one run with its output, and what may be done with it."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest

from duly.agents import profile_from
from duly.ports.records import RunFilter
from duly.ports.run_history import KeptOutput, LineKind, OutputPiece, write_line
from duly.service.access.scopes import Face
from tests.integration.web.browsing import HOSTILE, Browser, actions, browsing, schedule, text_of
from tests.world import START, World, until

LIMIT = 1_000_000


async def ran(here: World, schedule_id: str) -> str:
    """Run a schedule now; here it fails, because no agent is installed. Give the id of the run."""
    await here.runtime.services.use_cases.schedule_trigger(here.runtime.local(Face.GUI), schedule_id)
    await here.clock.travel(seconds=1)

    async def over() -> str | None:
        runs = await here.runtime.store.runs(RunFilter(schedule_id=schedule_id))
        return runs[0].id if all(run.finished_at for run in runs) else None

    return str(await until(over, "the end of the run"))


async def print_lines(here: World, run_id: str, texts: list[tuple[LineKind, str]], target: str = "") -> int:
    """Let a run have printed lines; give how many bytes they are."""
    written = [
        write_line(START + timedelta(seconds=number % 60), kind, text) for number, (kind, text) in enumerate(texts)
    ]
    total = 0
    batch: list[str] = []
    pieces: list[OutputPiece] = []
    for line in [*written, ""]:
        if batch and (not line or sum(map(len, batch)) + len(line) > 30_000):
            text = "".join(batch)
            size = len(text.encode())
            pieces.append(OutputPiece(start=total, size=size, text=text))
            total += size
            batch = []
        batch.append(line)
    kept = KeptOutput(
        run_id=run_id, attempt=1, target=target, total=total, lines=len(texts), complete=True, kept_limit=10 * LIMIT
    )
    await here.runtime.store.history.append([(kept, piece) for piece in pieces])
    return total


async def test_a_run_says_how_it_ended_and_why(tmp_path: Path) -> None:
    async with browsing(tmp_path) as browser:
        found = await schedule(browser.here)
        run = await ran(browser.here, found)
        page = await browser.get(f"/runs/{run}")
        said = text_of(page)
        assert "review, today 13:00 Failed" in said
        assert "by hand" in said
        assert 'class="life"' in page
        assert f"/runs/{run}/again" in actions(page)
        assert f"/runs/{run}/stop" not in actions(page)
        again = await browser.pressed(f"/runs/{run}/again")
        assert "review" in text_of(again)
        assert len(await browser.here.runtime.store.runs(RunFilter(schedule_id=found))) == 2


async def test_a_run_says_what_it_waits_for_in_local_time(tmp_path: Path) -> None:
    async with browsing(tmp_path) as browser:
        here = browser.here
        says = ["sh", "-c", "echo come back in 2 hours >&2; exit 1"]
        words = [{"match": "come back in (.*)", "reset": "length"}]
        sated = profile_from("default", {"new": says, "limit_patterns": words}, {})
        here.runtime.capabilities.rules._profiles["default"] = sated
        found = await schedule(here)
        run = (await here.runtime.services.use_cases.schedule_trigger(here.runtime.local(Face.GUI), found)).id
        await here.clock.travel(seconds=1)

        async def waits() -> bool:
            seen = await here.runtime.store.get_run(run)
            return seen is not None and (seen.reason or "").startswith("waits for")

        await until(waits, "the run to wait")
        said = text_of(await browser.get(f"/runs/{run}"))
        assert "Waits for sh's limit until 15:0" in said  # 13:00 here, and two hours
        assert "waits for sh's limit until 15:0" in text_of(await browser.get("/runs"))
        assert "review waits for its agent" in text_of(await browser.get("/"))


async def test_output_is_shown_saved_and_given_in_parts(tmp_path: Path) -> None:
    async with browsing(tmp_path) as browser:
        run = await ran(browser.here, await schedule(browser.here))
        await print_lines(
            browser.here,
            run,
            [
                (LineKind.NOTE, "claude, sonnet"),
                (LineKind.COMMAND, "gh issue view 482"),
                (LineKind.WARNING, "rate limit"),
                (LineKind.TEXT, f"\x1b[31mred\x1b[0m {HOSTILE}"),
            ],
        )
        page = await browser.get(f"/runs/{run}")
        assert '<div class="ll k-command"><time>13:00:01</time><span>$ gh issue view 482</span></div>' in page
        assert '<div class="ll k-warning">' in page
        assert "<img" not in page
        assert "\x1b" not in page
        saved = await browser.http.get(f"/runs/{run}/output.txt")
        assert saved.headers["content-type"].startswith("text/plain")
        assert "attachment" in saved.headers["content-disposition"]
        assert "gh issue view 482" in saved.text
        part = (await browser.http.get(f"/ui/runs/{run}/output?attempt=1&offset=0")).json()
        assert [line[1] for line in part["lines"]] == ["note", "command", "warning", "text"]
        assert part["complete"]
        assert (await browser.http.get(f"/ui/runs/{run}/output?attempt=9")).status_code == 404


async def test_a_page_brings_the_end_of_a_long_output_and_the_rest_comes_in_parts(tmp_path: Path) -> None:
    async with browsing(tmp_path) as browser:
        run = await ran(browser.here, await schedule(browser.here))
        number = 20_000
        total = await print_lines(browser.here, run, [(LineKind.TEXT, f"line {each}") for each in range(number)])
        page = await browser.get(f"/runs/{run}")
        assert f"line {number - 1}</span>" in page
        assert page.count('class="ll ') < 2000
        assert len(page) < 300_000
        seen = 0
        offset = 0
        while offset < total:
            part = (await browser.http.get(f"/ui/runs/{run}/output?attempt=1&offset={offset}")).json()
            seen += len(part["lines"])
            offset = part["next"]
        assert seen == number


async def test_a_skipped_run_says_why_and_which_rule_decided(tmp_path: Path) -> None:
    async with browsing(tmp_path) as browser:
        found = await schedule(browser.here)
        await browser.pressed(f"/schedules/{found}/skip")
        [run] = await browser.here.runtime.store.runs(RunFilter(schedule_id=found))
        said = text_of(await browser.get(f"/runs/{run.id}"))
        assert "It was skipped." in said
        assert "The rule that decided" in said


async def test_a_reminder_shows_its_sends_and_answers(tmp_path: Path) -> None:
    async with browsing(tmp_path) as browser:
        made = await browser.here.remind("local", HOSTILE, require_ack=True, ack_prompt=HOSTILE)
        await browser.here.clock.travel(minutes=6)
        [run] = await browser.here.runtime.store.runs(RunFilter(schedule_id=made.id))
        page = await browser.get(f"/runs/{run.id}")
        assert "inbox" in text_of(page)
        assert "<img" not in page


@pytest.mark.parametrize(
    ("query", "is_there"),
    [
        ("status=failed", True),
        ("status=succeeded", False),
        ("q=review", True),
        ("q=nothing-like-it", False),
        ("span=1h&kind=agent&origin=manual", True),
        ("origin=backfill", False),
        ("status=%3Cimg%3E&span=ever", True),
        ("since=2026-11-17T00:00:00Z", False),
    ],
)
async def test_the_address_of_the_list_is_the_query(tmp_path: Path, query: str, is_there: bool) -> None:
    async with browsing(tmp_path) as browser:
        assert "Nothing has run yet" in await browser.get("/runs")
        run = await ran(browser.here, await schedule(browser.here))
        page = await browser.get(f"/runs?{query}")
        assert (f'href="/runs/{run}"' in page) == is_there
        assert ("No run was like that." in page) != is_there


async def test_many_are_run_again(tmp_path: Path) -> None:
    async with browsing(tmp_path) as browser:
        runs = [await ran(browser.here, await schedule(browser.here, f"s{number}")) for number in range(2)]
        page = await browser.pressed("/runs/bulk", action="again", id=runs)
        assert "of 2 started again" in text_of(page)


@pytest.mark.parametrize("scope", ["project:blog", "project:blog:ro", "admin:ro"])
async def test_a_token_sees_its_part_and_no_button_that_would_be_refused(tmp_path: Path, scope: str) -> None:
    async with browsing(tmp_path, scope) as browser:
        own = await ran(browser.here, await schedule(browser.here, "own", targets=["blog"]))
        shared = await ran(browser.here, await schedule(browser.here, "shared", targets=["blog", "shop"]))
        foreign = await ran(browser.here, await schedule(browser.here, "foreign", targets=["shop"]))
        await print_lines(browser.here, shared, [(LineKind.TEXT, "secret of shop")], "shop")
        page = await browser.get("/runs")
        assert own in page
        assert shared in page
        if scope.startswith("project"):
            assert foreign not in page
            await browser.get(f"/runs/{foreign}", 404)
            hidden = await browser.get(f"/runs/{shared}")
            assert "are hidden" in hidden
            assert "secret of shop" not in hidden
            assert (await browser.http.get(f"/ui/runs/{shared}/output?target=shop")).status_code == 404
        for run in (own, shared):
            await _check_buttons(browser, run)


async def _check_buttons(browser: Browser, run: str) -> None:
    for action in actions(await browser.get(f"/runs/{run}")):
        if action.startswith("/runs/"):
            answer = await browser.post(action)
            assert answer.status_code == 303
            assert 'class="toast bad"' not in (await browser.http.get(answer.headers["location"])).text


async def test_a_reminder_that_waits_for_its_answer_says_so_in_every_list(tmp_path: Path) -> None:
    async with browsing(tmp_path) as browser:
        reminders = browser.here.runtime.services.reminder_service
        await reminders.create("local", {"type": "once", "at": "1m"}, "Call the vet", require_ack=True)
        await browser.here.clock.travel(seconds=90)
        page = await browser.get("/runs")
        assert "awaiting answer" in text_of(page)
        assert "Waiting 1" in text_of(page)
        assert '<g class="m wait">' not in page.partition("<tbody")[2]
        page = await browser.get("/schedules?state=awaiting")
        assert "Awaiting answer" in text_of(page.partition("<tbody")[2])
        assert "Finished" not in text_of(page.partition("<tbody")[2])
        assert not [each for each in actions(page) if each.endswith("/resume")]
