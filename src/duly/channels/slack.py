"""Slack: the Web API. It answers nearly everything with HTTP 200, and says in the body whether it worked."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlsplit

import httpx

from duly.channels.text import shorten, titled
from duly.channels.transport import DEFAULT_TIMEOUT, Answer, Transport
from duly.errors import (
    ChannelError,
    ChannelNotConfiguredError,
    ChannelPermanentError,
    ChannelTemporaryError,
    ChannelUnknownError,
)
from duly.ports.channels import Address, Button, ButtonKind, Incoming, Outgoing, Receipt

BASE_URL = "https://slack.com"
RESPONSES = "https://hooks.slack.com"
MAX_TEXT = 3000
MAX_LABEL = 75

_STYLES = {ButtonKind.DONE: "primary"}
_TEMPORARY = {"ratelimited", "rate_limited", "service_unavailable", "request_timeout", "team_added_to_org"}
_MAY_HAVE_WORKED = {"internal_error", "fatal_error"}
_OUR_FAULT = {
    "account_inactive",
    "invalid_auth",
    "missing_scope",
    "no_permission",
    "not_allowed_token_type",
    "not_authed",
    "token_expired",
    "token_revoked",
}
_CANNOT_EDIT = {"message_not_found", "cant_update_message", "edit_window_closed"}


class SlackChannel:
    """Messages of a Slack app. An address is a channel's id, or a person's for a direct message.

    A message is known by its time in its channel, so its id here is `<channel>:<ts>`.
    """

    name = "slack"
    has_buttons = True

    def __init__(
        self,
        token: str,
        *,
        base_url: str = BASE_URL,
        response_url: str = RESPONSES,
        http: httpx.AsyncClient | None = None,
        timeout: float = DEFAULT_TIMEOUT,
    ) -> None:
        headers = {"Authorization": f"Bearer {token}"}
        self._wire = Transport(self.name, base_url, http=http, timeout=timeout, headers=headers, secrets=[token])
        self._responses = Transport(self.name, response_url, http=http, timeout=timeout)

    async def send(self, address: Address, outgoing: Outgoing) -> Receipt:
        text = titled(outgoing)
        body: dict[str, Any] = {
            "channel": address,
            "text": escape(shorten(text, MAX_TEXT)),
            "blocks": blocks(text, outgoing.buttons),
            "unfurl_links": False,
            # lets a person with access to the history find out whether a message without an answer arrived
            "metadata": {"event_type": "duly_message", "event_payload": {"key": outgoing.key}},
        }
        channel, _, ts = (outgoing.reply_to or "").rpartition(":")
        if channel:
            body["thread_ts"] = ts
        answer = await self._call("chat.postMessage", body)
        if "ts" not in answer.data:
            raise self._wire.unreadable(answer)
        return Receipt(message_id=f"{answer.data.get('channel', address)}:{answer.data['ts']}")

    async def edit(self, address: Address, message_id: str, text: str) -> bool:
        channel, _, ts = message_id.rpartition(":")
        body = {
            "channel": channel or address,
            "ts": ts,
            "text": escape(shorten(text, MAX_TEXT)),
            "blocks": blocks(text, ()),
        }
        try:
            await self._call("chat.update", body)
        except _SlackError as error:
            if error.code in _CANNOT_EDIT:
                return False
            raise
        return True

    async def check(self) -> str:
        me = (await self._call("auth.test", {})).data
        return f"{me.get('user')} in {me.get('team')}"

    async def answer(self, incoming: Incoming, text: str, *, closes: bool = True) -> None:
        """Put `text` in the place of the message whose button was pressed, or show it to whoever pressed alone.

        Slack keeps this open for half an hour.
        """
        if incoming.callback is None:
            return
        if not _same_origin(incoming.callback, self._responses.base_url):
            raise ChannelPermanentError(f"slack: the response_url is not at {self._responses.base_url}")
        body = {"replace_original": closes, "text": escape(text), "blocks": blocks(text, ())}
        if not closes:
            body["response_type"] = "ephemeral"
        path = incoming.callback[len(self._responses.base_url) :]
        answer = await self._responses.request("POST", "/***", hidden_path=path, json=body)
        if not answer.ok and answer.status not in (404, 410):
            self._responses.refuse(answer, "the response_url did not take the answer")

    async def close(self) -> None:
        await self._wire.close()
        await self._responses.close()

    async def _call(self, method: str, body: dict[str, Any]) -> Answer:
        answer = await self._wire.request("POST", f"/api/{method}", json=body)
        if not answer.ok:
            self._wire.refuse(answer, answer.data.get("error"))
        if "ok" not in answer.data:
            raise self._wire.unreadable(answer)
        if answer.data["ok"] is not True:
            raise self._failure(answer)
        return answer

    def _failure(self, answer: Answer) -> ChannelError:
        code = str(answer.data.get("error"))
        told = self._wire.clean(f"slack: {code}")
        if code in _TEMPORARY:
            return ChannelTemporaryError(told, answer.retry_after)
        if code in _MAY_HAVE_WORKED:
            return ChannelUnknownError(f"{told}: Slack says that a part of it may have worked")
        if code in _OUR_FAULT:
            needed = answer.data.get("needed")
            return ChannelNotConfiguredError(f"{told}: check the token" + (f"; needs {needed}" if needed else ""))
        return _SlackError(told, code)


class _SlackError(ChannelPermanentError):
    def __init__(self, message: str, code: str) -> None:
        super().__init__(message)
        self.code = code


def _same_origin(url: str, base: str) -> bool:
    """Whether a URL leads to the server we expect: it is taken from a request, and gets a request of ours."""
    return urlsplit(url)[:2] == urlsplit(base)[:2] and url.startswith(f"{base}/")


def escape(text: str) -> str:
    """Plain text for a field that Slack searches for markup: nobody is mentioned by accident."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def blocks(text: str, buttons: tuple[Button, ...]) -> list[dict[str, Any]]:
    """The message as blocks: with any, Slack shows these, and the text only in notifications."""
    shown: list[dict[str, Any]] = [
        {"type": "section", "text": {"type": "plain_text", "text": shorten(text, MAX_TEXT), "emoji": False}}
    ]
    if buttons:
        shown.append({"type": "actions", "elements": [_button(button) for button in buttons]})
    return shown


def _button(button: Button) -> dict[str, Any]:
    element: dict[str, Any] = {
        "type": "button",
        "text": {"type": "plain_text", "text": shorten(button.label, MAX_LABEL)},
        "action_id": f"duly_{button.kind}",
        "value": button.token,
    }
    if button.kind in _STYLES:
        element["style"] = _STYLES[button.kind]
    return element
