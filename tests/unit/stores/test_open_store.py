"""Addresses of stores, and the SQL files behind them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import duly.stores
from duly.errors import InvalidInputError
from duly.stores import open_store, queries
from duly.stores.postgres.address import Address
from duly.stores.sqlite.store import SqliteStore


@pytest.mark.parametrize(
    ("url", "path"),
    [
        ("duly.db", "duly.db"),
        ("/var/lib/duly.db", "/var/lib/duly.db"),
        ("sqlite:///duly.db", "duly.db"),
        ("sqlite:////var/lib/duly.db", "/var/lib/duly.db"),
        ("~/duly.db", str(Path("~/duly.db").expanduser())),
        ("odd name #1?.db", "odd name #1?.db"),
    ],
)
def test_a_file_name_is_a_sqlite_store(url: str, path: str) -> None:
    store = open_store(url)
    assert isinstance(store, SqliteStore)
    assert store.url == path


def test_a_path_is_a_file_name_too() -> None:
    assert open_store(Path("/var/lib/duly.db")).url == "/var/lib/duly.db"
    for store in (None, 5, b"duly.db"):
        with pytest.raises(InvalidInputError, match="store must be a file name or a postgresql:// URL, got"):
            open_store(store)  # type: ignore[arg-type]


@pytest.mark.parametrize("scheme", ["postgresql", "postgres"])
def test_a_url_is_a_postgres_store_and_keeps_its_secret(scheme: str) -> None:
    store = open_store(f"{scheme}://ada:secret@db.example/duly")
    assert type(store).__name__ == "PostgresStore"
    assert "db.example" in store.url
    assert "secret" not in store.url


@pytest.mark.parametrize("url", ["", "sqlite:///", "mysql://host/db", "http://example.com", "sqlite://host/duly.db"])
def test_anything_else_is_refused(url: str) -> None:
    with pytest.raises(InvalidInputError, match=re.escape(repr(url))):
        open_store(url)


@pytest.mark.parametrize("url", [":memory:", "sqlite:///:memory:"])
def test_a_store_that_is_no_file_is_refused(url: str) -> None:
    with pytest.raises(
        InvalidInputError, match=r"':memory:': .* it has to be a file; name one in a temporary directory"
    ):
        open_store(url)


def test_a_password_is_not_told_even_to_a_store_that_is_not_ours() -> None:
    with pytest.raises(InvalidInputError, match=re.escape("mysql://…@host/db")) as caught:
        open_store("mysql://me:sec@ret@host/db")
    assert "ret" not in str(caught.value)


@pytest.mark.parametrize("url", ["mysql://host/db?password=secret", "mysql://me:a\nsecret@host/db", "my://a?secret@b"])
def test_a_password_is_not_told_wherever_it_is(url: str) -> None:
    with pytest.raises(InvalidInputError) as caught:
        open_store(url)
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize("password", ["sec@ret", "@ret", "a@@ret", "sec/@ret", "sec:@ret"])
def test_a_password_that_is_not_encoded_is_refused_and_no_part_of_it_told(password: str) -> None:
    with pytest.raises(InvalidInputError, match="percent-encoded") as caught:
        open_store(f"postgresql://me:{password}@host/db")
    assert "ret" not in str(caught.value)


def test_a_socket_without_a_file_is_an_address() -> None:
    assert open_store("postgresql:///db?host=@duly").url == "postgresql://@duly/db"


@pytest.fixture
def dialect(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A dialect of our own, empty so far; its name is that of the folder."""
    folder = tmp_path / f"dialect_{tmp_path.name.replace('-', '_')}"
    for part in ("queries", "migrations"):
        (folder / part).mkdir(parents=True)
    (folder / "__init__.py").touch()
    monkeypatch.setattr(duly.stores, "__path__", [*duly.stores.__path__, str(tmp_path)])
    return folder


def test_statements_are_found_by_name(dialect: Path) -> None:
    text = "-- name: one\n-- The first.\nSELECT 1;\n\n-- name: two\n-- The second,\n-- at length.\nSELECT\n  2;\n"
    (dialect / "queries" / "some.sql").write_text(text, encoding="utf-8")
    assert queries.read(dialect.name) == {"one": "SELECT 1", "two": "SELECT\n  2"}


def test_a_part_is_written_where_a_statement_names_it(dialect: Path) -> None:
    text = """-- part: columns
-- What a row has.
id, name,
size;

-- name: add
-- Add a row.
INSERT INTO rows ({columns}) VALUES ({columns: ?});

-- name: change
-- Change it.
UPDATE rows SET {columns but id: @ = n.@} WHERE id = %(id)s AND payload <> '{}';
"""
    (dialect / "queries" / "some.sql").write_text(text, encoding="utf-8")
    assert queries.read(dialect.name) == {
        "add": "INSERT INTO rows (id, name,\nsize) VALUES (?, ?, ?)",
        "change": "UPDATE rows SET name = n.name, size = n.size WHERE id = %(id)s AND payload <> '{}'",
    }


