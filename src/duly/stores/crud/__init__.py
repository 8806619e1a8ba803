"""The tables that SQLite and PostgreSQL keep alike: one set of statements in `queries/`, one mapping to records."""
