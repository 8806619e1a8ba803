"""The store for many machines, in PostgreSQL."""

try:
    import psycopg as _driver  # noqa: F401
except ImportError as error:
    raise ImportError(
        f"a PostgreSQL store needs the psycopg driver: pip install 'psycopg[binary]' ({error})", name="psycopg"
    ) from error
