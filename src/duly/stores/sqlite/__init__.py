"""The store for one machine, in SQLite."""
