"""Use cases on reminders: make them, list them, and take the answers of people."""
