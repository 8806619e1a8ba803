"""The WebSocket face: translates frames into calls of `service`, and pushes reminders as they fire."""
