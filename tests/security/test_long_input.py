"""Reading any text costs time linear in its length.

Each text is a megabyte long in `make chaos`, and a seventh of it in `make test`. It is read by a process of its own:
what is quadratic would take hours there, and in `make test` many minutes.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

import pytest

from duly.errors import PhraseError
from duly.phrases import parse_schedule
from tests.support import EXPLORING

LENGTH = 1_000_000 if EXPLORING else 150_000
_LIMIT = 120 if EXPLORING else 60  # seconds of the processor: each of them takes a few
_HEAD = f"""
import re
import resource
import sys
from duly import zones
from duly.cron import parser
from duly.errors import DulyError
from duly.language import parsing
from duly.language.replies import tokens
parser.MAX_LENGTH = zones._LONGEST_NAME = parsing.LONGEST = tokens.MAX_LENGTH = sys.maxsize  # lift the limits
resource.setrlimit(resource.RLIMIT_CPU, ({_LIMIT}, {_LIMIT}))
M = {LENGTH}
"""
_TEXTS = {
    "digits": "'1' * M + 'x'",
    "digits and dots": "'1.' * (M // 2) + 'x'",
    "blanks": "' ' * M + 'x'",
    "units": "'1h ' * (M // 3) + 'x'",
    "complaints of aider": "'litellm.AError\\nx\\n' * (M // 17) + 'Tokens: 1\\n'",
    "beginnings of aider": "'Repo-map: \\n' * (M // 11)",
    "costs of aider": "'$1.' * (M // 3)",
    "letters": "'a' * M",
    "colons": "'1:' * (M // 2)",
    "brackets": "'(' * M",
    "commas": "'1,' * (M // 2)",
    "lines": "'\\n' * M",
    "emoji": "'👍' * (M // 4)",
    "dashes": "'-' * M",
    "blanks between": "'a' + ' ' * M + 'x'",
    "marks between blanks": "'a' + ' - ' * (M // 3) + 'x'",
    "importance": "'important! ' * (M // 11) + 'x'",
    "importance at the end": "'x' + ', urgent!' * (M // 9)",
}
_READERS = {
    "a duration": "from duly.service.schedules.values import duration as read; call = lambda t: read(t, 'timeout')",
    "a moment": "from duly.service.schedules.values import moment as read; call = lambda t: read(t, 'at')",
    "a zone": "from duly.service.schedules.values import zone as read; call = lambda t: read(t, 'tz')",
    "cron": "from duly import Cron; call = Cron",
    "words about time": (
        f"M = {LENGTH // 10}\\n"  # six languages read each text, in several readings
        "from datetime import datetime, UTC\\n"
        "from duly.phrases import parse_schedule\\n"
        "call = lambda t: parse_schedule(t, datetime(2026, 11, 15, tzinfo=UTC), 'UTC')"
    ),
    "the importance of a message": "from duly.language.requests.urgency import without_urgency as call",
    "the choice of answers": "from duly.language.requests.urgency import wanted_answers as call",
    "medicine": "from duly.language.requests.urgency import is_medicine; call = lambda t: is_medicine(t, 'en')",
    "a reply": "from duly.phrases import classify_reply as call",
    "the output of aider": (
        "from duly.agents.presets import AIDER\\n"
        "def call(text):\\n"
        "    for pattern in (AIDER.text_path, AIDER.error_path, AIDER.cost_path):\\n"
        "        re.findall(pattern, text)"
    ),
    "a scope": "from duly.service.access.scopes import Scope; call = Scope.parse",
}


@pytest.mark.explored
def test_a_megabyte_in_any_field_of_any_face_is_read_in_time() -> None:
    """With all limits lifted: see `every_field`."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.security.every_field", str(LENGTH), str(2 * _LIMIT)],
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    fed = json.loads(done.stdout)
    assert fed["tools"] > 300, fed
    assert fed["frames"] > 50, fed
    assert fed["rest"] == 45, fed


@pytest.mark.parametrize("words", ["1:" * 150, "1," * 150, "at " * 100, "every day at 8 " * 20], ids=range(4))
def test_the_longest_words_about_time_are_refused_at_once(words: str) -> None:
    """The grammar tries several readings of a phrase in six languages; its limit of 300 characters keeps that short."""
    started = time.process_time()
    with pytest.raises(PhraseError):
        parse_schedule(words.strip(), datetime(2026, 11, 15, tzinfo=UTC), "UTC")
    assert time.process_time() - started < 5.0


_PIECES = (
    *(
        "a5",
        "5a",
        "1h ",
        "8h;",
        "a8h;",
        "1st 8h",
        "2nd 8h@",
        "mar a5",
        ".1. ",
        "every ",
        "8 and ",
        "from 8 to ",
        "the ",
    ),
    *("1st and ", "5. ", "u 5 ", "at 8 ", "until may ", "half ", "1/2 ", "monday ", "i 5 "),
)


@pytest.mark.parametrize("piece", _PIECES)
def test_no_words_about_time_cost_much_more_than_others_of_their_length(piece: str) -> None:
    """A row of numbers was looked through again from each of them, in each language: it took a second."""
    assert _cost((piece * 300)[:299]) < 30 * _cost("1h " * 99)


def _cost(words: str) -> float:
    """Give the processor time of the quickest of three readings."""
    spent = []
    for _ in range(3):
        started = time.process_time()
        with suppress(PhraseError):
            parse_schedule(words, datetime(2026, 11, 15, tzinfo=UTC), "UTC")
        spent.append(time.process_time() - started)
    return min(spent)


@pytest.mark.explored
@pytest.mark.parametrize("reader", _READERS)
def test_a_megabyte_is_read_in_time(reader: str) -> None:
    code = "\n".join(
        [
            _HEAD,
            _READERS[reader].replace("\\n", "\n"),
            f"for text in [{', '.join(_TEXTS.values())}]:",
            "    try:",
            "        call(text)",
            "    except (DulyError, ValueError) as error:",
            "        assert len(str(error)) < 5_000, len(str(error))",
        ]
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
