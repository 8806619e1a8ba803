"""The dashboard's ground: who looks, what a page is made of, how a form comes back, and how faults are shown."""

from __future__ import annotations

import json
import logging
from collections.abc import Awaitable, Callable
from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote, urlsplit

from fastapi import APIRouter
from fastapi.exceptions import RequestValidationError
from fastapi.routing import APIRoute
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import Response

from duly._version import __version__
from duly.errors import (
    AccessDeniedError,
    ConflictError,
    DulyError,
    InvalidInputError,
    NotFoundError,
    StoreError,
    TooManyRequestsError,
    UnknownTimezoneError,
)
from duly.expansion import REQUEST, bounded
from duly.model.codec import Json
from duly.service.access.scopes import Caller, Face
from duly.service.services import Services
from duly.web import marks, words
from duly.web.assets import asset_url, packed
from duly.web.doors import Doors
from duly.web.frame import NavCounter, make_frame
from duly.web.session import ANYONE, COOKIE, LOCAL, WebSession
from duly.web.viewer import THEMES, Say, Viewer
from duly.zones import Zone

_log = logging.getLogger("duly")
THEME_COOKIE = "duly_theme"
ZONE_COOKIE = "duly_zone"
KEYS_COOKIE = "duly_keys"
_TOAST_COOKIE = "duly_toast"
_LINK_USED = "This link was used already, or has expired. duly dashboard prints a new one."
_LARGEST_FORM = 1_000_000
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self'; img-src 'self'; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
_HEADERS = {
    "Content-Security-Policy": _POLICY,
    "X-Content-Type-Options": "nosniff",
    # not "no-referrer": with it browsers say `Origin: null` for our own forms
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=()",
    "X-Frame-Options": "DENY",
    "Cache-Control": "no-store",
}


class SignInNeededError(DulyError):
    """The browser has no valid session."""


class ForgedFormError(AccessDeniedError):
    """A form did not come from a page of its session."""


_TEMPLATES = Environment(
    loader=FileSystemLoader(Path(__file__).parent / "templates"),
    autoescape=True,
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)
_TEMPLATES.globals.update(asset=asset_url, words=words, marks=marks, version=__version__)


