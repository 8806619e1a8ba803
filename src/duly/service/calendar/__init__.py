"""Calendars: the feed that calendar programs subscribe to, its secret links, and the import of calendar files."""
