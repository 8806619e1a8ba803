"""`duly remind`, `reminders`, `inbox`, `ack`, `snooze`, `dismiss`: their output and exit codes."""

from __future__ import annotations

import json
import re

import pytest

from tests.unit.cli.command_line import CommandLine, command_line

__all__ = ["command_line"]

_ID = r"sched_[0-9a-f]{32}"
_HINT = "  warning: nothing runs here at the moment: start it with duly up\n"


def without_id(said: str) -> str:
    """What was said, up to the id, which is different each time."""
    assert said.endswith(_HINT)
    line, found = re.subn(rf" · {_ID}\n$", "", said.removesuffix(_HINT))
    assert found == 1
    return line


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (
            ["take medicine", "in", "5m", "--ack"],
            "✓ take medicine: once, today 13:05:00 Europe/Berlin, in 5 minutes · needs your answer",
        ),
        (
            ["vitamins", "every", "morning", "at", "8"],
            (
                "✓ vitamins: every day at 08:00 Europe/Berlin"
                " · next: Tue 17 Nov 08:00, Wed 18 Nov 08:00, Thu 19 Nov 08:00"
            ),
        ),
        (
            ["vitamins", "jeden", "Morgen", "um", "8"],
            ("✓ Ich erinnere dich jeden Tag um 08:00 Uhr, das nächste Mal morgen um 08:00 (Europe/Berlin): vitamins"),
        ),
        (["call", "tomorrow at 9"], "✓ call: once, tomorrow 09:00:00 Europe/Berlin, in 20 hours"),
        (
            ["call", "on Friday at 9:30"],
            "✓ call: once, Fri 20 Nov 2026 09:30:00 Europe/Berlin, in 3 days 21 hours",
        ),
        (
            ["up", "workdays at 8, weekends at 10"],
            (
                "✓ up: on weekdays at 08:00; on weekends at 10:00 Europe/Berlin"
                " · next: Tue 17 Nov 08:00, Wed 18 Nov 08:00, Thu 19 Nov 08:00"
            ),
        ),
        (
            ["popij lijek", "za 5 minuta", "--ask", "Jesi li?"],
            ("✓ Podsjetit ću te danas u 13:05 (Europe/Berlin): „popij lijek“ · Pitat ću opet dok ne odgovoriš."),
        ),
        (["call mom tomorrow at 9am"], "✓ call mom: once, tomorrow 09:00:00 Europe/Berlin, in 20 hours"),
        (
            ["подсети ме сутра у 9 да платим рачун"],
            "✓ Подсетићу те сутра у 09:00 (Europe/Berlin): „платим рачун“",
        ),
        (
            ["подсети ме сваки дан у 9 да платим рачун", "--ack"],
            (
                "✓ Подсетићу те сваког дана у 09:00, следећи пут сутра у 09:00 (Europe/Berlin): „платим рачун“"
                " · Питаћу опет док не одговориш."
            ),
        ),
    ],
)
def test_the_answer_shows_words_zone_and_moments(command_line: CommandLine, words: list[str], said: str) -> None:
    assert without_id(command_line.say("remind", *words)) == said


def test_the_answer_is_in_the_persons_language(command_line: CommandLine) -> None:
    command_line.say("user", "add", "Ana", "--language", "de", "--timezone", "Asia/Tokyo")
    said = without_id(command_line.say("remind", "m", "every day at 8", "--user", "Ana"))
    assert said.startswith("✓ Ich erinnere dich jeden Tag um 08:00 Uhr, das nächste Mal")
    assert "jeden Tag um 08:00 Uhr" in command_line.say("reminders", "--user", "Ana")


def test_json_has_every_field_of_a_reminder(command_line: CommandLine) -> None:
    made = command_line.read("remind", "take medicine", "in 5m", "--ack", "--priority", "high", "--channel", "inbox")
    assert made["name"] == "take-medicine"
    assert (made["schedule_type"], made["run_at"]) == ("once", "2026-11-16T12:05:00Z")
    assert (made["priority"], made["require_ack"], made["channel"]) == ("high", True, "inbox")
    assert (made["created_via"], made["original_text"]) == ("cli", "take medicine in 5m")
    assert made["next_runs"] == ["2026-11-16T12:05:00Z"]
    assert command_line.read("remind", "take medicine", "in 6m")["name"] == "take-medicine-2"
    assert [each["name"] for each in command_line.read("reminders")["items"]] == ["take-medicine", "take-medicine-2"]
    assert command_line.read("reminders", "get", "take-medicine")["id"] == made["id"]


