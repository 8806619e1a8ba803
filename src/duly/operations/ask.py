"""What a caller may ask of duly, as values: one class for each operation, with its fields and what it gives.

`Ask[R]` is answered with an `R`, in this process (`Services.ask`) as over HTTP (`Client.ask`). A class says what may be
asked, and carries it out with the use cases; `operation`, its line in the catalogue, says at which address.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Protocol, TypeVar, get_args, get_origin

if TYPE_CHECKING:
    from duly.service.access.scopes import Caller
    from duly.service.executions.executions import Worker
    from duly.service.services import Services

R = TypeVar("R")
View = TypeVar("View")
JSON = "application/json"


@dataclass(frozen=True, slots=True)
class Ask(Generic[R]):
    """One thing that a caller asks for."""

    operation: ClassVar[Operation]

    @abstractmethod
    async def carry_out(self, services: Services, caller: Caller) -> R:
        """Do what is asked, as this caller."""


Page = tuple[list[View], str | None]
"""Some items of a list, and the cursor of the next page."""


@dataclass(frozen=True, slots=True)
class PagedAsk(Ask[Page[View]], Generic[View]):
    """An ask for a list, which is answered page by page: it has a field `cursor`."""


@dataclass(frozen=True, slots=True)
class ListAsk(Ask[list[View]], Generic[View]):
    """An ask for a list that has one page."""


@dataclass(frozen=True, slots=True)
class WorkerAsk(Generic[R]):
    """What a worker asks or reports about a handover: who asks is the bearer of its token, and no caller."""

    operation: ClassVar[Operation]
    run: str
    number: int

    @abstractmethod
    async def carry_out(self, services: Services, worker: Worker) -> R:
        """Do what is asked, for this worker."""


class Asker(Protocol):
    """Whom to ask: duly in this process as one caller, or a daemon."""

    async def ask(self, ask: Ask[R]) -> R:
        """Give the answer to what is asked."""
        ...


@dataclass(frozen=True, slots=True)
class PageOf:
    """What an operation gives that answers in pages: items of one kind, and the cursor of the next page."""

    items: Any


@dataclass(frozen=True, slots=True)
class OnWire(Generic[R]):
    """How an answer travels over HTTP that is not its own body: as a view, with the rest in headers."""

    gives: type[Any]
    view: Callable[[R], Any]
    back: Callable[[Any, str | None], R]
    """Makes the answer again, from the view and the token for undo."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Operation:
    """One line of the catalogue: an ask, and how it is reached over HTTP."""

    ask: type[Ask[Any] | WorkerAsk[Any]]
    method: str
    path: str
    status: int = 200
    faults: tuple[int, ...] = ()
    """Status codes of its problems, besides those that every operation may answer with."""
    headers: tuple[str, ...] = ()
    """Headers of its answer, by their names in the document."""
    once: bool = False
    """Whether an `Idempotency-Key` makes sure that it is carried out only once."""
    body: str = ""
    """The name of its body in the document; empty where it takes none."""
    about_body: str = ""
    examples: tuple[Any, ...] = ()
    """Bodies to show."""
    may_lack_body: bool = False
    wire: OnWire[Any] | None = None
    """How its answer travels, where that is not as it is."""
    media: str = JSON
    """The type of its answer."""
    reads: str = JSON
    """The type of its body; one that is not JSON is text, which is the field `data` of the ask."""

    @property
    def name(self) -> str:
        """Its name in words of code: `pause_schedule`."""
        return "".join(f"_{each.lower()}" if each.isupper() else each for each in self.ask.__name__).lstrip("_")

    @property
    def id(self) -> str:
        """Its name in the OpenAPI document: `pauseSchedule`."""
        return self.ask.__name__[0].lower() + self.ask.__name__[1:]

    @property
    def changes(self) -> bool:
        """Whether it changes something; a caller who may only look is refused."""
        return self.method != "GET"

    @property
    def answer(self) -> Any:
        """The class of what its ask is answered with, `PageOf` it for a list."""
        return answer_of(self.ask)

    @property
    def gives(self) -> Any:
        """The class of what it answers with over HTTP, `PageOf` it for a list."""
        return self.answer if self.wire is None else self.wire.gives


def answer_of(ask: type[Ask[Any] | WorkerAsk[Any]]) -> Any:
    """Give the class that an ask is answered with, from its declaration."""
    for base in getattr(ask, "__orig_bases__", ()):
        [given] = get_args(base) or (None,)
        if get_origin(base) in (PagedAsk, ListAsk):
            return PageOf(given)
        if get_origin(base) in (Ask, WorkerAsk):
            return given
    raise TypeError(f"{ask.__name__} does not say what it is answered with: write class {ask.__name__}(Ask[…])")


@dataclass(frozen=True, slots=True, eq=False)
class Group:
    """The operations about one subject."""

    tag: str
    words: str
    operations: Sequence[Operation]


def get(ask: type[Ask[Any]], path: str, **more: Any) -> Operation:
    """Declare an operation that changes nothing."""
    return _declare(ask, "GET", path, more)


def post(ask: type[Ask[Any] | WorkerAsk[Any]], path: str, **more: Any) -> Operation:
    """Declare an operation that makes something or acts."""
    return _declare(ask, "POST", path, more)


def patch(ask: type[Ask[Any]], path: str, **more: Any) -> Operation:
    """Declare an operation that changes fields."""
    return _declare(ask, "PATCH", path, more)


def delete(ask: type[Ask[Any]], path: str, **more: Any) -> Operation:
    """Declare an operation that removes something."""
    return _declare(ask, "DELETE", path, more)


def _declare(ask: type[Ask[Any] | WorkerAsk[Any]], method: str, path: str, more: dict[str, Any]) -> Operation:
    ask.operation = Operation(ask=ask, method=method, path=path, **more)
    return ask.operation
