"""Links that carry an answer: whoever holds one may give that answer, until it expires, and nothing else."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
from datetime import UTC, datetime

from duly.errors import InboundRefusedError, InvalidInputError
from duly.ports.channels import ButtonKind

_VERSION = "1"
_SIGNATURE_SIZE = 16


def sign_link(secret: str, token: str, action: ButtonKind, expires: datetime) -> str:
    """A text for a URL that stands for one answer to one message."""
    if not secret:
        raise InvalidInputError("links need a secret to be signed with")
    fields = f"{_VERSION}.{int(expires.timestamp())}.{action.value}.{_encode(token.encode())}"
    return f"{fields}.{_sign(secret, fields)}"


def verify_link(secret: str, signed: str, now: datetime) -> tuple[str, ButtonKind]:
    """The token and the answer in a link that we signed; `InboundRefusedError` for any other."""
    fields, _, signature = signed.rpartition(".")
    if not secret or not hmac.compare_digest(signature.encode(), _sign(secret, fields).encode()):
        raise InboundRefusedError("this link is not one of ours, or was changed on the way")
    try:
        _, expires, action, token = fields.split(".")
        kind, found = ButtonKind(action), _decode(token).decode()
        until = datetime.fromtimestamp(int(expires), UTC)
    except (ValueError, binascii.Error) as error:
        raise InboundRefusedError("this link was signed for something else") from error
    if now >= until:
        raise InboundRefusedError(f"this link expired at {until:%Y-%m-%d %H:%M} UTC")
    return found, kind


def _sign(secret: str, fields: str) -> str:
    mac = hmac.new(secret.encode(), b"duly link " + fields.encode(), hashlib.sha256).digest()
    return _encode(mac[:_SIGNATURE_SIZE])


def _encode(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def _decode(text: str) -> bytes:
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