def test_another_time_leaves_the_persons_sentence(command_line: CommandLine) -> None:
    made = command_line.read("remind", "ring bell tomorrow at 5pm")
    moved = command_line.read("reminders", "edit", made["name"], "--when", "every day at 8")
    assert moved["original_text"] == made["original_text"] == "ring bell tomorrow at 5pm"


def test_a_second_is_never_over_before_it_is_stored(command_line: CommandLine) -> None:
    command_line.clock.advance(0.999_999)
    said = command_line.say("remind", "m", "in 1 second")
    assert said.startswith("✓ m: once, today 13:00:02 Europe/Berlin, in 1 second · ")


def test_a_dry_run_stores_nothing(command_line: CommandLine) -> None:
    assert command_line.say("remind", "m", "every day at 8", "--dry-run") == (
        "m: every day at 08:00 Europe/Berlin · next: Tue 17 Nov 08:00, Wed 18 Nov 08:00, Thu 19 Nov 08:00"
        " · nothing was stored\n"
    )
    assert command_line.read("remind", "m", "in 5m", "--dry-run")["next_runs"] == ["2026-11-16T12:05:00Z"]
    assert command_line.read("reminders")["items"] == []


def test_a_time_that_is_not_understood_is_refused(command_line: CommandLine) -> None:
    assert "blah" in command_line.fail("remind", "m", "blah", code=2)
    assert "name one in the text or after it" in command_line.fail("remind", "m", code=2)
    assert command_line.fail("remind", code=2) == (
        'duly remind needs message, when, such as: duly remind "take medicine" in 5m; see duly remind --help'
    )
    assert command_line.fail("remind", "m", "in 5m", "--channel", "inbx", code=2) == (
        "channel 'inbx' is not configured: did you mean inbox?"
    )
    assert "there is no user 'Eve'" in command_line.fail("remind", "m", "in 5m", "--user", "Eve", code=1)
    command_line.say("remind", "m", "in 5m", "--name", "taken")
    assert "taken" in command_line.fail("remind", "m", "in 5m", "--name", "taken", code=2)
    assert command_line.fail("remind", "m", "in 5m", "--priority", "huge", code=2)
    assert "past" in command_line.fail("remind", "m", "2020-01-01 at 9:00", code=2)


def test_a_long_text_is_taken_with_its_time(command_line: CommandLine) -> None:
    text = "stretch " * 1500
    view = command_line.read("remind", text.strip(), "in 5m")
    assert (view["message"], view["original_text"]) == (text.strip(), f"{text}in 5m")


def test_only_messages_that_were_shown_are_marked_as_read(command_line: CommandLine) -> None:
    for text in ("first", "second", "third"):
        command_line.say("remind", text, "in 5m")
        command_line.wait(minutes=5)
    newest = command_line.read("inbox", "--all", "--limit", "1")
    assert [item["text"] for item in newest["items"]] == ["third"]
    oldest = command_line.read("inbox", "--all", "--limit", "1", "--keep", "--cursor", newest["next_cursor"])
    assert [each["items"][0].get("read_at") is None for each in (oldest, newest)] == [True, False]
    command_line.say("inbox", "--limit", "1", "--cursor", newest["next_cursor"])
    assert [item["text"] for item in command_line.read("inbox", "--keep")["items"]] == ["first"]


def test_messages_are_read_and_answered(command_line: CommandLine) -> None:
    assert command_line.say("inbox") == (
        'nothing new; duly remind "take medicine" in 5 minutes --ack puts something here\n'
    )
    command_line.say("remind", "take medicine", "in 5m", "--ack")
    command_line.wait(minutes=5)
    assert [item["text"] for item in command_line.read("inbox", "--keep")["items"]] == ["take medicine\nIs it done?"]
    assert command_line.say("inbox") == (
        "Mon 16 Nov 13:05  take medicine\n"
        "                  Is it done?\n"
        "one waits for your answer: take medicine (duly ack · duly snooze 10m · duly dismiss)\n"
    )
    assert command_line.say("inbox").startswith("nothing new")
    assert "take medicine" in command_line.say("inbox", "--all")
    assert command_line.say("ack") == "✓ Done: take medicine\n"
    assert command_line.fail("ack", code=1) == "no reminder waits for an answer"
    assert "over already" in command_line.fail("ack", "take-medicine", code=2)
    assert [each["last_status"] for each in command_line.read("reminders")["items"]] == ["acked"]


