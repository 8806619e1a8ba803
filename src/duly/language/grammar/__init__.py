"""The grammar of times."""
