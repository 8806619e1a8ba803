"""Conversations in a chat, over a real store on virtual time."""
