"""The law of masking: of a secret, in whatever form and cut wherever, no piece of 24 characters is left.

Secrets are random: of several lines, in several scripts, with quotes, backslashes, slashes and percent signs. Forms are
those that tools print: plain, JSON within JSON, Python, URLs, base64.
"""

from __future__ import annotations

import base64
import json
import re
import string
import time
import tracemalloc
from collections.abc import Callable
from itertools import pairwise
from random import Random
from urllib.parse import quote, quote_plus

import pytest
from hypothesis import given
from hypothesis import strategies as st

from duly.outbound.masking import PIECE, REDACTED, Mask, load_masked
from tests.support import tries

LONGEST_LEFT = 23
"""Characters: a piece, and what of it was shown before the text was cut there."""
PLAIN = string.ascii_letters + string.digits
AWKWARD = "\n\n\t \"'\\\\//%&+=<>{}[]:;,.-_~$@!#?*()|^`äéß€日本語фы\U0001f511\x7f\x01"

Form = Callable[[str], str]
FORMS: dict[str, Form] = {
    "plain": str,
    "windows": lambda text: text.replace("\n", "\r\n"),
    "indented": lambda text: text.replace("\n", "\n      "),
    "JSON": json.dumps,
    "JSON in UTF-8": lambda text: json.dumps(text, ensure_ascii=False),
    "JSON with slashes": lambda text: json.dumps(text).replace("/", "\\/"),
    "JSON with capitals": lambda text: re.sub(
        r"(?<!\\)((?:\\\\)*)\\u([0-9a-f]{4})", lambda found: f"{found[1]}\\u{found[2].upper()}", json.dumps(text)
    ),
    "JSON for HTML": lambda text: json.dumps(text).replace("<", "\\u003c").replace(">", "\\u003e"),
    "JSON in JSON": lambda text: json.dumps({"content": json.dumps({"key": text})}),
    "JSON in JSON with slashes": lambda text: json.dumps(json.dumps(text).replace("/", "\\/")),
    "JSON three deep": lambda text: json.dumps(json.dumps(json.dumps(text, ensure_ascii=False))),
    "JSON four deep": lambda text: json.dumps(json.dumps(json.dumps(json.dumps(text)))),
    "URL": lambda text: quote(text, safe=""),
    "path of a URL": quote,
    "form": quote_plus,
    "URL in small letters": lambda text: re.sub("%..", lambda found: found[0].lower(), quote(text, safe="")),
    "URL in a URL": lambda text: quote(quote(text, safe=""), safe=""),
    "URL in JSON": lambda text: json.dumps(quote(text)),
    "Python": repr,
    "Python's bytes": lambda text: repr(text.encode()),
    "Python in JSON": lambda text: json.dumps(f"KeyError: {text!r}"),
    "base64": lambda text: base64.b64encode(text.encode()).decode(),
    "base64 with a name": lambda text: base64.b64encode(f"me:{text}".encode()).decode(),
    "base64 in lines": lambda text: base64.encodebytes(f"x{text}x".encode()).decode(),
    "base64 for URLs": lambda text: base64.urlsafe_b64encode(f"to{text}".encode()).decode(),
    "base64 in JSON": lambda text: json.dumps(base64.encodebytes(text.encode()).decode()),
}


def random_secret(random: Random, kind: int | None = None) -> str:
    """Make a secret: a key, a file of several lines, an account as JSON, a pass phrase with anything in it."""
    kind = random.randrange(4) if kind is None else kind
    if kind == 0:
        return "".join(random.choices(PLAIN, k=random.randint(8, 60)))
    if kind == 1:
        lines = [base64.b64encode(random.randbytes(48)).decode() for _ in range(random.randint(2, 6))]
        return "\n".join(["-----BEGIN PRIVATE KEY-----", *lines, "-----END PRIVATE KEY-----"])
    if kind == 2:
        account = {"private_key": random_secret(random, random.choice((1, 3))), "id": random.getrandbits(60)}
        return json.dumps(account, indent=random.choice((None, 2)))
    body = "".join(random.choices(PLAIN + AWKWARD * 2, k=random.randint(12, 90)))
    return "".join(random.choices(PLAIN, k=4)) + body + "".join(random.choices(PLAIN, k=4))


