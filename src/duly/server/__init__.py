"""The running server: HTTP, MCP, WebSocket and answer links on one port, and MCP over standard input and output."""
