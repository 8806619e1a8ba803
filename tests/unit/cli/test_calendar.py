"""`duly calendar` and `duly import`: their output and exit codes."""

from __future__ import annotations

from pathlib import Path

import icalendar

from tests.unit.cli.command_line import CommandLine, command_line, either_door

__all__ = ["command_line", "either_door"]

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


def test_a_link_has_the_public_address(command_line: CommandLine) -> None:
    command_line.configure('public_url = "https://duly.example.org/"\n')
    address, _, hint = command_line.say("calendar", "link", "home").splitlines()
    assert address.startswith("https://duly.example.org/calendar/")
    assert hint.strip() == f"Apple and Outlook: webcal{address.removeprefix('https')}"


def test_links_are_made_listed_rotated_and_revoked(either_door: CommandLine) -> None:
    assert either_door.say("calendar", "list") == "no calendar links yet; make one: duly calendar link\n"
    address, made, hint = either_door.say("calendar", "link", "home").splitlines()
    assert address.startswith("http://127.0.0.1:")
    assert "/calendar/" in address
    assert address.endswith(".ics")
    assert "shown this once" in made
    assert hint.strip() == f"Apple and Outlook: webcal{address.removeprefix('http')}"
    [link] = either_door.read("calendar", "list")["items"]
    assert (link["name"], link["last_used_at"], "hash" in link) == ("home", None, False)
    heading, row = either_door.say("calendar", "list").splitlines()
    assert heading.split() == ["NAME", "TOKEN", "MADE", "LAST", "USED", "ID"]
    assert row.split()[:2] == ["home", link.get("token_id") or "local"]
    assert either_door.read("calendar", "rotate", link["id"])["url"] != address
    assert either_door.say("calendar", "revoke", link["id"]) == f"✓ home ({link['id']}) shows nothing any more\n"
    assert "there is no calendar link" in either_door.fail("calendar", "revoke", link["id"], code=1)
    assert "duly calendar revoke ID" in either_door.fail("calendar", "revoke", code=2)
    assert "does not take --rhythms" in either_door.fail("calendar", "list", "--rhythms", code=2)


def test_a_file_is_imported_and_exported(either_door: CommandLine, tmp_path: Path) -> None:
    file = tmp_path / "in.ics"
    file.write_text(FILE, encoding="utf-8")
    shown = either_door.say("import", str(file), "--dry-run").splitlines()
    assert shown == [
        "+ Gym: every Tuesday at 18:00 (Europe/Berlin)",
        "✗ Long ago: its time 2020-11-30T12:00:00Z has passed",
        "would be: 1 created, 0 updated, 0 unchanged, 1 refused",
    ]
    assert either_door.say("import", str(file)).splitlines()[-1] == "1 created, 0 updated, 0 unchanged, 1 refused"
    report = either_door.read("import", str(file))
    assert [each["action"] for each in report["items"]] == ["unchanged", "refused"]
    out = tmp_path / "out.ics"
    assert either_door.say("calendar", "export", str(out)).startswith(f"✓ {out}, ")
    [event] = icalendar.Calendar.from_ical(out.read_bytes()).walk("VEVENT")
    assert str(event["UID"]) == "gym@cal"
    assert either_door.say("calendar", "export", "-").startswith("BEGIN:VCALENDAR\n")


def test_mistakes_of_an_import_are_one_line(either_door: CommandLine, tmp_path: Path) -> None:
    assert "cannot read" in either_door.fail("import", str(tmp_path / "none.ics"), code=2)
    bad = tmp_path / "bad.ics"
    bad.write_text("hello", encoding="utf-8")
    assert "this is no calendar file" in either_door.fail("import", str(bad), code=2)
    assert "duly calendar export FILE" in either_door.fail("calendar", "export", code=2)
    assert "cannot write" in either_door.fail("calendar", "export", str(tmp_path / "no" / "out.ics"), code=2)
    over = tmp_path / "over.ics"
    over.write_text(FILE.replace("UID:gym", "STATUS:CANCELLED\nUID:gym"), encoding="utf-8")
    assert either_door.run("import", str(over)).code == 1