def test_a_part_that_is_not_there_is_named(dialect: Path) -> None:
    (dialect / "queries" / "some.sql").write_text("-- name: one\n-- It.\nSELECT {colums};\n", encoding="utf-8")
    with pytest.raises(ValueError, match="no part named colums"):
        queries.read(dialect.name)


def test_two_statements_cannot_have_one_name(dialect: Path) -> None:
    for number in range(2):
        text = f"-- name: same\n-- Number {number}.\nSELECT {number};\n"
        (dialect / "queries" / f"{number}.sql").write_text(text, encoding="utf-8")
    with pytest.raises(ValueError, match="two statements named same"):
        queries.read(dialect.name)


def test_migrations_come_in_order(dialect: Path) -> None:
    for name in ("0002_second.sql", "0001_first.sql", "notes.txt"):
        (dialect / "migrations" / name).write_text(name, encoding="utf-8")
    assert queries.migrations(dialect.name) == ((1, "0001_first.sql"), (2, "0002_second.sql"))


@pytest.mark.parametrize("present", [["0002_b.sql"], ["0001_a.sql", "0003_c.sql"], ["0001_a.sql", "0001_b.sql"]])
def test_migrations_have_no_gaps_and_no_doubles(dialect: Path, present: list[str]) -> None:
    for name in present:
        (dialect / "migrations" / name).touch()
    with pytest.raises(ValueError, match="not numbered"):
        queries.migrations(dialect.name)


@pytest.mark.parametrize("name", ["sqlite", "postgres"])
def test_every_statement_says_what_it_is_for(name: str) -> None:
    stores = Path(str(duly.stores.__file__)).parent
    files = [path for folder in ("crud", name) for path in (stores / folder / "queries").glob("*.sql")]
    text = "\n".join(path.read_text(encoding="utf-8") for path in files)
    named = re.findall(r"^-- name: (\w+)$", text, re.MULTILINE)
    assert sorted(named) == sorted(vars(queries.load(name)))
    assert len(named) > 20


PORTABLE = """SELECT ':no', '100%' -- a comment: :neither
FROM t WHERE a = :a AND b > :b::text AND c = ANY(:some) AND d <> ALL(:others) AND e LIKE 'x:%'"""


@pytest.mark.parametrize(
    ("url", "direct"),
    [("duly.db", "postgresql://db.example/duly"), ("postgresql://db.example/duly", "duly.db")],
)
def test_a_second_address_is_of_a_server_that_has_a_first_one(url: str, direct: str) -> None:
    with pytest.raises(InvalidInputError, match="store_direct is a second postgresql:// address of a store that has"):
        open_store(url, direct=direct)


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("postgresql://ada:secret@one:5433,two:5434/duly", "postgresql://ada@one:5433,two:5434/duly"),
        ("postgresql://ada:secret@one,two/duly", "postgresql://ada@one,two/duly"),
        ("postgresql://ada:secret@/duly?host=one,two&port=6000", "postgresql://ada@one:6000,two:6000/duly"),
        ("postgresql://ada:secret@[::1]:5433/duly", "postgresql://ada@[::1]:5433/duly"),
    ],
)
def test_servers_are_shown_with_their_ports(url: str, shown: str) -> None:
    assert open_store(url).url == shown


@pytest.mark.parametrize(
    ("url", "wanted"),
    [
        ("postgresql://one/duly", None),
        ("postgresql://one,two/duly", "read-write"),
        ("postgresql://one,two/duly?target_session_attrs=primary", "primary"),
    ],
)
def test_of_several_servers_the_one_that_takes_writes_is_meant(url: str, wanted: str | None) -> None:
    assert Address(url).parameters.get("target_session_attrs") == wanted


def test_a_shared_statement_is_translated_for_sqlite() -> None:
    assert queries.for_sqlite(PORTABLE) == (
        """SELECT ':no', '100%' -- a comment: :neither
FROM t WHERE a = :a AND b > :b AND c IN (SELECT value FROM json_each(:some))"""
        " AND d NOT IN (SELECT value FROM json_each(:others)) AND e LIKE 'x:%'"
    )


def test_a_shared_statement_is_translated_for_postgres() -> None:
    assert queries.for_postgres(PORTABLE) == (
        """SELECT ':no', '100%%' -- a comment: :neither
FROM t WHERE a = %(a)s AND b > %(b)s::text AND c = ANY(%(some)s) AND d <> ALL(%(others)s) AND e LIKE 'x:%%'"""
    )


def test_no_statement_is_both_shared_and_of_one_dialect() -> None:
    shared = queries.read("crud").keys()
    assert not shared & queries.read("sqlite").keys()
    assert not shared & queries.read("postgres").keys()
