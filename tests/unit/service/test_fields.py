"""Every face takes and shows the fields that `service/schedules/fields.py` describes, and has no list of its own."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path
from typing import get_args

import pytest

from duly.cli.arguments import Parser
from duly.cli.message_options import OF_MESSAGES
from duly.cli.schedule_options import add_schedule_options
from duly.errors import InvalidInputError
from duly.mcp.schemas import ARGUMENTS, CHANGES, OPTIONAL
from duly.model.action import Job, Message, Prompt
from duly.model.policy import Policy
from duly.model.schedule import PLAIN_FIELDS, Definition
from duly.ports.records import StoredSchedule
from duly.rest.bodies import ReminderChanges, ScheduleChanges
from duly.service.schedules import forms
from duly.service.schedules.drafts import Draft
from duly.service.schedules.fields import OPTIONS, SETTINGS, ScheduleView, names_of, table_rows
from duly.service.schedules.settings import DefinitionPart
from duly.ws.frames import METHODS

_HOLDERS = {
    DefinitionPart.SCHEDULE: Definition,
    DefinitionPart.STATE: Draft,
    DefinitionPart.PROMPT: Prompt,
    DefinitionPart.JOB: Job,
    DefinitionPart.POLICY: Policy,
    DefinitionPart.MESSAGE: Message,
}
_AGENTS = Path(__file__).parents[3] / "docs" / "agents.md"


def _names(kind: type) -> set[str]:
    return {each.name for each in fields(kind)}


@pytest.mark.parametrize("part", _HOLDERS)
def test_each_setting_names_a_value_of_its_part(part: DefinitionPart) -> None:
    assert {(SETTINGS | OPTIONS)[name].attribute for name in names_of(part)} <= _names(_HOLDERS[part])


def test_every_value_of_a_prompt_a_job_and_a_policy_can_be_set() -> None:
    for part, kind in ((DefinitionPart.PROMPT, Prompt), (DefinitionPart.JOB, Job), (DefinitionPart.POLICY, Policy)):
        settable = {SETTINGS[name].attribute for name in names_of(part)}
        assert _names(kind) - settable <= {"misfire_grace"}  # a setting of the library only


def test_every_plain_field_of_a_definition_is_a_setting_and_a_column() -> None:
    assert set(names_of(DefinitionPart.SCHEDULE)) == {"name", *PLAIN_FIELDS}
    assert _names(Definition) - {"namespace", "name", "trigger", "action", "policy", "source", "created_by"} == {
        *PLAIN_FIELDS
    }
    assert {*PLAIN_FIELDS} <= _names(StoredSchedule)


def test_a_form_takes_the_settings_and_a_view_shows_them() -> None:
    assert tuple(SETTINGS) == forms.FIELDS
    assert set(SETTINGS) <= _names(ScheduleView)


def test_the_tools_take_every_setting_with_its_words() -> None:
    assert set(CHANGES) == set(SETTINGS)
    for name, annotation in ARGUMENTS.items():
        description = get_args(annotation)[1].description
        assert description.lower() == SETTINGS[name].words.lower()


def test_the_command_line_has_an_option_for_every_setting_with_its_words() -> None:
    parser = Parser("duly", "make a schedule")
    add_schedule_options(parser)
    options = {action.dest: action.help or "" for action in parser._actions}
    apart = {"name", "targets", "job_args", "enabled", "cron_timezone", "timezone", "notify"}
    assert {"target", "arg", "enabled", "cron_timezone", "timezone", "notify"} <= set(options)
    assert {name: SETTINGS[name].words for name in SETTINGS if name not in apart} == {
        name: options[name] for name in SETTINGS if name not in apart
    }


def test_the_table_in_the_documentation_is_the_description() -> None:
    assert table_rows() in _AGENTS.read_text(encoding="utf-8"), table_rows()


@pytest.mark.parametrize("name", [name for name, each in SETTINGS.items() if each.needs is not None])
def test_a_setting_that_needs_another_names_one_that_there_is(name: str) -> None:
    assert SETTINGS[name].needs in SETTINGS


def test_every_option_of_a_message_is_declared_and_taken_by_every_door() -> None:
    own = {"text", "user_id", "via"}  # what it says, to whom, and where it was asked for
    assert set(OPTIONS) == _names(Message) - own
    assert set(OPTIONAL) == set(OPTIONS)
    assert {*OF_MESSAGES.values(), "require_ack"} == set(OPTIONS)
    assert set(OPTIONS) <= set(ReminderChanges.model_fields) & set(ScheduleChanges.model_fields)
    assert set(OPTIONS) <= set(METHODS["cron.add"].takes)


@pytest.mark.parametrize("name", [name for name, each in OPTIONS.items() if each.needs is not None])
def test_an_option_that_needs_another_names_one_that_there_is(name: str) -> None:
    assert {OPTIONS[name].needs, OPTIONS[name].needs_too} - {None} <= set(OPTIONS)


def test_an_unknown_field_is_refused_with_the_field_that_was_meant() -> None:
    with pytest.raises(InvalidInputError, match=r"promt is unknown: did you mean prompt\? a schedule takes name, "):
        forms.check_fields({"promt": "x"})