class Site:
    """What every screen needs. Screens get it as an argument of their `make_…` function."""

    def __init__(self, services: Services, doors: Doors) -> None:
        self.services = services
        self.doors = doors
        self._counter = NavCounter(services)

    def router(self) -> APIRouter:
        """Make a router whose routes know their viewer, take only our own forms, and show faults as pages."""
        return APIRouter(route_class=_page_route(self), include_in_schema=False)

    # who looks

    def caller(self, request: Request) -> Caller:
        """Give the caller of a page."""
        return self.viewer(request).caller

    def viewer(self, request: Request) -> Viewer:
        """Give the viewer of a page."""
        viewer: Viewer = request.state.viewer
        return viewer

    async def enter(self, request: Request) -> Viewer:
        """Find the viewer of a request; raises when the browser has to sign in first."""
        now = self.services.clock.now()
        session = self.doors.sessions.read(request.cookies.get(COOKIE), now)
        if session is None and self.doors.is_open(request):
            session = self.doors.sessions.begin(ANYONE, now)
            request.state.begun = session
        caller = None if session is None else await self._holder(session, request)
        if session is None or caller is None:
            if self.doors.sessions.is_forged(request.cookies.get(COOKIE)):
                await self.doors.refused(request, "a forged cookie", None)
            raise SignInNeededError("sign in first")
        theme = request.cookies.get(THEME_COOKIE, "")
        return Viewer(
            caller=caller,
            session=session,
            zone=await self._zone(request, caller),
            theme=theme if theme in THEMES else "system",
            keys=request.cookies.get(KEYS_COOKIE) != "off",
            now=now,
        )

    async def _holder(self, session: WebSession, request: Request) -> Caller | None:
        if session.holder == LOCAL:
            return self.doors.local
        if session.holder == ANYONE:
            return self.doors.anyone if self.doors.is_open(request) else None
        return await self.services.tokens.caller_of_hash(session.holder, Face.GUI)

    async def _zone(self, request: Request, caller: Caller) -> Zone:
        wanted = unquote(request.cookies.get(ZONE_COOKIE, ""))
        if wanted:
            try:
                return Zone.of(wanted)
            except UnknownTimezoneError:
                pass  # a cookie of another version, or written by hand
        return Zone.of(await self.services.schedules.zones.person(caller))

    # what is shown

    async def render(self, request: Request, template: str, *, status: int = 200, **context: Any) -> Response:
        """Render a page with its frame. A template gets viewer, say, now, zone, csrf, frame, path and the toast."""
        viewer = self.viewer(request)
        frame = await make_frame(self.services, self._counter, viewer)
        # A page that is about to be left may fetch its live parts once more: the toast is for the page that comes.
        toast = None if "x-duly-live" in request.headers else request.cookies.get(_TOAST_COOKIE)
        response = self.page(
            request, template, status=status, viewer=viewer, frame=frame, toast=_read_toast(toast), **context
        )
        if toast is not None:
            response.delete_cookie(_TOAST_COOKIE)
        return response

    def page(
        self, request: Request, template: str, *, status: int = 200, viewer: Viewer | None = None, **context: Any
    ) -> Response:
        """Render a template that may have no viewer: sign-in and faults."""
        about: dict[str, Any] = {"viewer": viewer, "path": request.url.path, "query": request.query_params}
        if viewer is not None:
            about |= {
                "say": Say(viewer.now, viewer.zone),
                "now": viewer.now,
                "zone": viewer.zone,
                "csrf": self.doors.sessions.form_token(viewer.session),
                "live_at": getattr(request.state, "live_at", ""),
            }
        name = template.partition(".")[0]
        about |= {"frame": None, "toast": None, "theme": _theme(request), "page_name": name} | context
        text = _TEMPLATES.get_template(template).render(about)
        body, headers = packed(request, text.encode())
        return Response(body, status, headers=_HEADERS | headers, media_type="text/html; charset=utf-8")

    def after(
        self,
        request: Request,
        sentence: str,
        *,
        back: str = "/",
        undo: str | None = None,
        bad: bool = False,
        go: str | None = None,
    ) -> Response:
        """Answer a form: back to the page, with a toast that says what was done and may undo it.

        With htmx the page stays and its live regions are fetched again, unless `go` names another page.
        """
        toast = {"text": _capital(sentence.replace("✓ ", "")), "undo": undo, "bad": bad}
        if "hx-request" in request.headers and go is None:
            events = json.dumps({"duly:toast": toast, "duly:refresh": True})
            return Response(status_code=422 if bad else 204, headers={"HX-Trigger": events})
        where = go or _own_path(request.headers.get("referer"), request) or back
        response = Response(status_code=303, headers={"Location": where})
        if "hx-request" in request.headers:
            response = Response(status_code=204, headers={"HX-Redirect": where})
        response.set_cookie(_TOAST_COOKIE, quote(json.dumps(toast)), max_age=60, httponly=True, samesite="strict")
        return response

    def done(self, request: Request, done: Any, *, back: str = "/", go: str | None = None) -> Response:
        """Answer a form with what an action of `services.actions` did: its sentence, and its undo."""
        return self.after(request, done.sentence, back=back, undo=done.undo, bad=bool(done.failed), go=go)

    # faults

    async def handle(self, request: Request, serve: Callable[[Request], Awaitable[Response]]) -> Response:
        """Serve a page: find its viewer, check its form, show its faults."""
        try:
            if request.url.path == "/" and "token" in request.query_params:
                return await self._take_link(request)
            request.state.viewer = await self.enter(request)
            if request.method not in {"GET", "HEAD"}:
                await self._check_form(request)
                self._counter.forget()
            elif "hx-request" not in request.headers:
                with suppress(StoreError):  # the page itself says that the store is away
                    request.state.live_at = await self.services.live.position()
            with bounded(REQUEST):
                response = await serve(request)
        except SignInNeededError:
            response = self._sign_in(request)
        except (DulyError, RequestValidationError) as error:
            response = await self.fault(request, error)
        except Exception as error:  # a fault of duly: the log has it whole, the page says so
            _log.exception("the page %s could not be made", request.url.path)
            response = await self.fault(request, error)
        if (begun := getattr(request.state, "begun", None)) is not None:
            self.set_session(request, response, begun)
        for name, value in _HEADERS.items():
            response.headers.setdefault(name, value)
        return response

    async def fault(self, request: Request, error: Exception) -> Response:
        """Show a fault: a toast where a form was pressed, otherwise a page that says what, why, and what one can do."""
        status = next((code for kind, code in _CODES.items() if isinstance(error, kind)), 500)
        sentence = str(error) if isinstance(error, DulyError) else _OWN_FAULT
        if isinstance(error, RequestValidationError):
            sentence = "Something in this address was not understood."
        if request.method != "GET" or "hx-request" in request.headers:
            back = self.after(request, sentence, bad=True)
            back.status_code = status if "hx-request" in request.headers else back.status_code
            return back
        return await self._error_page(request, status, sentence)

    async def _error_page(self, request: Request, code: int, sentence: str) -> Response:
        """Show a fault within the frame, for who has signed in; the frame itself may be what cannot be made."""
        if getattr(request.state, "viewer", None) is not None:
            with suppress(DulyError):
                return await self.render(request, "error.html", status=code, code=code, sentence=sentence)
        return self.page(request, "error.html", status=code, code=code, sentence=sentence)

    async def not_found(self, request: Request) -> Response:
        """Show that an address leads nowhere."""
        with suppress(DulyError):
            request.state.viewer = await self.enter(request)
        return await self._error_page(request, 404, "There is no page at this address.")

    def set_session(self, request: Request, response: Response, session: WebSession) -> None:
        """Give the browser the cookie of a session."""
        response.set_cookie(
            COOKIE,
            self.doors.sessions.cookie(session),
            expires=session.until,
            httponly=True,
            samesite="strict",
            secure=self._is_secure(request),
        )

    def _is_secure(self, request: Request) -> bool:
        public = urlsplit(self.doors.public_url or "")
        behind_proxy = public.scheme == "https" and public.netloc == request.headers.get("host")
        return request.url.scheme == "https" or behind_proxy

    async def _take_link(self, request: Request) -> Response:
        """Use a sign-in link up. The page that answers leads on to the clean address, so that no history keeps it."""
        session = self.doors.sessions.take_link(request.query_params["token"], self.services.clock.now())
        if session is None:
            if seconds := self.doors.wait(request):
                return await self.too_many_attempts(request, seconds)
            await self.doors.refused(request, "no such sign-in link", None)
            return self.page(request, "signin.html", status=401, said=_LINK_USED, to="/")
        response = self.page(request, "enter.html", to="/")
        self.set_session(request, response, session)
        return response

    async def too_many_attempts(self, request: Request, seconds: int) -> Response:
        """Refuse an attempt to sign in, and say when the next one may be made."""
        await self.doors.refused(request, "too many attempts to sign in", None)
        said = f"Too many attempts from your address: try again in {seconds} s, or with a link of duly dashboard."
        response = self.page(request, "signin.html", status=429, said=said, to="/")
        response.headers["Retry-After"] = str(seconds)
        return response

    def _sign_in(self, request: Request) -> Response:
        if "hx-request" in request.headers:
            return Response(status_code=401, headers={"HX-Redirect": "/signin"})
        if request.headers.get("sec-fetch-site") == "cross-site" and request.method == "GET":
            # a link on another site: the cookie is strict, so the browser sends it only when we lead it here ourselves
            return self.page(request, "enter.html", to=str(request.url.path))
        return self.page(request, "signin.html", status=401, said=None, to=request.url.path)

    async def _check_form(self, request: Request) -> None:
        """Raise unless a form comes from our own page: by its origin and by the token of its session."""
        length = request.headers.get("content-length", "0")
        if not length.isdigit() or int(length) > _LARGEST_FORM or "transfer-encoding" in request.headers:
            raise InvalidInputError(f"a form has at most {_LARGEST_FORM} bytes, and says how many")
        if not self.is_own_origin(request):
            raise ForgedFormError("this form came from another site: open the page again and press there")
        form = await request.form()
        sent = request.headers.get("x-csrf-token") or form.get("csrf")
        if not isinstance(sent, str) or not self.doors.sessions.is_form_token(self.viewer(request).session, sent):
            raise ForgedFormError("this page was opened before you signed in: load it again, then press once more")

    def is_own_origin(self, request: Request) -> bool:
        """Whether a request was sent by our own page, as far as the browser tells."""
        if request.headers.get("sec-fetch-site", "same-origin") not in {"same-origin", "none"}:
            return False
        origin = request.headers.get("origin")
        if origin is None:
            return True
        own = {request.headers.get("host", ""), urlsplit(self.doors.public_url or "").netloc}
        return urlsplit(origin).netloc in own - {""}


