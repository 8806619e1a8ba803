"""The settings of a prompt besides its text."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from duly.errors import InvalidInputError
from duly.model.action import Prompt
from duly.ports.codec import decode_action, encode_action

names = st.none() | st.text(min_size=1).filter(lambda text: bool(text.strip()))
amounts = st.none() | st.floats(min_value=0.000001, max_value=1e9)


@given(gate=names, model=names, per_run=amounts, per_day=amounts)
def test_a_prompt_is_decoded_as_it_was_encoded(gate: Any, model: Any, per_run: Any, per_day: Any) -> None:
    prompt = Prompt(text="go", gate=gate, model=model, max_cost_per_run=per_run, max_cost_per_day=per_day)
    assert decode_action(encode_action(prompt)) == prompt


def test_settings_without_a_value_are_not_stored() -> None:
    assert encode_action(Prompt(text="go")) == '{"kind":"prompt","text":"go"}'


@pytest.mark.parametrize("name", ["max_cost_per_run", "max_cost_per_day"])
@pytest.mark.parametrize("value", [0, -1, float("inf"), float("nan"), True, "1"])
def test_a_budget_is_an_amount_of_money(name: str, value: Any) -> None:
    with pytest.raises(InvalidInputError, match=f"{name} must be an amount above 0 in US dollars"):
        Prompt(text="go", **{name: value})


@pytest.mark.parametrize("name", ["gate", "model"])
def test_a_name_is_not_empty(name: str) -> None:
    with pytest.raises(InvalidInputError, match=f"{name} must not be empty"):
        Prompt(text="go", **{name: " "})  # type: ignore[arg-type]
