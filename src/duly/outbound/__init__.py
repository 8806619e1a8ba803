"""Calls to other servers: which addresses are allowed, how requests are signed and sent, where secrets come from."""
