"""A daemon's door for workers, over real HTTP, with the rules of `planning.handovers` and a record in memory."""

from __future__ import annotations

import hashlib
import json
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from duly.model.handover import Handover, HandoverKey, HandoverState
from duly.planning import handovers as planning
from duly.planning.handovers import Outcome, Refusal, Revised, RunStanding
from duly.ports.executors import WorkOrder

PATIENCE = 60.0


@dataclass
class Known:
    """A handover, and what was reported about it."""

    handover: Handover
    token: str
    is_over: bool = False
    lines: list[str] = field(default_factory=list)
    progress: Any = None
    traceback: str | None = None
    refusals: list[str] = field(default_factory=list)
    beats: int = 0
    starts: set[str] = field(default_factory=set)


class StubDoor:
    """The door, and what tests ask about it. `is_down` makes it fail every request."""

    def __init__(self) -> None:
        self.changed = threading.Condition()
        self.known: dict[HandoverKey, Known] = {}
        self.is_down = False
        door = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                status, answer = door.answer(self.path, self.headers["Authorization"], body)
                content = json.dumps(answer).encode()
                self.send_response(status)
                self.send_header("Content-Length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)

            def log_message(self, *_: Any) -> None: ...

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
        self._thread.start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def order(self, run: str, task: str, number: int = 1, **facts: Any) -> WorkOrder:
        """Write down a new handover, as the engine does; gives what its executor is asked to do."""
        reports = facts.pop("reports", True)
        given: dict[str, Any] = {"args": {}, "attempt": number, "fire_at": now(), "lease_seconds": 60.0, **facts}
        order = WorkOrder(
            key=HandoverKey(run, number),
            token=f"token-{run}-{number}-{len(self.known)}",
            run_key=f"key-{run}",
            schedule="nightly",
            task=task,
            **given,
        )
        handover = Handover(
            run_id=run,
            number=number,
            schedule_id="sch_1",
            executor="heavy",
            task=task,
            state=HandoverState.HANDED_OVER,
            token_hash=hashlib.sha256(order.token.encode()).hexdigest(),
            reports=reports,
            lease_seconds=order.lease_seconds,
            intended_at=now(),
            begin_by=order.begin_by,
        )
        with self.changed:
            self.known[order.key] = Known(handover, order.token)
        return order

    def cancel(self, key: HandoverKey) -> None:
        with self.changed:
            self.known[key].is_over = True

    def gives_up(self, key: HandoverKey) -> bool:
        """Judge, as the watch does, whether a handover has lasted too long."""
        with self.changed:
            change = planning.give_up(
                self.known[key].handover, self._standing(key), hearing_since=datetime.min.replace(tzinfo=UTC), now=now()
            )
            if change is not None:
                self.known[key].handover = change.handover
            return change is not None

    def wait(self, key: HandoverKey, fact: Callable[[Known], object], what: str) -> Known:
        """Wait for something to be known about a handover."""
        until = time.monotonic() + PATIENCE
        with self.changed:
            while not fact(self.known[key]):
                assert self.changed.wait(until - time.monotonic()), f"{what} of {key} never came: {self.known[key]}"
            return self.known[key]

    def wait_for_end(self, key: HandoverKey) -> Known:
        return self.wait(key, lambda known: known.handover.state.final, "the end")

    def wait_for_begin(self, key: HandoverKey) -> Known:
        return self.wait(key, lambda known: known.handover.begun_at is not None, "the beginning")

    def answer(self, path: str, authorization: str, body: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        run, number, what = path.removeprefix("/api/v1/executions/").split("/")
        key = HandoverKey(run, int(number))
        with self.changed:
            self.changed.notify_all()
            known = self.known.get(key)
            if self.is_down:
                return 503, {}
            if known is None or authorization != f"Bearer {known.token}":
                return 404, {}
            judged = getattr(self, f"_{what}")(key, known, body)
            if isinstance(judged, Refusal):
                known.refusals.append(f"{what}: {judged}")
                return 409, {"refusal": str(judged)}
            known.handover = judged.handover
            if what == "begin":
                known.starts.add(body["start"])
                return 200, {"key": "k", "schedule": "s", "attempt": 1, "lease_seconds": judged.handover.lease_seconds}
            return 200, {"lines": len(known.lines)}

    def _standing(self, key: HandoverKey) -> RunStanding:
        latest = max(each.number for each in self.known if each.run_id == key.run_id)
        return RunStanding(latest=latest, run_is_over=self.known[key].is_over, fence=1)

    def _begin(self, key: HandoverKey, known: Known, body: dict[str, Any]) -> Revised | Refusal:
        return planning.begin(
            known.handover,
            self._standing(key),
            start=body["start"],
            worker=body["worker"],
            after=body.get("after"),
            now=now(),
        )

    def _beat(self, key: HandoverKey, known: Known, body: dict[str, Any]) -> Revised | Refusal:
        judged = planning.beat(known.handover, self._standing(key), start=body["start"], now=now())
        if isinstance(judged, Revised):
            known.beats += 1
            known.progress = body.get("progress", known.progress)
            sent_before = body.get("lines_before", len(known.lines))
            known.lines += [each["text"] for each in body.get("lines", ())][len(known.lines) - sent_before :]
        return judged

    def _end(self, key: HandoverKey, known: Known, body: dict[str, Any]) -> Revised | Refusal:
        known.traceback = body.get("traceback", known.traceback)
        outcome = Outcome(HandoverState(body["state"]), result=json.dumps(body.get("result")), error=body.get("error"))
        return planning.end(known.handover, self._standing(key), outcome, start=body["start"], now=now())


def now() -> datetime:
    return datetime.now(UTC)


def later(seconds: float) -> datetime:
    return now() + timedelta(seconds=seconds)
