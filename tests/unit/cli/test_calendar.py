"""`duly calendar` and `duly import`: their output and exit codes."""

from __future__ import annotations

from pathlib import Path

import icalendar

from tests.unit.cli.command_line import CommandLine, command_line

__all__ = ["command_line"]

FILE = """BEGIN:VCALENDAR
VERSION:2.0
PRODID:test
BEGIN:VEVENT
UID:gym@cal
SUMMARY:Gym
DTSTART;TZID=Europe/Berlin:20261117T180000
RRULE:FREQ=WEEKLY
END:VEVENT
BEGIN:VEVENT
UID:old@cal
SUMMARY:Long ago
DTSTART:20201130T120000Z
END:VEVENT
END:VCALENDAR
"""


def test_links_are_made_listed_rotated_and_revoked(command_line: CommandLine) -> None:
    assert command_line.say("calendar", "list") == "no calendar links yet; make one: duly calendar link\n"
    command_line.configure('public_url = "https://duly.example.org/"\n')
    address, made, hint = command_line.say("calendar", "link", "home").splitlines()
    assert address.startswith("https://duly.example.org/calendar/")
    assert address.endswith(".ics")
    assert "shown this once" in made
    assert hint.strip() == f"Apple and Outlook: webcal{address.removeprefix('https')}"
    [link] = command_line.read("calendar", "list")["items"]
    assert (link["name"], link["last_used_at"], "hash" in link) == ("home", None, False)
    heading, row = command_line.say("calendar", "list").splitlines()
    assert heading.split() == ["NAME", "TOKEN", "MADE", "LAST", "USED", "ID"]
    assert row.split()[:2] == ["home", "local"]
    assert command_line.read("calendar", "rotate", link["id"])["url"] != address
    assert command_line.say("calendar", "revoke", link["id"]) == f"✓ home ({link['id']}) shows nothing any more\n"
    assert "there is no calendar link" in command_line.fail("calendar", "revoke", link["id"], code=1)
    assert "duly calendar revoke ID" in command_line.fail("calendar", "revoke", code=2)
    assert "does not take --rhythms" in command_line.fail("calendar", "list", "--rhythms", code=2)


def test_a_file_is_imported_and_exported(command_line: CommandLine, tmp_path: Path) -> None:
    file = tmp_path / "in.ics"
    file.write_text(FILE, encoding="utf-8")
    shown = command_line.say("import", str(file), "--dry-run").splitlines()
    assert shown == [
        "+ Gym: every Tuesday at 18:00 (Europe/Berlin)",
        "✗ Long ago: its time 2020-11-30T12:00:00Z has passed",
        "would be: 1 created, 0 updated, 0 unchanged, 1 refused",
    ]
    assert command_line.say("import", str(file)).splitlines()[-1] == "1 created, 0 updated, 0 unchanged, 1 refused"
    report = command_line.read("import", str(file))
    assert [each["action"] for each in report["items"]] == ["unchanged", "refused"]
    out = tmp_path / "out.ics"
    assert command_line.say("calendar", "export", str(out)).startswith(f"✓ {out}, ")
    [event] = icalendar.Calendar.from_ical(out.read_bytes()).walk("VEVENT")
    assert str(event["UID"]) == "gym@cal"
    assert command_line.say("calendar", "export", "-").startswith("BEGIN:VCALENDAR\n")


def test_mistakes_of_an_import_are_one_line(command_line: CommandLine, tmp_path: Path) -> None:
    assert "cannot read" in command_line.fail("import", str(tmp_path / "none.ics"), code=2)
    bad = tmp_path / "bad.ics"
    bad.write_text("hello", encoding="utf-8")
    assert "this is no calendar file" in command_line.fail("import", str(bad), code=2)
    assert "duly calendar export FILE" in command_line.fail("calendar", "export", code=2)
    assert "cannot write" in command_line.fail("calendar", "export", str(tmp_path / "no" / "out.ics"), code=2)
    over = tmp_path / "over.ics"
    over.write_text(FILE.replace("UID:gym", "STATUS:CANCELLED\nUID:gym"), encoding="utf-8")
    assert command_line.run("import", str(over)).code == 1
