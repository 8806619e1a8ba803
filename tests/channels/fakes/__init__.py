"""Vendors, small enough to run inside a test."""
