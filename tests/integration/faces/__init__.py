"""The ways in: WebSocket, vendors' webhooks, links, MCP tools, commands."""
