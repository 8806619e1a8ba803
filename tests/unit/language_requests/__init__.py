"""Requests in plain words."""
