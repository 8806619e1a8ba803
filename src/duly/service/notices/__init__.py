"""Notices: how the ends of runs reach people and programs."""
