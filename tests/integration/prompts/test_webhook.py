"""Prompts for webhooks: signed, repeatable, bounded, and not sent to private addresses by default."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from ipaddress import ip_address
from pathlib import Path
from typing import Any

import pytest

from duly.agents import PromptError, SpawnerKind, SpawnerProfile
from duly.channels.webhook import WebhookChannel
from duly.clock import SystemClock
from duly.errors import RunTimeoutError
from duly.model.action import Prompt
from duly.outbound.addresses import IPAddress, networks
from duly.outbound.webhooks import sign
from duly.testing import VirtualClock
from tests.channels.samples import NOW, PLAIN
from tests.integration.prompts.support import Bench, at, own

KEY = "env:HOOK_KEY"
NO_KEY = "env:NOT_SET"
KEY_FILE = "file:hook.secret"


class Receiver:
    """A server that keeps the requests it gets, and answers as the test says."""

    def __init__(self) -> None:
        self.requests: list[tuple[dict[str, str], bytes]] = []
        self.status = 200
        self.answer = b'{"text": "done", "session": "s-1", "cost": 0.25, "tokens": {"in": 3}}'
        self.headers: dict[str, str] = {}
        self.hangs = threading.Event()
        self.hangs.set()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02})
        self._thread.start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}/hook?x=1"

    def _handler(receiver) -> type[BaseHTTPRequestHandler]:  # noqa: N805
        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                receiver.requests.append(({name.lower(): value for name, value in self.headers.items()}, body))
                receiver.hangs.wait(60)
                self.send_response(receiver.status)
                for name, value in receiver.headers.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(receiver.answer)

            def log_message(self, *_: Any) -> None:
                pass

        return Handler

    def close(self) -> None:
        self.hangs.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    made = Receiver()
    yield made
    made.close()


def hook(url: str, **more: Any) -> SpawnerProfile:
    paths = {"text_path": "text", "session_path": "session", "cost_path": "cost", "usage_path": "tokens"}
    settings = {"parse": "json", "session": "parsed", "error_path": "error", "allow_private": True, **paths, **more}
    return SpawnerProfile(name="hook", kind=SpawnerKind.WEBHOOK, url=url, **settings)


async def test_a_prompt_is_posted_signed_and_answered(bench: Bench, receiver: Receiver) -> None:
    bench.environ["HOOK_KEY"] = "hush"
    dispatcher = bench.dispatcher(hook(receiver.url, secret=KEY))
    prompt = Prompt(text="go", targets=at("api"), max_cost_per_run=2.0)
    result = await bench.run(prompt, dispatcher=dispatcher)
    [target] = result["targets"]
    assert (target["text"], target["session_id"], target["cost_usd"]) == ("done", "s-1", 0.25)
    assert target["usage"] == {"in": 3}
    await bench.run(prompt, dispatcher=dispatcher, run_id="run_2", attempt=2)
    (headers, body), (_, second) = receiver.requests
    assert json.loads(body) == {
        "prompt": "go",
        "trigger_source": "schedule:nightly",
        "idempotency_key": "sched_1/schedule/2026-03-01T09:00:00+00:00#api",
        "schedule": "nightly",
        "schedule_id": "sched_1",
        "run_id": own("run_1"),
        "attempt": 1,
        "fire_at": "2026-03-01T09:00:00Z",
        "target": {"project_id": "api", "workspace_id": None},
        "session_id": None,
        "model": None,
        "max_cost_usd": 2.0,
    }
    assert json.loads(second)["session_id"] == "s-1"
    assert json.loads(second)["idempotency_key"] == headers["idempotency-key"]
    assert headers["x-duly-signature"] == sign("hush", headers["x-duly-timestamp"], body)
    assert headers["user-agent"] == "duly"
    assert headers["host"] == receiver.url.split("/")[2]


@pytest.mark.parametrize(
    ("status", "answer", "words"),
    [
        (500, b"out of order", "answered 500: out of order"),
        (302, b"", "answered 302: nothing"),
        (200, b"<html>", "answered no JSON: <html>"),
        (200, b'{"error": "no such agent"}', "no such agent"),
    ],
)
async def test_a_response_that_is_no_answer_fails_the_run(
    bench: Bench, receiver: Receiver, status: int, answer: bytes, words: str
) -> None:
    receiver.status, receiver.answer = status, answer
    receiver.headers = {"Location": receiver.url} if status == 302 else {}
    with pytest.raises(PromptError, match=words):
        await bench.run(Prompt(text="go"), dispatcher=bench.dispatcher(hook(receiver.url)))
    assert len(receiver.requests) == 1


async def test_an_answer_of_any_size_is_kept_within_bounds(bench: Bench, receiver: Receiver) -> None:
    receiver.answer = b"x" * 20_000_000
    profile = SpawnerProfile(
        name="hook", kind=SpawnerKind.WEBHOOK, url=receiver.url, allow_private=True, output_cap=4096
    )
    result = await bench.run(Prompt(text="go"), dispatcher=bench.dispatcher(profile))
    assert "bytes left out" in result["targets"][0]["text"]
    assert len(result["targets"][0]["text"]) < 5000


async def test_a_server_that_never_answers_ends_with_the_timeout(bench: Bench, receiver: Receiver) -> None:
    receiver.hangs.clear()
    with pytest.raises(RunTimeoutError, match=r"timed out after 0\.3 s"):
        await bench.run(Prompt(text="go"), dispatcher=bench.dispatcher(hook(receiver.url)), within=0.3)


async def test_the_next_address_is_tried_where_no_server_listens(
    bench: Bench, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def several(*_: Any, **__: Any) -> list[IPAddress]:
        return [ip_address(each) for each in ("::1", "127.0.0.2", "127.0.0.1")]

    monkeypatch.setattr("duly.outbound.webhooks.addresses_of", several)
    url = receiver.url.replace("127.0.0.1", "localhost")
    result = await bench.run(Prompt(text="go"), dispatcher=bench.dispatcher(hook(url)))
    assert result["targets"][0]["text"] == "done"
    [(headers, _)] = receiver.requests
    assert headers["host"] == url.split("/")[2]


@pytest.mark.parametrize("cost", ["-1", "true", "NaN", "1e999"])
async def test_a_cost_that_is_no_amount_is_not_counted(bench: Bench, receiver: Receiver, cost: str) -> None:
    receiver.answer = f'{{"text": "done", "cost": {cost}}}'.encode()
    result = await bench.run(Prompt(text="go"), dispatcher=bench.dispatcher(hook(receiver.url)))
    assert (result["targets"][0]["text"], result["cost_usd"]) == ("done", None)


async def test_a_server_that_cannot_be_reached_fails_the_run(bench: Bench) -> None:
    with pytest.raises(PromptError, match="ConnectError"):
        await bench.run(Prompt(text="go"), dispatcher=bench.dispatcher(hook("http://127.0.0.1:9/")))


@pytest.mark.parametrize(
    "url",
    [
        "http://127.0.0.1:{port}/",
        "http://localhost:{port}/",
        "http://[::ffff:127.0.0.1]:{port}/",
        "http://2130706433:{port}/",
    ],
)
async def test_private_addresses_are_refused_by_default(bench: Bench, receiver: Receiver, url: str) -> None:
    port = receiver.url.split(":")[2].split("/")[0]
    profile = hook(url.format(port=port), allow_private=False)
    with pytest.raises(PromptError, match="which is not public: set allow_private"):
        await bench.run(Prompt(text="go"), dispatcher=bench.dispatcher(profile))
    assert receiver.requests == []


async def test_a_missing_secret_is_reported_and_nothing_is_sent(bench: Bench, receiver: Receiver) -> None:
    dispatcher = bench.dispatcher(hook(receiver.url, secret=NO_KEY))
    with pytest.raises(PromptError, match=r"spawners\.hook\.secret: the environment variable NOT_SET is not set"):
        await bench.run(Prompt(text="go"), dispatcher=dispatcher)
    assert receiver.requests == []


async def test_a_relative_file_of_a_secret_starts_from_the_folder_of_the_configuration(
    bench: Bench, receiver: Receiver
) -> None:
    (bench.folder / "etc").mkdir()
    (bench.folder / "etc" / "hook.secret").write_text("hush\n", encoding="utf-8")
    profile = hook(receiver.url, secret=KEY_FILE, folder=bench.folder / "etc")
    await bench.run(Prompt(text="go"), dispatcher=bench.dispatcher(profile))
    [(headers, body)] = receiver.requests
    assert headers["x-duly-signature"] == sign("hush", headers["x-duly-timestamp"], body)


async def test_prompts_and_messages_with_the_same_body_have_the_same_signature(
    bench: Bench, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    for payload in ("duly.agents.webhook._payload", "duly.channels.webhook.payload"):
        monkeypatch.setattr(payload, lambda _: {"text": "the same for both"})
    bench.environ["HOOK_KEY"] = "hush"
    dispatcher = bench.dispatcher(hook(receiver.url, secret=KEY), clock=VirtualClock(NOW))
    await bench.run(Prompt(text="go"), dispatcher=dispatcher)
    channel = WebhookChannel("hush", VirtualClock(NOW), allowed=networks(["127.0.0.0/8"], "allow"))
    await channel.send(receiver.url, PLAIN)
    (of_prompt, body), (of_message, same_body) = receiver.requests
    assert body == same_body
    del of_prompt["idempotency-key"], of_message["idempotency-key"]
    assert of_prompt == of_message
    assert of_prompt["x-duly-signature"].startswith("v1=")


async def test_the_receiver_of_the_documentation_accepts_prompts_and_messages(bench: Bench, receiver: Receiver) -> None:
    page = (Path(__file__).parents[3] / "docs" / "channels.md").read_text(encoding="utf-8")
    [code] = re.findall(r"```python\n(import hashlib.*?)```", page, re.DOTALL)
    example: dict[str, Any] = {}
    exec(code, example)  # noqa: S102  the page is ours
    bench.environ["HOOK_KEY"] = "hush"
    await bench.run(Prompt(text="go"), dispatcher=bench.dispatcher(hook(receiver.url, secret=KEY)))
    channel = WebhookChannel("hush", SystemClock(), allowed=networks(["127.0.0.0/8"], "allow"))
    await channel.send(receiver.url, PLAIN)
    for sent, body in receiver.requests:
        headers = {"X-Duly-Timestamp": sent["x-duly-timestamp"], "X-Duly-Signature": sent["x-duly-signature"]}
        assert example["is_genuine"]("hush", headers, body)
        assert not example["is_genuine"]("hush", headers, body + b" ")
        assert not example["is_genuine"]("another", headers, body)
        old = str(int(headers["X-Duly-Timestamp"]) - 400)
        late = {"X-Duly-Timestamp": old, "X-Duly-Signature": sign("hush", old, body)}
        assert not example["is_genuine"]("hush", late, body)
