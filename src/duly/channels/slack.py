"""Slack: messages out by the Web API, events and presses of buttons in.

The Web API answers nearly every request with HTTP 200, and says in the body whether it worked. Events come as JSON,
presses as a form with JSON in it.
"""

from __future__ import annotations

import re
from typing import Any, Unpack
from urllib.parse import parse_qs, urlsplit

from duly.channels.formats import load_object, objects_at, refuse_broken, shorten, text_at, titled, value_at
from duly.channels.transport import DEFAULT_TIMEOUT, HttpChannel, HttpOptions, Transport, VendorResponse
from duly.errors import (
    ChannelError,
    ChannelNotConfiguredError,
    ChannelPermanentError,
    ChannelTemporaryError,
    ChannelUnknownError,
    InboundRefusedError,
)
from duly.ports.channels import Address, Button, ButtonKind, Inbound, Incoming, Outgoing, Receipt

BASE_URL = "https://slack.com"
RESPONSES = "https://hooks.slack.com"
MAX_TEXT = 3000
MAX_LABEL = 75

_STYLES = {ButtonKind.DONE: "primary"}
_TEMPORARY = {"ratelimited", "rate_limited", "service_unavailable", "request_timeout", "team_added_to_org"}
_MAY_HAVE_WORKED = {"internal_error", "fatal_error"}
_WRONG_TOKEN = {
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
_MENTION = re.compile(r"^\s*<@[A-Z0-9]+(\|[^>]*)?>\s*")
"""The bot's name at the beginning of a message to it in a channel."""
_SIGNS = {
    "+1": "👍",
    "thumbsup": "👍",
    "white_check_mark": "✅",
    "heavy_check_mark": "✔️",
    "ballot_box_with_check": "☑️",
    "ok_hand": "👌",
    "-1": "👎",
    "thumbsdown": "👎",
    "x": "❌",
    "no_entry_sign": "🚫",
    "alarm_clock": "⏰",
    "zzz": "💤",
}
"""Slack names the signs of reactions; behind two colons stands the colour of a hand."""
_DIRECT = "D"
_OF_PEOPLE = (None, "file_share", "thread_broadcast", "me_message")
"""Subtypes of messages that people write. All others are edits, and what Slack and other bots say."""
_WORDLESS = ("files", "attachments")
"""What a person sends besides text: pictures, files and clips; what was forwarded."""
"""How the ids of direct messages begin."""


class SlackChannel(HttpChannel):
    """Messages of a Slack app. An address is a channel's id, or a person's for a direct message.

    A message is known by its time in its channel, so its id here is `<channel>:<ts>`.
    """

    name = "slack"
    has_buttons = True
    server = BASE_URL

    def __init__(
        self,
        token: str,
        *,
        app_token: str | None = None,
        response_url: str = RESPONSES,
        **options: Unpack[HttpOptions],
    ) -> None:
        """`app_token` is the token of the app, with which duly listens without a public URL."""
        super().__init__(token, **options)
        # The app's token opens connections only, and the bot's opens none.
        self._app = None if app_token is None else SlackChannel(app_token, **options)
        # The answer to a press goes to another server, which must not get the token.
        self._responses = Transport(
            self.name, response_url, http=options.get("http"), timeout=options.get("timeout", DEFAULT_TIMEOUT)
        )

    async def send(self, address: Address, outgoing: Outgoing) -> Receipt:
        refuse_broken(self.name, address)
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
        answer = await self.call("chat.postMessage", body)
        if "ts" not in answer.data:
            raise self._wire.unreadable(answer)
        return Receipt(message_id=f"{answer.data.get('channel', address)}:{answer.data['ts']}")

    async def edit(self, address: Address, message_id: str, text: str, buttons: tuple[Button, ...] = ()) -> bool:
        channel, _, ts = message_id.rpartition(":")
        body = {
            "channel": channel or address,
            "ts": ts,
            "text": escape(shorten(text, MAX_TEXT)),
            "blocks": blocks(text, buttons),
        }
        try:
            await self.call("chat.update", body)
        except _SlackError as error:
            if error.code in _CANNOT_EDIT:
                return False
            raise
        return True

    async def check(self) -> str:
        me = (await self.call("auth.test", {})).data
        return f"{me.get('user')} in {me.get('team')}"

    async def answer(self, incoming: Incoming, text: str, *, closes: bool = True) -> None:
        """Replace the message whose button was pressed by `text`, or show `text` only to the person who pressed.

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

    @property
    def listens(self) -> bool:
        """Tell whether there is a token to listen with."""
        return self._app is not None

    async def socket_url(self) -> str:
        """Ask for the address of a connection over which events and presses come."""
        if self._app is None:
            raise ChannelNotConfiguredError("slack: there is no app_token to listen with")
        answer = await self._app.call("apps.connections.open", {})
        url = answer.data.get("url")
        if not isinstance(url, str):
            raise self._wire.unreadable(answer)
        return url

    async def close(self) -> None:
        if self._app is not None:
            await self._app.close()
        await super().close()
        await self._responses.close()

    async def call(self, method: str, body: dict[str, Any]) -> VendorResponse:
        """Call a method of the Web API; give a response that is `ok`, raise for any other."""
        answer = await self._wire.request("POST", f"/api/{method}", json=body)
        if not answer.ok:
            self._wire.refuse(answer, answer.data.get("error"))
        if "ok" not in answer.data:
            raise self._wire.unreadable(answer)
        if answer.data["ok"] is not True:
            raise self._failure(answer)
        return answer

    def _failure(self, answer: VendorResponse) -> ChannelError:
        code = str(answer.data.get("error"))
        reason = self._wire.clean(f"slack: {code}")
        if code in _TEMPORARY:
            return ChannelTemporaryError(reason, answer.retry_after)
        if code in _MAY_HAVE_WORKED:
            return ChannelUnknownError(f"{reason}: Slack says that a part of it may have worked")
        if code in _WRONG_TOKEN:
            needed = answer.data.get("needed")
            return ChannelNotConfiguredError(f"{reason}: check the token" + (f"; needs {needed}" if needed else ""))
        return _SlackError(reason, code)


class _SlackError(ChannelPermanentError):
    def __init__(self, message: str, code: str) -> None:
        super().__init__(message)
        self.code = code


def _same_origin(url: str, base: str) -> bool:
    """Whether a URL leads to the expected server: it comes out of a request, and duly sends a request there."""
    return urlsplit(url)[:2] == urlsplit(base)[:2] and url.startswith(f"{base}/")


def escape(text: str) -> str:
    """Escape plain text for a field in which Slack looks for markup, so that it mentions no one by accident."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def blocks(text: str, buttons: tuple[Button, ...]) -> list[dict[str, Any]]:
    """Lay a message out as blocks: Slack shows these, and the text only in notifications."""
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


# requests


def parse_slack(body: bytes) -> Inbound:
    """Read a request to either of the two URLs. Answer it with 200 at once; presses are answered at `response_url`."""
    if body.lstrip().startswith(b"{"):
        return read_event(load_object("slack", body))
    try:
        fields = parse_qs(body.decode("utf-8"))
    except ValueError as error:
        raise InboundRefusedError(f"slack: the body is no form ({error})") from None
    if "payload" not in fields:
        raise InboundRefusedError("slack: the body is neither an event nor an interaction")
    return read_interaction(load_object("slack", fields["payload"][0]))


def read_event(data: dict[str, Any]) -> Inbound:
    """Read an event: a message or a reaction of a person, or the check of a URL."""
    if data.get("type") == "url_verification":
        return Inbound(response={"challenge": text_at(data, "challenge") or ""})
    is_event = data.get("type") == "event_callback"
    found = (_message(data) or _reaction(value_at(data, "event"))) if is_event else None
    return Inbound(messages=(found,) if found else ())


def _message(data: dict[str, Any]) -> Incoming | None:
    event = data.get("event")
    room = text_at(event, "channel")
    sender = text_at(event, "user")
    ts = text_at(event, "ts")
    said = text_at(event, "text")
    by_person = text_at(event, "bot_id") is None and text_at(event, "subtype") in _OF_PEOPLE
    kind = text_at(event, "type")
    is_said = bool(said) or any(value_at(event, field) for field in _WORDLESS)
    if not (kind in ("message", "app_mention") and by_person and room and sender and ts and is_said):
        return None
    thread = text_at(event, "thread_ts")
    # In a channel people also talk to each other: only a mention or a direct message is for duly.
    said_to_us = kind == "app_mention" or room.startswith(_DIRECT)
    return Incoming(
        channel="slack",
        address=room,
        sender=sender,
        # not the event's id: a mention in a channel comes as two events about one message
        message_id=f"{room}:{ts}",
        text=None if not said else unescape(_MENTION.sub("", said)) or said,
        quoted=f"{room}:{thread}" if thread else None,
        to_us=said_to_us or thread is not None,
        person=sender if said_to_us else None,
    )


def _reaction(event: Any) -> Incoming | None:
    room = text_at(event, "item", "channel")
    ts = text_at(event, "item", "ts")
    sender = text_at(event, "user")
    name = text_at(event, "reaction")
    if text_at(event, "type") != "reaction_added" or not (room and ts and sender and name):
        return None
    return Incoming(
        channel="slack",
        address=room,
        sender=sender,
        message_id=f"reaction:{room}:{ts}:{sender}:{name}",
        reaction=_SIGNS.get(name.partition("::")[0], f":{name}:"),
        quoted=f"{room}:{ts}",
        person=sender,
    )


def read_interaction(data: dict[str, Any]) -> Inbound:
    """Read presses of buttons."""
    if data.get("type") != "block_actions":
        return Inbound()
    room = text_at(data, "container", "channel_id") or text_at(data, "channel", "id")
    ts = text_at(data, "container", "message_ts") or text_at(data, "message", "ts")
    sender = text_at(data, "user", "id")
    if not (room and ts and sender):
        return Inbound()
    return Inbound(
        messages=tuple(
            Incoming(
                channel="slack",
                address=room,
                sender=sender,
                message_id=f"{room}:{ts}:{text_at(action, 'action_ts')}",
                token=token,
                quoted=f"{room}:{ts}",
                callback=text_at(data, "response_url"),
                person=sender,
            )
            for action in objects_at(data, "actions")
            if (token := text_at(action, "value"))
        )
    )


def unescape(said: str) -> str:
    """Undo Slack's escaping of what a person typed."""
    return said.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")
