"""Prompts for a webhook: one signed POST, its answer read within bounds. Redirects are not followed."""

from __future__ import annotations

import hashlib
import hmac
import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from duly.agents.assignment import Answer, Assignment, PromptError, amount
from duly.agents.capture import Capture, shorten
from duly.agents.environment import fetch, harmless_session, without, without_any
from duly.agents.profile import Parse, SpawnerProfile
from duly.agents.reading import session_name
from duly.clock import Clock
from duly.errors import InvalidInputError
from duly.outbound.addresses import HostRefusedError, HostUnknownError, IPAddress, addresses_of
from duly.zones import iso

if TYPE_CHECKING:
    import httpx

_LONGEST_COMPLAINT = 300
_SAFE = "/:+#@"  # what a header may carry of a key as it is


class WebhookCarrier:
    """Carries prompts out by handing them to somebody else's server."""

    def __init__(self, clock: Clock, environ: Mapping[str, str]) -> None:
        self._clock = clock
        self._environ = environ

    async def carry_out(self, profile: SpawnerProfile, work: Assignment) -> Answer:
        """Ask the server; the key that signs requests does not come back, whatever the server says."""
        secret = [] if profile.secret is None else [fetch(profile.secret, self._environ, profile.key("secret"))]
        try:
            answer = await self._carry_out(profile, work)
        except PromptError as error:
            raise PromptError(without(secret, str(error)), summary=error.summary) from error
        return replace(
            answer,
            text=None if answer.text is None else without(secret, answer.text),
            session_id=harmless_session(secret, answer.session_id),
            usage=without_any(secret, answer.usage),
        )

    async def _carry_out(self, profile: SpawnerProfile, work: Assignment) -> Answer:
        import httpx  # late: most never call a webhook

        url = httpx.URL(profile.url or "")
        port = url.port or (443 if url.scheme == "https" else 80)
        addresses = await _addresses(profile, url.host, port)
        body = json.dumps(_payload(work), ensure_ascii=False).encode()
        headers = {"Host": url.netloc.decode("ascii"), **self._headers(profile, work, body)}
        await work.started(None, work.session_id)
        async with httpx.AsyncClient(trust_env=False, timeout=profile.timeout) as client:
            request = client.build_request(
                "POST", url, content=body, headers=headers, extensions={"sni_hostname": url.host}
            )
            try:
                response = await _send(client, request, addresses)
                received = await _receive(response, profile.output_cap)
            except httpx.HTTPError as error:
                told = f"{url.host}: {type(error).__name__}"
                raise PromptError(f"{told}: {error}", summary=told) from error
        if not response.is_success:
            said = shorten(received.text.strip(), _LONGEST_COMPLAINT)
            told = f"{url.host} answered {response.status_code}"
            raise PromptError(f"{told}: {said or 'nothing'}", summary=told)
        return _read(profile, url.host, received)

    def _headers(self, profile: SpawnerProfile, work: Assignment, body: bytes) -> dict[str, str]:
        moment = str(int(self._clock.now().timestamp()))
        headers = {
            "Content-Type": "application/json",
            "Idempotency-Key": quote(work.key, _SAFE),
            "X-Duly-Timestamp": moment,
        }
        if profile.secret is not None:
            secret = fetch(profile.secret, self._environ, profile.key("secret")).encode()
            headers["X-Duly-Signature"] = f"sha256={sign(secret, moment, body)}"
        return headers


def sign(secret: bytes, timestamp: str, body: bytes) -> str:
    """What the receiver computes as well, to know that the request is ours and not an old one."""
    return hmac.new(secret, timestamp.encode() + b"." + body, hashlib.sha256).hexdigest()


def _payload(work: Assignment) -> dict[str, Any]:
    target = work.target
    return {
        "prompt": work.prompt,
        "trigger_source": work.trigger_source,
        "idempotency_key": work.key,
        "schedule": work.run.name,
        "schedule_id": work.run.schedule_id,
        "run_id": work.run.run_id,
        "attempt": work.run.attempt,
        "fire_at": iso(work.run.fire_at),
        "target": target and {"project_id": target.project_id, "workspace_id": target.workspace_id},
        "session_id": work.session_id,
        "model": work.model,
        "max_cost_usd": work.max_cost,
    }


async def _addresses(profile: SpawnerProfile, host: str, port: int) -> list[IPAddress]:
    """Where to connect to; refused when the host may not be called."""
    try:
        return await addresses_of(host, port, allow_private=profile.allow_private)
    except HostUnknownError as error:
        raise InvalidInputError(f"{profile.key('url')}: {error}") from None
    except HostRefusedError as error:
        hint = ": set allow_private = true if it is meant" if error.allowable else ""
        raise InvalidInputError(f"{profile.key('url')}: {error.reason}{hint}") from None


async def _send(client: httpx.AsyncClient, request: httpx.Request, addresses: Sequence[IPAddress]) -> httpx.Response:
    """Connect to an address that was checked: asking for it again might give another.

    Where nobody listens on one, nothing was sent, and the next one is tried.
    """
    import httpx

    *more, last = addresses
    for address in more:
        with suppress(httpx.ConnectError, httpx.ConnectTimeout):
            return await client.send(_at(request, address), stream=True)
    return await client.send(_at(request, last), stream=True)


def _at(request: httpx.Request, address: IPAddress) -> httpx.Request:
    request.url = request.url.copy_with(host=str(address))
    return request


async def _receive(response: httpx.Response, cap: int) -> Capture:
    capture = Capture(cap)
    try:
        async for chunk in response.aiter_bytes():
            capture.feed(chunk)
    finally:
        await response.aclose()
    return capture


def _read(profile: SpawnerProfile, host: str, received: Capture) -> Answer:
    text = received.text
    if profile.parse is Parse.TEXT:
        return Answer(text=text)
    try:
        document = json.loads(text)
    except (ValueError, RecursionError):
        told = f"{host} answered no JSON"
        raise PromptError(f"{told}: {shorten(text, _LONGEST_COMPLAINT)}", summary=told) from None
    found = {name: _first(profile, name, document) for name in ("text", "session", "cost", "usage", "error")}
    if found["error"]:
        complaint = shorten(str(found["error"]), _LONGEST_COMPLAINT)
        raise PromptError(f"{host}: {complaint}", summary=f"{host} reports an error")
    return Answer(
        text=None if found["text"] is None else str(found["text"]),
        session_id=session_name(found["session"]),
        cost_usd=amount(found["cost"]),
        usage=found["usage"],
    )


def _first(profile: SpawnerProfile, name: str, document: Any) -> Any:
    selector = profile.selector(name)
    return next(iter(selector.find(document)), None) if selector is not None else None
