"""The files that pages load: style, script, fonts and icons, named by their content so that browsers may keep them."""

from __future__ import annotations

import gzip
import hashlib
import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from starlette.requests import Request
from starlette.responses import Response

PREFIX = "/ui/static/"
_FOLDER = Path(__file__).parent / "static"
_WORTH_PACKING = 1_000
_FOREVER = "public, max-age=31536000, immutable"
_KINDS = {
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
    ".txt": "text/plain; charset=utf-8",
    ".woff2": "font/woff2",
}
_URL = re.compile(rb"url\(([\w.-]+)\)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Asset:
    """A file that pages load."""

    kind: str
    body: bytes
    packed: bytes | None
    """The body compressed, where that is worth it."""
    digest: str


@cache
def assets() -> dict[str, Asset]:
    """Read all assets. A style sheet names the others by their content."""
    found: dict[str, Asset] = {}
    files = sorted(_FOLDER.iterdir(), key=lambda path: path.suffix == ".css")
    for path in files:
        kind = _KINDS.get(path.suffix)
        if kind is None:
            continue
        body = path.read_bytes()
        if path.suffix == ".css":
            body = _URL.sub(lambda match: _hashed(match, found), body)
        packed = None if path.suffix == ".woff2" else gzip.compress(body, 9, mtime=0)
        digest = hashlib.sha256(body).hexdigest()[:12]
        found[path.name] = Asset(kind=kind, body=body, packed=packed, digest=digest)
    return found


def _hashed(match: re.Match[bytes], known: dict[str, Asset]) -> bytes:
    name = match[1].decode()
    return f"url({name}?v={known[name].digest})".encode()


@cache
def asset_url(name: str) -> str:
    """Give the address of an asset; it changes with the content."""
    return f"{PREFIX}{name}?v={assets()[name].digest}"


def serve_asset(request: Request, name: str) -> Response:
    """Answer a request for an asset. An address with its content's name may be kept for ever."""
    found = assets().get(name)
    if found is None:
        return Response("there is no such file\n", 404, media_type="text/plain")
    is_named = request.query_params.get("v") == found.digest
    headers = {
        "Cache-Control": _FOREVER if is_named else "no-cache",
        "ETag": f'"{found.digest}"',
        "X-Content-Type-Options": "nosniff",
        "Content-Security-Policy": "default-src 'none'",
        "Vary": "Accept-Encoding",
    }
    if request.headers.get("if-none-match") == headers["ETag"]:
        return Response(status_code=304, headers=headers)
    if found.packed is not None and "gzip" in request.headers.get("accept-encoding", ""):
        return Response(found.packed, headers={**headers, "Content-Encoding": "gzip"}, media_type=found.kind)
    return Response(found.body, headers=headers, media_type=found.kind)


def packed(request: Request, body: bytes) -> tuple[bytes, dict[str, str]]:
    """Compress a page for a browser that takes it so; give the headers that say it."""
    headers = {"Vary": "Accept-Encoding, Cookie"}
    if len(body) > _WORTH_PACKING and "gzip" in request.headers.get("accept-encoding", ""):
        return gzip.compress(body, 5, mtime=0), {**headers, "Content-Encoding": "gzip"}
    return body, headers