def test_control_characters_are_replaced_in_text_and_escaped_in_json(command_line: CommandLine) -> None:
    command_line.say("remind", "\x1b[2Jred \x9b31m\ttab", "in 5m", "--name", "red")
    shown = command_line.say("reminders", "get", "red")
    assert "\ufffd[2Jred \ufffd31m tab" in shown
    written = command_line.say("reminders", "get", "red", "--json")
    assert "\x9b" not in written
    assert json.loads(written)["message"] == "\x1b[2Jred \x9b31m\ttab"


@pytest.mark.parametrize(
    ("words", "until"),
    [
        ([], "12:15"),
        (["10m"], "12:15"),
        (["2h"], "14:05"),
        (["in", "20", "minutes"], "12:25"),
        (["until", "6pm"], "17:00"),
        (["until 18:00"], "17:00"),
        (["bis", "18", "Uhr"], "17:00"),
        (["6pm"], "17:00"),
    ],
)
def test_snooze_reads_the_words_people_use_in_chats(command_line: CommandLine, words: list[str], until: str) -> None:
    command_line.say("remind", "take medicine", "in 5m", "--ack")
    command_line.wait(minutes=5)
    said = command_line.read("snooze", *words)
    assert (said["response"], said["until"]) == ("snooze", f"2026-11-16T{until}:00Z")


def test_a_snooze_says_until_when_and_it_comes_back(command_line: CommandLine) -> None:
    command_line.say("remind", "take medicine", "in 5m", "--ack")
    command_line.say("remind", "second", "in 5m", "--ack")
    command_line.wait(minutes=5)
    assert (
        command_line.say("snooze", "10m", "--reminder", "take-medicine")
        == "⏰ I will remind you at 13:15: take medicine\n"
    )
    assert command_line.say("dismiss", "second") == "✗ Dismissed: second\n"
    command_line.say("inbox")
    command_line.wait(minutes=10)
    assert command_line.say("inbox").startswith("Mon 16 Nov 13:15  take medicine\n")
    assert "10m or until 6pm" in command_line.fail("snooze", "blah", code=2)
    assert "again and again" in command_line.fail("snooze", "every", "day", code=2)
    assert "must lie ahead and within 7 days" in command_line.fail("snooze", "until", "2027-01-01", "9:00", code=2)


def test_a_snoozed_reminder_is_not_called_finished(command_line: CommandLine) -> None:
    command_line.say("remind", "take medicine", "in 5m", "--ack")
    command_line.wait(minutes=5)
    assert command_line.read("list")["items"][0]["state"] == "awaiting"
    command_line.say("snooze", "1h")
    assert "  today 14:05 (in 1 h)  " in command_line.say("list")
    assert "  in 1 h  snoozed  " in command_line.say("reminders")
    assert command_line.read("list")["items"][0]["snoozed_until"] == "2026-11-16T13:05:00Z"


def test_what_state_shows_can_be_asked_for(command_line: CommandLine) -> None:
    """The law: every word in the column STATE is a state to filter by, and finds the schedules that show it."""
    command_line.say("remind", "snoozed", "in 1m", "--ack")
    command_line.wait(minutes=1)
    command_line.say("snooze", "1h")
    command_line.say("remind", "awaiting", "in 1m", "--ack")
    command_line.say("remind", "finished", "in 1m")
    command_line.wait(minutes=1)
    command_line.say("remind", "waiting", "in 1h")
    command_line.say("remind", "ok", "every day at 8")
    command_line.say("remind", "paused", "every day at 8")
    command_line.say("reminders", "pause", "paused")
    shown = {item["name"]: item["state"] for item in command_line.read("list")["items"]}
    assert shown == {name: name for name in shown}
    for name in shown:
        rows = command_line.say("list", "--state", name).splitlines()[1:]
        assert name in [row.split()[0] for row in rows if row]
        assert f"  {name}  " in command_line.say("list")


def test_reminders_are_listed_paused_resumed_skipped_and_removed(command_line: CommandLine) -> None:
    assert (
        command_line.say("reminders") == 'no reminders yet; make one: duly remind "take medicine" in 5 minutes --ack\n'
    )
    command_line.say("remind", "vitamins", "every morning at 8")
    command_line.say(
        "remind", "a text that is longer than a column of a table should ever be", "in 5m", "--name", "long"
    )
    heading, long, vitamins = command_line.say("reminders").splitlines()
    assert heading.split() == ["NAME", "WHEN", "NEXT", "LAST", "MESSAGE", "ID"]
    assert "on Monday, 16 November 2026 at 13:05  in 5 min" in long
    assert "a text that is longer than a column of …" in long
    assert "every day at 08:00" in vitamins
    assert "in 19 h" in vitamins
    assert command_line.say("reminders", "pause", "vitamins") == "✓ vitamins paused\n"
    assert "  paused  " in command_line.say("reminders")
    assert command_line.say("reminders", "resume", "vitamins") == "✓ vitamins resumed, next in 19 h\n"
    assert command_line.say("reminders", "skip", "vitamins") == "✓ vitamins skips one, next in 1 d 19 h\n"
    assert re.search(r"^time_of_day +08:00$", command_line.say("reminders", "get", "vitamins"), re.MULTILINE)
    assert command_line.say("reminders", "remove", "vitamins") == "✓ vitamins removed\n"
    assert command_line.fail("reminders", "get", "vitamins", code=1) == "there is no reminder 'vitamins'"
    assert "needs an id or a name" in command_line.fail("reminders", "remove", code=2)
    assert command_line.fail("reminders", "explode", code=2)


