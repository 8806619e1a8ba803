"""The reader of rows that `planning.lifecycle` works with, for callers that change schedules."""

from duly.planning.lifecycle import RowReader
from duly.ports.codec import decode_policy, decode_trigger

READER = RowReader(trigger=decode_trigger, policy=decode_policy)
"""Decodes triggers and policies of rows for `planning.lifecycle`."""
