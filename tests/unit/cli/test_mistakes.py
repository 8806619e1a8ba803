"""Mistakes of newcomers, and the messages that help them."""

from __future__ import annotations

import pytest

from tests.unit.cli.command_line import CommandLine, command_line

__all__ = ["command_line"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["remnd"], "no such command: remnd; did you mean remind?"),
        (["package"], "no such command: package; duly --help lists them"),  # not ack, which has the same letters
        (["remind", "x", "in", "5m", "--prioity", "high"], "no such option: --prioity; did you mean --priority?"),
        (["schedule", "history", "--limt=3"], "no such option: --limt=3; did you mean --limit?"),
        (
            ["remind", "x", "in", "-5m"],
            "no such option: -5m; duly remind --help lists them; text that begins so follows --",
        ),
        (["tick", "tock"], "unexpected: tock; what has spaces or * in it needs quotes, see duly tick --help"),
        (["connect"], "duly connect needs agent, such as: duly connect claude; see duly connect --help"),
        (
            ["schedule", "backfill", "x"],
            "duly schedule backfill needs --start, --end; see duly schedule backfill --help",
        ),
        (
            ["token"],
            (
                "duly token needs verb: create, list, revoke, rotate, grant, ungrant, rotate-links; "
                "see duly token --help"
            ),
        ),
        (
            ["token", "--scpe"],
            "no such option: --scpe; did you mean --scope?",
        ),
        (["token", "--xyz"], "no such option: --xyz; duly token --help lists them; text that begins so follows --"),
        (["schedule", "create", "x", "--job-nam", "tidy"], "no such option: --job-nam; did you mean --job-name?"),
        (["schedule", "create", "x", "--job-nam=tidy"], "no such option: --job-nam=tidy; did you mean --job-name?"),
        (["schedule", "create", "x", "--jsn"], "no such option: --jsn; did you mean --json?"),
        (["tick", "--=x"], "no such option: --=x; duly tick --help lists them; text that begins so follows --"),
        (["user", "--timezon=UTC"], "no such option: --timezon=UTC; did you mean --timezone?"),
        (
            ["remind", "take", "medicine", "in", "5", "minutes"],
            (
                "cannot read 'medicine in 5 minutes' as a time: 'medicine' was not understood, 'in 5 minutes' was; "
                'a text of several words needs quotes: duly remind "take medicine" in 5 minutes'
            ),
        ),
        (
            ["remind", "take medicine", "whenever"],
            "cannot read 'whenever' as a time: 'whenever' is too vague: name a time",
        ),
        (
            ["remind", "x", "in 5m", "--channel", "pigeon"],
            "channel 'pigeon' is not configured: add [channels.pigeon] to duly.toml; there is inbox",
        ),
    ],
)
def test_a_mistake_is_refused_with_the_cure(command_line: CommandLine, words: list[str], said: str) -> None:
    assert command_line.fail(*words, code=2) == said


def test_after_two_dashes_nothing_is_an_option(command_line: CommandLine) -> None:
    command_line.say("remind", "--name", "minus", "--", "--help", "in", "5m")
    assert command_line.read("reminders", "get", "minus")["message"] == "--help"
