"""What people met on pages: each of these misled or led nowhere once."""

from __future__ import annotations

import html
import re
from datetime import UTC, datetime
from pathlib import Path

from duly.service.access.scopes import Face
from duly.service.schedules.run_views import RunView, TargetRunView
from duly.web.run_words import plain_text, said_of
from tests.integration.web.browsing import browsing, text_of
from tests.web.scene import scene
from tests.web.test_sign_in import HTML


def _run(result: object, *targets: TargetRunView) -> RunView:
    at = datetime(2027, 3, 26, 13, 30, tzinfo=UTC)
    return RunView(
        id="run_1", schedule_id="sched_1", name="triage", status="succeeded", trigger_source="schedule",
        origin="schedule", fire_at=at, due_at=at, result=result, targets=list(targets),
    )  # fmt: skip


def test_what_agents_said_is_their_words_whatever_the_number_of_targets() -> None:
    one = {"targets": [{"project_id": "shop", "status": "succeeded", "text": "Triaged 3 issues: two bugs.\nMore"}]}
    assert said_of(_run(one)) == "Triaged 3 issues: two bugs."
    two = {"targets": [*one["targets"], {"project_id": "blog", "status": "succeeded", "text": "Nothing new"}]}
    assert plain_text(two) == "shop: Triaged 3 issues: two bugs.\nMore\n\nblog: Nothing new"
    assert said_of(_run(one, TargetRunView(status="succeeded", text="From the target"))) == "From the target"
    assert said_of(_run({"rows": 3})) == '{"rows": 3}'  # the value of a job
    assert said_of(_run({"status": "unacked", "channel": "inbox", "run_number": 3})) == "not answered"


async def test_a_missed_run_says_its_times_on_the_clocks_of_the_viewer(tmp_path: Path) -> None:
    async with scene(tmp_path, others=0) as here:
        await here.runtime.stop_engine()
        here.clock.advance(3600)
        await here.runtime.start_engine()
        await here.clock.travel(seconds=5)
        found = await here.runtime.store.find("default", "health-ping")
        assert found is not None
        local = here.runtime.local(Face.CLI)
        runs = (await here.runtime.services.schedules.schedule_history(local, found.id, limit=5))[0]
        missed = next(each for each in runs if each.status == "missed")
        page = (await here.http.get(f"/runs/{missed.id}", headers=HTML)).text
        why = page[page.index('id="lead"') :].partition("</section>")[0]
        assert "It stands for" in text_of(why)
        assert "the first today 14:35" in text_of(why)
        assert "UTC" not in why


async def test_load_shows_a_day_that_is_to_come_and_pause_of_a_project_pauses_the_project(tmp_path: Path) -> None:
    async with scene(tmp_path, others=0) as here:
        page = text_of((await here.http.get("/load", headers=HTML)).text)
        assert "on Saturday 27 March in all" in page  # it is 14:32 on Friday: most of that day's fires are over
        today = text_of((await here.http.get("/load?day=2027-03-26", headers=HTML)).text)
        assert "are still to come on Friday 26 March" in today

        fields = {"name": "shop-backup", "cron": "0 1 * * *", "job_name": "ping"}
        await here.runtime.services.use_cases.schedule_create(here.runtime.local(Face.CLI), fields)
        found = text_of((await here.http.get("/ui/palette?q=pause shop", headers=HTML)).text)
        assert 0 <= found.index("Pause project shop: 3 schedules") < found.index("Pause: shop-backup")
        csrf = re.search(r'name="csrf" content="([^"]+)"', (await here.http.get("/settings", headers=HTML)).text)
        assert csrf is not None
        pressed = {"csrf": html.unescape(csrf[1]), "project": "shop"}
        assert (await here.http.post("/ui/pause-project", data=pressed)).status_code == 303
        rows = (await here.runtime.services.schedules.schedule_list(here.runtime.local(Face.CLI), limit=50))[0]
        assert {row.name for row in rows if not row.enabled} == {
            "issue-triage", "daily-review", "dependency-watch", "link-check",
        }  # fmt: skip


async def test_a_person_does_not_read_what_is_the_operators(tmp_path: Path) -> None:
    async with browsing(tmp_path, "user:ana") as browser:
        note = "agents of spawners.careful run as root: a prompt may do everything on this machine"
        browser.here.runtime.notes.append(note)
        assert note[:60] not in await browser.get("/inbox")
        local = browser.here.runtime.local(Face.CLI)
        assert note in (await browser.here.runtime.services.schedules.health(local)).reasons


