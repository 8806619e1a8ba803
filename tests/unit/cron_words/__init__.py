"""Descriptions of cron expressions, and warnings about them."""