def test_a_one_shot_that_came_is_not_called_paused(command_line: CommandLine) -> None:
    command_line.say("remind", "came", "in 5m", "--ack")
    command_line.say("remind", "stopped", "in 10m")
    command_line.say("reminders", "pause", "stopped")
    command_line.wait(minutes=5)
    command_line.say("ack")
    _, came, stopped = command_line.say("reminders").splitlines()
    assert re.search(r" -  +acked +came ", came)
    assert re.search(r" paused +stopped ", stopped)


def test_a_reminder_is_for_several_people(command_line: CommandLine) -> None:
    for name in ("Ana", "Bob"):
        command_line.say("user", "add", name)
    command_line.say("remind", "--to", "Ana,Bob", "sign it", "in 5m", "--answered-by", "everyone", "--name", "form")
    assert "there is no user 'Zoe'" in command_line.fail("remind", "--to", "Ana,Zoe", "x", "in 5m", code=2)
    command_line.wait(minutes=5)
    assert command_line.say("ack", "form", "--user", "Bob") == "✓ Done: sign it\n"
    shown = command_line.say("reminders", "show", "form", "--user", "Ana")
    assert "  Ana: awaiting_ack, has not answered\n  Bob: acked\n" in shown
    command_line.say("reminders", "edit", "form", "--user", "Ana", "--shared-with", "off")
    assert command_line.read("reminders", "get", "form", "--user", "Ana")["shared_with"] == []


def test_who_types_is_answered_in_their_own_language(command_line: CommandLine) -> None:
    command_line.say("user", "add", "Ana", "--language", "de", "--timezone", "UTC", "--quiet", "22:00-07:00")
    command_line.say("user", "add", "Bob")
    made = command_line.say("remind", "--to", "Ana,Bob", "call", "today", "at", "23:00")
    assert made.startswith("✓ call: once, today 23:00:00")
    assert "That is in Ana's quiet hours, so it comes tomorrow at 07:00.\n" in made


def test_what_was_made_is_taken_back_and_no_older_step(command_line: CommandLine) -> None:
    command_line.say("remind", "read", "tomorrow", "at", "9")
    command_line.say("remind", "call mom tomorrow at 17:00")
    assert command_line.say("undo") == "✓ undone: call-mom made\n"
    assert [each["name"] for each in command_line.read("reminders")["items"]] == ["read"]
    assert command_line.say("undo") == "✓ undone: read made\n"
    assert command_line.read("reminders")["items"] == []


def test_the_inbox_names_each_that_waits(command_line: CommandLine) -> None:
    for text in ("take medicine", "feed the cat"):
        command_line.say("remind", text, "in 5m", "--ack")
    command_line.wait(minutes=5)
    *_, head, first, second = command_line.say("inbox").splitlines()
    assert head == "2 wait for your answer:"
    ways = "duly ack {0} · duly snooze 10m --reminder {0} · duly dismiss {0}"
    assert {first, second} == {
        f"  take medicine: {ways.format('take-medicine')}",
        f"  feed the cat: {ways.format('feed-the-cat')}",
    }
    command_line.say("snooze", "10m", "--reminder", "take-medicine")
    assert command_line.read("inbox")["waiting"] == 1


def test_an_answer_without_a_name_is_refused_where_several_wait(command_line: CommandLine) -> None:
    for text in ("take medicine", "feed the cat"):
        command_line.say("remind", text, "in 5m", "--ack")
    command_line.wait(minutes=5)
    for verb in ("ack", "dismiss", "snooze"):
        refused = command_line.fail(verb, code=2)
        assert refused.startswith("2 reminders wait for an answer: name the one that is meant, of ")
        assert all(name in refused for name in ("'take-medicine'", "'feed-the-cat'"))
    assert command_line.say("ack", "feed-the-cat") == "✓ Done: feed the cat\n"
    assert command_line.say("ack") == "✓ Done: take medicine\n"


