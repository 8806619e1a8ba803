"""Runs in detail: every attempt, the output that agents print, and what was sent to them."""
