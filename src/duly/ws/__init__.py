"""The WebSocket face: frames in, frames out, and reminders pushed as they fire."""
