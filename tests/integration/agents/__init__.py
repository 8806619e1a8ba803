"""Agents at work: real clients, real servers, real processes, and a command line that only pretends to think."""
