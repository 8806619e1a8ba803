"""Schedules for agents and butlers: every promise, through the service and through MCP, on both stores."""