def units(text: str, form: Form) -> list[str]:
    """Write a text in pieces that must not be left."""
    size = LONGEST_LEFT + 1
    pieces = [text[start : start + size] for start in range(max(1, len(text) - size + 1))]
    return [inner for piece in pieces if len(inner := form(piece).strip("\"'\n\\")) >= size]


def masked_in_parts(mask: Mask, data: bytes, *cuts: int) -> bytes:
    stream = mask.stream()
    places = [0, *cuts, len(data)]
    return b"".join([stream.feed(data[a:b]) for a, b in pairwise(places)] + [stream.end()])


@pytest.mark.explored
@pytest.mark.parametrize("form", FORMS)
def test_a_secret_is_masked_in_every_form_whole(form: str) -> None:
    written = FORMS[form]
    for seed in range(tries(60)):
        secret = random_secret(Random(seed))
        shown = Mask([secret]).text(f"before {written(secret)} after")
        assert REDACTED in shown, (seed, secret)
        assert (shown[:7], shown[-6:]) == ("before ", " after"), (seed, shown)
        rest = shown.replace(REDACTED, "")
        # Of base64, the characters that what stands beside the secret has changed are left: at most 5 on either side.
        room = 24 if "base64" in form else 12
        around = len("before  after") + len(written("")) + (room if form != "Python in JSON" else 24)
        assert len(rest) <= around + (14 if "content" in rest else 0), (seed, secret, shown)


@pytest.mark.explored
@pytest.mark.parametrize("form", FORMS)
def test_cut_at_every_byte_the_output_is_the_same(form: str) -> None:
    for seed in range(tries(12)):
        secret = random_secret(Random(seed))
        mask = Mask([secret, "another-secret-1"])
        data = f'{{"a": "x", "text": {FORMS[form](secret)}}}\nanother-secret-1 and more\n'.encode()
        whole = masked_in_parts(mask, data)
        for cut in range(len(data) + 1):
            assert masked_in_parts(mask, data, cut) == whole, (seed, cut)
        assert masked_in_parts(mask, data, *range(1, len(data))) == whole, seed  # one byte at a time


@given(st.randoms(use_true_random=False), st.sampled_from(sorted(FORMS)))
def test_no_long_piece_of_a_secret_is_left(random: Random, form: str) -> None:
    """A piece of a secret, as a tool prints it that cuts long texts, among other text, and cut anywhere."""
    secret = "".join(random.choices(PLAIN + '"\n/', k=random.randint(30, 120)))
    start = random.randrange(len(secret) - LONGEST_LEFT)
    end = random.randint(start + LONGEST_LEFT + 1, len(secret))
    written = FORMS[form]
    text = "".join(random.choices(PLAIN + AWKWARD, k=40))
    data = f"{text}\n{written(secret[start:end])}\n{text}".encode()
    cuts = sorted(random.choices(range(len(data) + 1), k=random.randint(0, 6)))
    shown = masked_in_parts(Mask([secret, random_secret(random)]), data, *cuts).decode()
    for piece in units(secret[start:end], written) if "base64" not in form else ():
        assert piece not in shown


@given(
    st.lists(st.text(min_size=8, max_size=80).filter(lambda text: len(text.strip()) >= 8), min_size=1, max_size=6),
    st.lists(st.integers(min_value=0, max_value=400), max_size=5),
)
def test_any_text_can_be_a_secret(secrets: list[str], cuts: list[int]) -> None:
    mask = Mask(secrets)
    data = "".join(f"<{secret}> {json.dumps(secret)}\n" for secret in secrets).encode("utf-8", "surrogatepass")
    shown = masked_in_parts(mask, data, *sorted(min(cut, len(data)) for cut in cuts)).decode("utf-8", "surrogatepass")
    for secret in secrets:
        assert secret.strip() not in shown
        assert json.dumps(secret.strip())[1:-1] not in shown