async def test_pairing_shows_that_the_chat_came(tmp_path: Path) -> None:
    telegram = {"token": "env:T", "base_url": "http://127.0.0.1:9"}
    async with browsing(tmp_path, channels={"telegram": telegram}, environment={"T": "1:a"}) as browser:
        here = browser.here
        ana = await here.person("Ana")
        page = (await browser.post(f"/people/{ana}/pair", channel="telegram")).text
        [source] = re.findall(r'id="pairing"[^>]* data-topics="config beat" data-src="([^"]+)"', page)
        address = html.unescape(source)
        code = re.search(r"[0-9A-Z]{4}-[0-9A-Z]{4}", page)
        assert code is not None
        waiting = await here.http.get(address, headers=HTML)
        assert 'id="pairing"' not in waiting.text
        assert await here.runtime.services.reminder_service.people.pair("telegram", "4711", code[0]) is not None
        assert "Paired. Telegram 4711 reaches Ana now." in text_of((await here.http.get(address, headers=HTML)).text)
        again = (await browser.post(f"/people/{ana}/pair", channel="telegram")).text
        [source] = re.findall(r'id="pairing"[^>]* data-src="([^"]+)"', again)
        await here.clock.travel(minutes=31)
        ended = text_of((await here.http.get(html.unescape(source), headers=HTML)).text)
        assert "The code has ended." in ended


async def test_a_failed_run_leads_with_why_and_a_job_with_its_traceback(tmp_path: Path) -> None:
    async with scene(tmp_path, others=0) as here:
        local = here.runtime.local(Face.CLI)
        text = f"no such article: 4711, token duly_{'x' * 43}"
        fields = {"name": "stock", "cron": "0 3 * * *", "job_name": "fail", "job_args": {"text": text}}
        made = await here.runtime.services.use_cases.schedule_create(local, fields)
        run = await here.runtime.services.use_cases.schedule_trigger(local, made.id)
        await here.clock.travel(seconds=5)
        page = (await here.http.get(f"/runs/{run.id}", headers=HTML)).text
        lead = page[page.index('id="lead"') : page.index('id="life"')]
        order = [
            text_of(lead).index(each)
            for each in ("Failed, today 14:32.", "RuntimeError: no such", "Traceback", "in fail")
        ]
        assert order == sorted(order)
        assert "tests/web/scene.py" in lead
        assert "duly_xxx" not in page
        assert "It printed nothing" not in page
        assert 'id="result"' not in page
        seen = await here.runtime.services.runs.get(local, run.id)
        assert seen.traceback is not None
        assert len(seen.traceback) <= 4000

        old = await here.runtime.store.find("default", "dependency-watch")
        assert old is not None
        [failed] = (await here.runtime.services.schedules.schedule_history(local, old.id, limit=1))[0]
        page = (await here.http.get(f"/runs/{failed.id}", headers=HTML)).text
        lead = text_of(page[page.index('id="lead"') : page.index('id="life"')])
        assert re.search(r"Failed after 3 attempts, today 12:0\d\. Before that it went well \d+ times\.", lead)
        assert "opencode: 401 Unauthorized" in lead
        assert 'id="output"' not in page  # it printed nothing: there is no empty box


async def test_the_run_of_a_reminder_shows_its_message_and_takes_its_answer(tmp_path: Path) -> None:
    async with browsing(tmp_path) as browser:
        here = browser.here
        made = await here.remind("local", "Take the tablet", require_ack=True, max_ack_reminders=1)
        await here.clock.travel(minutes=6)
        run = (await here.latest(made)).run_id
        page = await browser.get(f"/runs/{run}")
        lead = text_of(page[page.index('id="lead"') :])
        assert lead.index("Take the tablet") < lead.index("It waits for an answer.") < lead.index("Done")
        assert "Awaiting answer" in text_of(page[page.index('id="title"') :].partition("</h1>")[0])
        assert "Stop this run" not in page
        assert '"/ui/answer"' in page
        await browser.pressed("/ui/answer", run_id=run, response="done")
        page = await browser.get(f"/runs/{run}")
        assert "Done, today 13:0" in text_of(page[page.index('id="lead"') :])
        assert '"/ui/answer"' not in page
