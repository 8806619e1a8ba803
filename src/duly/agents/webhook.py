"""Prompts for a webhook: one signed POST, whose answer is read within bounds."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from duly.agents.assignment import AgentAnswer, Assignment, PromptError
from duly.agents.output import Capture, parse_document, shorten
from duly.agents.profile import Parse, SpawnerProfile
from duly.clock import Clock
from duly.errors import InvalidInputError
from duly.outbound.addresses import HostRefusedError, HostUnknownError, UserUrl
from duly.outbound.masking import Mask, load_masked
from duly.outbound.secrets import resolve
from duly.zones import iso

if TYPE_CHECKING:
    import httpx

_LONGEST_COMPLAINT = 300


class WebhookAgent:
    """Carries prompts out by posting them to a server of the user."""

    def __init__(self, clock: Clock, environ: Mapping[str, str]) -> None:
        self._clock = clock
        self._environ = environ

    async def carry_out(self, profile: SpawnerProfile, work: Assignment) -> AgentAnswer:
        """Post a prompt, and return the answer; the key that signs requests is replaced if the server repeats it."""
        key = profile.secret
        secret = None if key is None else resolve(key, self._environ, profile.key("secret"), profile.folder)
        secrets = Mask(() if secret is None else (secret,))
        try:
            answer = await self._post(profile, work, secret, secrets)
        except PromptError as error:
            raise error.without(secrets) from None
        return answer.without(secrets)

    async def _post(self, profile: SpawnerProfile, work: Assignment, secret: str | None, secrets: Mask) -> AgentAnswer:
        # Imported here: the HTTP library takes long to import, and most processes call no webhook.
        from duly.outbound.http import RequestError
        from duly.outbound.webhooks import WebhookClient

        url = UserUrl.parse(profile.url or "")
        client = WebhookClient(clock=self._clock, timeout=profile.timeout, allow_private=profile.allow_private)
        received = Capture(profile.output_cap)
        masked = secrets.stream()
        await work.started(None, work.session_id)
        try:
            async with client.post(url, _payload(work), key=work.key, secret=secret) as response:
                async for chunk in response.aiter_bytes():
                    received.feed(masked.feed(chunk))
                received.feed(masked.end())
        except HostUnknownError as error:
            raise InvalidInputError(f"{profile.key('url')}: {error}") from None
        except HostRefusedError as error:
            hint = ": set allow_private = true if it is meant" if error.allowable else ""
            raise InvalidInputError(f"{profile.key('url')}: {error.reason}{hint}") from None
        except RequestError as error:
            raise PromptError(f"{url.host}: {error}", summary=f"{url.host}: {error.kind}") from error
        return _answer(profile, url.host, response, received)


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


def _answer(profile: SpawnerProfile, host: str, response: httpx.Response, received: Capture) -> AgentAnswer:
    text = received.text
    if not response.is_success:
        summary = f"{host} answered {response.status_code}"
        raise PromptError(f"{summary}: {shorten(text.strip(), _LONGEST_COMPLAINT) or 'nothing'}", summary=summary)
    if profile.parse is Parse.TEXT:
        return AgentAnswer(text=text)
    try:
        document = load_masked(text)
    except (ValueError, RecursionError):
        summary = f"{host} answered no JSON"
        raise PromptError(f"{summary}: {shorten(text, _LONGEST_COMPLAINT)}", summary=summary) from None
    found = parse_document(profile, document)
    if found.error is not None:
        complaint = shorten(found.error, _LONGEST_COMPLAINT)
        raise PromptError(f"{host}: {complaint}", summary=f"{host} reports an error")
    return AgentAnswer(text=found.text, session_id=found.session_id, cost_usd=found.cost_usd, usage=found.usage)