@given(st.text(max_size=300), st.integers(min_value=0, max_value=300))
def test_other_text_stays_as_it_is(text: str, cut: int) -> None:
    mask = Mask(["sk-ant-0123456789abcdef", "-----BEGIN KEY-----\nabcdefghijklmnop\n-----END KEY-----"])
    data = text.encode("utf-8", "surrogatepass")
    assert masked_in_parts(mask, data, min(cut, len(data))) == data


def test_lines_that_tell_nothing_stay() -> None:
    account = '{\n                    "key": "hunter2hunter2"\n}\n--------------------------------'
    blank = " " * 40 + "return\n" + "-" * 40
    assert Mask([account]).text(blank) == blank


def test_a_line_of_a_secret_is_masked_and_the_lines_around_it_stay_lines() -> None:
    secret = random_secret(Random(1))
    line = secret.splitlines()[1]
    assert Mask([secret]).text(f"first\n{line}\nlast\n") == f"first\n{REDACTED}\nlast\n"


def test_what_ends_a_line_is_shown_at_once() -> None:
    """Live output does not wait for the next line, unless a secret of several lines may have begun."""
    stream = Mask([random_secret(Random(seed)) for seed in range(50)]).stream()
    for line in (b"Reading the file\n", b'{"type": "text", "text": "done"}\n', b"--\n", b"> next\r\n"):
        assert stream.feed(line) == line


def test_json_stays_json() -> None:
    """Only strings that hold a secret change, and numbers of which one is a part become strings."""
    for seed in range(80):
        secret = random_secret(Random(seed))
        event = {"type": "result", "text": f"it is\\{secret}\n{secret}.", "parts": [json.dumps({"k": secret})], "n": 3}
        for ascii_only in (True, False):
            found = load_masked(Mask([secret]).text(json.dumps(event, ensure_ascii=ascii_only)))
            assert found["text"] == f"it is\\{REDACTED}\n{REDACTED}.", seed
            assert json.loads(found["parts"][0]) == {"k": REDACTED}
            assert (found["type"], found["n"]) == ("result", 3)
    assert load_masked(Mask(["12345678"]).text('{"at":1712345678123, "cost": 0.5}')) == {
        "at": "17[secret]123",
        "cost": 0.5,
    }


def test_the_longer_of_two_secrets_is_masked_first() -> None:
    assert Mask(["12345678", "12345678-and-more", ""]).text("12345678-and-more, 12345678") == "[secret], [secret]"


def test_a_token_of_duly_is_masked_wherever_it_is_cut() -> None:
    data = f'{{"text":"found\\nduly_{"a" * 43} in a file"}} du'.encode()
    for cut in range(len(data)):
        assert masked_in_parts(Mask(), data, cut) == b'{"text":"found\\n[secret] in a file"} du'


def test_a_piece_at_the_end_is_masked_when_the_tool_was_killed() -> None:
    secret = random_secret(Random(1))
    stream = Mask([secret]).stream()
    shown = stream.feed(f"key: {secret[:200]}".encode()) + stream.end()
    assert shown == b"key: [secret]"
    stream = Mask([secret]).stream()
    assert stream.feed(secret[: PIECE - 1].encode()) + stream.end() == secret[: PIECE - 1].encode()


def _seconds(mask: Mask, data: bytes, size: int) -> float:
    stream = mask.stream()
    begun = time.process_time()
    for start in range(0, len(data), size):
        stream.feed(data[start : start + size])
    stream.end()
    return time.process_time() - begun


