"""The language of times and replies."""
