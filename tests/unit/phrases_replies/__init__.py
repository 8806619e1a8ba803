"""Replies to reminders."""