def _hard_texts(secret: str) -> dict[str, bytes]:
    """Texts that look like secrets everywhere."""
    size = 100_000
    return {
        "usual": b"A line of output as tools print them.\n" * (size // 38),
        "backslashes": b"\\" * size,
        "percent": b"%25" * (size // 3),
        "newlines": b"\n" * size,
        "begins": (secret[:40] + "?").encode() * (size // 41),
        "pieces": b"".join(secret[n % 900 : n % 900 + 12].encode() + b"?" for n in range(size // 13)),
        "the secret": (secret + "\n").encode() * (size // len(secret)),
        "in JSON": json.dumps(secret).encode() * (size // len(secret)),
        "one letter": b"a" * size,
    }


@pytest.mark.parametrize("name", _hard_texts("x" * 1000))
def test_time_grows_as_the_text_does(name: str) -> None:
    random = Random(7)
    secret = "\n".join(base64.b64encode(random.randbytes(48)).decode() for _ in range(26))
    mask = Mask([secret, 'a"b\\c\nd%e/f&g' * 30, "a" * 300, "hunter2!"])
    data = _hard_texts(secret)[name]
    once = min(_seconds(mask, data, 65_536) for _ in range(3))
    assert _seconds(mask, data * 8, 65_536) < 8 * 4 * once + 0.5


def test_time_hardly_depends_on_how_many_secrets_there_are() -> None:
    random = Random(8)
    secrets = ["".join(random.choices(PLAIN, k=40)) for _ in range(400)]
    data = "".join(random.choices(f"{PLAIN} \n", k=400_000)).encode()
    few, many = Mask(secrets[:4]), Mask(secrets)
    assert (
        min(_seconds(many, data, 65_536) for _ in range(3))
        < 6 * min(_seconds(few, data, 65_536) for _ in range(3)) + 0.2
    )


def test_memory_depends_on_the_secrets_and_not_on_the_text() -> None:
    random = Random(9)
    mask = Mask(
        ["".join(random.choices(PLAIN + AWKWARD, k=600)) for _ in range(3)] + ["k" + str(random.random()) * 600]
    )
    line = b"another line of text, of which there is much\n" * 1000
    stream = mask.stream()
    stream.feed(line)
    tracemalloc.start()
    try:
        for _ in range(60):
            stream.feed(line)
        assert tracemalloc.get_traced_memory()[1] < 1_000_000
    finally:
        tracemalloc.stop()


def test_what_is_prepared_for_a_secret_is_bounded() -> None:
    """A key of 2 KB needs 4 MB, and one of 35 KB not 20 times as much."""
    random = Random(9)
    tracemalloc.start()
    try:
        key = Mask([base64.b64encode(random.randbytes(1500)).decode()])
        small = tracemalloc.get_traced_memory()[0]
        long = Mask([base64.b64encode(random.randbytes(26_000)).decode()])
        large = tracemalloc.get_traced_memory()[0] - small
    finally:
        tracemalloc.stop()
    assert small < 6_000_000, small
    assert large < 15 * small, large / small
    del key, long


EVERY: dict[str, Callable[[str], str]] = {
    "JSON": lambda each: f"\\u{ord(each):04x}",
    "JSON in capitals": lambda each: f"\\u{ord(each):04X}",
    "JSON in JSON": lambda each: f"\\\\u{ord(each):04x}",
    "bytes": lambda each: f"\\x{ord(each):02x}",
    "HTML": lambda each: f"&#x{ord(each):x};",
    "HTML in numbers": lambda each: f"&#{ord(each)};",
    "URL": lambda each: f"%{ord(each):02X}",
}


@pytest.mark.parametrize("name", EVERY)
def test_a_secret_is_found_where_every_character_is_escaped(name: str) -> None:
    """However the text is cut into parts, nothing of the secret is left, and what has no secret stays as it is."""
    random = Random(name)
    for _ in range(20):
        secret = random_secret(random, random.choice((0, 1)))
        mask = Mask([secret])
        other = "".join(map(EVERY[name], random_secret(random, 0)))
        text = f"it is {''.join(map(EVERY[name], secret))} or {other}, 100% \\ & \\n"
        stream = mask.stream()
        shown = b""
        rest = text.encode()
        while rest:
            size = random.choice((1, 2, 7, 500))
            shown += stream.feed(rest[:size])
            rest = rest[size:]
        shown += stream.end()
        assert shown.decode() == mask.text(text) == f"it is {REDACTED} or {other}, 100% \\ & \\n"