def test_words_are_read_against_the_reminder(command_line: CommandLine) -> None:
    command_line.say("remind", "take medicine", "in 5m", "--ack")
    command_line.wait(minutes=5)
    for text in ("mum took it", "I've eaten", "took it 3 weeks ago"):
        asked = command_line.read("chat", text)
        assert asked["reply"].startswith("Do you mean that “take medicine” is done?")
        assert [each["label"] for each in asked["buttons"]] == ["Yes", "No"]
        assert command_line.say("chat", "no") == "OK, nothing was changed.\n"
    assert command_line.read("chat", "I don't want to")["reply"].startswith("Skip “take medicine” this time?")
    assert command_line.say("chat", "2") == "OK, nothing was changed.\n"
    assert command_line.say("chat", "took it") == "✓ Done: take medicine\n"


def test_a_sentence_that_is_refused_says_why(command_line: CommandLine) -> None:
    assert "a deadline does not say when" in command_line.fail("remind", "meet Bob within 2 hours", code=2)
    assert "there is no such date" in command_line.fail("remind", "pay rent on 31 november", code=2)
    assert command_line.say("remind", "U2 concert tomorrow at 9am", "--dry-run").startswith(
        "U2 concert: once, tomorrow 09:00"
    )


def test_each_person_has_their_own_reminders(command_line: CommandLine) -> None:
    command_line.say("user", "add", "Ana")
    command_line.say("remind", "mine", "in 5m", "--ack")
    command_line.say("remind", "hers", "in 5m", "--ack", "--user", "Ana")
    command_line.wait(minutes=5)
    assert [item["text"] for item in command_line.read("inbox")["items"]] == ["mine\nIs it done?"]
    assert [item["text"] for item in command_line.read("inbox", "--user", "Ana")["items"]] == ["hers\nIs it done?"]
    assert command_line.fail("ack", "hers", code=1)
    assert command_line.say("ack", "--user", "Ana") == "✓ Done: hers\n"


@pytest.mark.parametrize(
    "words",
    [["remind", "a\udcff", "in 5m"], ["reminders", "get", "\udcff"], ["ack", "\udcff"], ["inbox", "--user", "\udcff"]],
)
def test_bytes_that_are_no_text_are_refused(command_line: CommandLine, words: list[str]) -> None:
    assert "cannot be stored" in command_line.fail(*words, code=2)


def test_what_does_not_come_at_its_time_says_so_when_it_is_made_or_moved(command_line: CommandLine) -> None:
    command_line.say("user", "add", "Ana", "--timezone", "UTC", "--quiet", "22:00-07:00", "--digest-at", "18:00")
    made = command_line.say("remind", "call", "today at 23:00", "--user", "Ana", "--name", "call")
    assert "That is in Ana's quiet hours, so it comes tomorrow at 07:00.\n" in made
    assert "quiet" not in command_line.say("reminders", "edit", "call", "--when", "tomorrow at 9", "--user", "Ana")
    moved = command_line.say("reminders", "edit", "call", "--when", "today at 22:30", "--user", "Ana")
    assert "That is in Ana's quiet hours, so it comes tomorrow at 07:00.\n" in moved
    low = command_line.say("remind", "water", "in 1 hour", "--priority", "low", "--user", "Ana")
    assert "It comes with Ana's digest at 18:00.\n" in low
    command_line.wait(hours=2)
    assert "comes with the digest" in command_line.say("inbox", "--user", "Ana")
    [waiting] = command_line.read("inbox", "--user", "Ana")["gathered"]
    assert (waiting["text"], waiting["comes_at"]) == ("water", "2026-11-16T18:00:05Z")


def test_a_change_of_a_schedule_takes_the_options_of_a_reminder(command_line: CommandLine) -> None:
    command_line.say("remind", "water plants", "every day at 9", "--name", "water")
    command_line.say("schedule", "update", "water", "--message", "water all", "--ask", "Did you?", "--before", "1h")
    after = command_line.read("reminders", "get", "water")
    assert (after["message"], after["require_ack"], after["ack_prompt"]) == ("water all", True, "Did you?")
    assert after["lead_minutes"] == [60]
    command_line.say("schedule", "update", "water", "--clear", "ask", "--before", "off")
    after = command_line.read("reminders", "get", "water")
    assert (after.get("ack_prompt"), after["lead_minutes"]) == (None, [])
    refused = command_line.fail("schedule", "update", "water", "--asks", "1001", code=2)
    assert "expected a whole number from 0 to 1000" in refused
