"""The daemon and `duly mcp`."""