_CODES: dict[type[Exception], int] = {
    NotFoundError: 404,
    AccessDeniedError: 403,
    ConflictError: 409,
    InvalidInputError: 422,
    TooManyRequestsError: 429,
    RequestValidationError: 422,
    StoreError: 503,
}

_OWN_FAULT = "duly could not make this page. The log of the daemon says why."


def _page_route(site: Site) -> type[APIRoute]:
    class PageRoute(APIRoute):
        """A route of the dashboard."""

        is_page = True
        """Its viewer has signed in."""

        def get_route_handler(self) -> Callable[[Request], Any]:
            serve = super().get_route_handler()

            async def handle(request: Request) -> Response:
                return await site.handle(request, serve)

            return handle

    return PageRoute


def _capital(sentence: str) -> str:
    """Begin a sentence with a capital, unless its first word is a name as people wrote it."""
    first = sentence.partition(" ")[0].rstrip(":")
    return sentence[:1].upper() + sentence[1:] if first in {"undone", "next", "started", "nothing"} else sentence


def text_of(form: FormData, name: str) -> str:
    """Give what was typed into a field of a form, without the blanks around it."""
    return str(form.get(name) or "").strip()


def _theme(request: Request) -> str:
    theme = request.cookies.get(THEME_COOKIE, "system")
    return theme if theme in THEMES else "system"


def _own_path(address: str | None, request: Request) -> str | None:
    """Give the path of an address of ours, to go back to; None for any other."""
    if address is None:
        return None
    found = urlsplit(address)
    if found.netloc != request.headers.get("host") or not found.path.startswith("/") or found.path.startswith("//"):
        return None
    return f"{found.path}?{found.query}" if found.query else found.path


def _read_toast(cookie: str | None) -> Json | None:
    """Read what the last form did, from the cookie that carries it over the redirect."""
    try:
        found = json.loads(unquote(cookie)) if cookie else None
    except ValueError:
        return None
    return found if isinstance(found, dict) and isinstance(found.get("text"), str) else None
