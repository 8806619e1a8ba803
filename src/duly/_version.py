"""The version, and nothing else: read without importing anything."""

__version__ = "0.1.0.dev0"
