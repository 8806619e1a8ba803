"""Replies to reminders: tokens, then phrases by their patterns, then the meaning of the whole reply."""

from duly.language.replies.classify import Reply, ReplyDoubt, ReplyKind, classify_reply

__all__ = ["Reply", "ReplyDoubt", "ReplyKind", "classify_reply"]
