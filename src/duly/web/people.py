"""People and channels: can everyone be reached?"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field

from fastapi import APIRouter
from markupsafe import Markup, escape
from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import Response

from duly.errors import DulyError, InvalidInputError, UnknownTimezoneError
from duly.planning.presets import read_presets, written_presets
from duly.service.access.scopes import Caller
from duly.service.people.use_cases import PairingView, PersonView
from duly.web import words
from duly.web.inbox import through
from duly.web.site import Site, text_of
from duly.zones import Zone

_MINUTES = 24 * 60
_TYPED = ("timezone", "language", "quiet", "snoozes", "day_parts", "digest_at", "wants_answer")
WANTS_ANSWER = (
    ("", "as usual: for medicine"),
    ("medicine", "for medicine"),
    ("always", "always"),
    ("never", "only if asked for"),
)
LANGUAGES = (
    ("", "as in the message"),
    ("en", "English"),
    ("de", "Deutsch"),
    ("fr", "français"),
    ("es", "español"),
    ("it", "italiano"),
    ("hr", "hrvatski"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class PersonLine:
    """A person in the list, with the time on their clock."""

    person: PersonView
    zone: Zone
    quiet: Markup


@dataclass(frozen=True, slots=True)
class RefusedForm:
    """A form that comes back: what was typed, and the fault of each field. Empty for a page that is opened."""

    typed: Mapping[str, str] = field(default_factory=dict)
    faults: Mapping[str, str] = field(default_factory=dict)


async def names_of(site: Site, caller: Caller, ids: Iterable[str]) -> dict[str, str]:
    """Give the names of people by their ids; one that is gone has none."""
    found: dict[str, str] = {}
    for each in dict.fromkeys(ids):
        with suppress(DulyError):
            found[each] = (await site.services.people.get(caller, each)).name
    return found


def make_people(site: Site) -> APIRouter:
    """Make the routes of People."""
    router = site.router()

    async def show(request: Request, cursor: str | None = None, refused: RefusedForm | None = None) -> Response:
        found, following = await site.services.people.page(site.caller(request), cursor=cursor, limit=50)
        answers = await site.services.inbox.last_answers(site.caller(request), [each.id for each in found])
        return await site.render(
            request,
            "people.html",
            status=422 if refused else 200,
            refused=refused or RefusedForm(),
            lines=[_line(site, request, each) for each in found],
            answers=answers,
            through=through,
            following=following,
            languages=LANGUAGES,
            wants_answer=WANTS_ANSWER,
        )

    @router.get("/people")
    async def people(request: Request, cursor: str | None = None) -> Response:
        return await show(request, cursor)

    @router.post("/people")
    async def add(request: Request) -> Response:
        form = await request.form()
        given = {"name": text_of(form, "name"), **_settings(form)}
        try:
            made = await site.services.people.add(site.caller(request), given)
        except InvalidInputError as error:
            return await show(request, refused=_refused(form, error))
        return site.after(request, f"{made.name} was added", go=f"/people/{made.id}")

    return router


def make_person(site: Site) -> APIRouter:
    """Make the routes of one person."""
    router = site.router()

    @router.get("/people/{person}/pair")  # the address of a page with a code: loaded again, it is that of the person
    @router.get("/people/{person}")
    async def one(request: Request, person: str) -> Response:
        return await _show(site, request, person)

    @router.post("/people/{person}")
    async def change(request: Request, person: str) -> Response:
        form = await request.form()
        named = {"name": text_of(form, "name")} if "name" in form else {}  # only admins have the field
        given = {**named, **_settings(form, empties=True)}
        try:
            await site.services.people.update(site.caller(request), person, given)
        except InvalidInputError as error:
            return await _show(site, request, person, refused=_refused(form, error))
        return site.after(request, "Saved", go=f"/people/{person}")

    @router.post("/people/{person}/channels")
    async def set_channels(request: Request, person: str) -> Response:
        """Add an address, remove one, or move one to the first place."""
        form = await request.form()
        found = await site.services.people.get(site.caller(request), person)
        wanted = _reordered([(each.channel, each.address) for each in found.channels], form)
        listed = [{"channel": channel, "address": address} for channel, address in wanted]
        try:
            await site.services.people.update(site.caller(request), person, {"channels": listed})
        except InvalidInputError as error:
            if "hx-request" in request.headers:  # a button of the list, which has nothing to keep
                raise
            typed = {name: text_of(form, name) for name in ("channel", "address")}
            return await _show(site, request, person, refused=RefusedForm(typed, {"address": str(error)}))
        return site.after(request, "Saved", back=f"/people/{person}", go=f"/people/{person}")

    @router.post("/people/{person}/remove")
    async def remove(request: Request, person: str) -> Response:
        gone = await site.services.people.remove(site.caller(request), person)
        return site.after(request, f"{gone.name} was removed, with their reminders and tokens", go="/people")

    _add_pairing(site, router)
    return router


def _add_pairing(site: Site, router: APIRouter) -> None:
    """Add the code that binds a chat to a person, and what shows that the chat has come."""

    @router.post("/people/{person}/pair")
    async def pair(request: Request, person: str) -> Response:
        form = await request.form()
        caller = site.caller(request)
        made = await site.services.people.pair(caller, person, text_of(form, "channel"), site.services.clock.now())
        return await _show(site, request, person, made)

    @router.get("/people/{person}/paired")
    async def paired(request: Request, person: str, channel: str = "", known: int = 0, until: str = "") -> Response:
        """Show that the chat of a code has come, or that the code has ended; nothing while it is waited for."""
        viewer = site.viewer(request)
        found = await site.services.people.get(viewer.caller, person)
        addresses = [each.address for each in found.channels if each.channel == channel]
        return site.page(
            request,
            "paired.html",
            viewer=viewer,
            person=found,
            channel=channel,
            address=addresses[-1] if len(addresses) > known else None,
            is_over=words.iso_utc(viewer.now) >= until,
        )


async def _show(
    site: Site,
    request: Request,
    person: str,
    pairing: PairingView | None = None,
    refused: RefusedForm | None = None,
) -> Response:
    found = await site.services.people.get(site.caller(request), person)
    # the channels are for admins, as is the form that offers them; a person sees only their own addresses
    is_offered = site.viewer(request).is_admin
    names = [each.name for each in await site.services.channels.list(site.caller(request))] if is_offered else []
    return await site.render(
        request,
        "person.html",
        status=422 if refused else 200,
        refused=refused or RefusedForm(),
        line=_line(site, request, found),
        pairing=pairing,
        known=0 if pairing is None else sum(each.channel == pairing.channel for each in found.channels),
        options=[(name, name) for name in names if name != "inbox"],
        usual_snoozes=written_presets(read_presets(site.services.process.settings.snoozes)),
        languages=LANGUAGES,
        wants_answer=WANTS_ANSWER,
    )


def make_channels(site: Site) -> APIRouter:
    """Make the routes of Channels."""
    router = site.router()

    @router.get("/channels")
    async def channels(request: Request) -> Response:
        caller = site.caller(request)
        found = await site.services.channels.list(caller)
        people, _ = await site.services.people.page(caller, limit=50)
        reached = {each.name: [person for person in people if _has(person, each.name)] for each in found}
        return await site.render(request, "channels.html", channels=found, reached=reached)

    @router.post("/channels/{name}/test")
    async def test(request: Request, name: str) -> Response:
        result = await site.services.channels.test(site.caller(request), name)
        lead = f"{name} works" if result.works else f"{name} does not work"
        return site.after(request, f"{lead}: {result.said}", back="/channels", bad=not result.works)

    @router.post("/channels/{name}/send")
    async def send(request: Request, name: str) -> Response:
        form = await request.form()
        result = await site.services.channels.send_test(site.caller(request), name, text_of(form, "person"))
        lead = "A test was sent" if result.works else "The test was not sent"
        return site.after(request, f"{lead}: {result.said}", back="/channels", bad=not result.works)

    return router


def _has(person: PersonView, channel: str) -> bool:
    return channel == "inbox" or any(each.channel == channel for each in person.channels)


def _line(site: Site, request: Request, person: PersonView) -> PersonLine:
    try:
        zone = Zone.of(person.timezone) if person.timezone else Zone.of(site.services.process.zone)
    except UnknownTimezoneError:  # known on another machine
        zone = site.viewer(request).zone
    return PersonLine(person=person, zone=zone, quiet=quiet_bar(person.quiet))


def quiet_bar(quiet: str | None) -> Markup:
    """Draw a day of 24 hours with the quiet hours filled."""
    spans = _quiet_spans(quiet)
    says = f"quiet from {quiet.replace('-', ' to ')}" if quiet else "no quiet hours"
    filled = "".join(f'<rect class="fg" x="{start}" width="{end - start}" height="10"/>' for start, end in spans)
    hours = "".join(f'<path class="tick" d="M{hour * 60} 0V10"/>' for hour in (6, 12, 18))
    return Markup(  # noqa: S704  the sentence is escaped, the rest are numbers
        f'<svg class="quiet-bar" viewBox="0 0 {_MINUTES} 10" preserveAspectRatio="none" role="img" '
        f'aria-label="{escape(says)}"><rect class="bg" width="{_MINUTES}" height="10"/>{filled}{hours}</svg>'
    )


def _quiet_spans(quiet: str | None) -> Sequence[tuple[int, int]]:
    """Give the quiet minutes of a day; hours that span midnight are two pieces."""
    if not quiet:
        return ()
    start, _, end = quiet.partition("-")
    first = _minute(start)
    last = _minute(end)
    return ((first, last),) if first <= last else ((0, last), (first, _MINUTES))


def _minute(clock: str) -> int:
    hours, _, minutes = clock.partition(":")
    return int(hours) * 60 + int(minutes[:2] or 0)


def _refused(form: FormData, error: InvalidInputError) -> RefusedForm:
    """Keep what was typed, with the fault at the field whose value it is about."""
    said = str(error)
    named = (name for name in ("quiet", "snoozes", "day_parts", "digest_at", "wants_answer") if said.startswith(name))
    at = "timezone" if isinstance(error, UnknownTimezoneError) else next(named, "name")
    typed = {name: text_of(form, name) for name in ("name", *_TYPED)}
    return RefusedForm(typed | {"is_admin": "yes" if "is_admin" in form else ""}, {at: said})


def _settings(form: FormData, *, empties: bool = False) -> dict[str, str | bool | None]:
    """Read the fields of a person; an empty one is left out, or with `empties` given as None."""
    found: dict[str, str | bool | None] = {name: text_of(form, name) or None for name in _TYPED if name in form}
    if not empties:
        found = {name: value for name, value in found.items() if value is not None}
    if "is_admin_shown" in form:
        found["is_admin"] = "is_admin" in form
    return found


def _reordered(known: list[tuple[str, str]], form: FormData) -> list[tuple[str, str]]:
    """Give the addresses of a person after a form: one more, one fewer, or one in the first place."""
    named = (text_of(form, "channel"), text_of(form, "address"))
    if "remove" in form:
        return [each for each in known if each != named]
    others = [each for each in known if each != named]
    return [named, *others] if "first" in form else [*others, named]
