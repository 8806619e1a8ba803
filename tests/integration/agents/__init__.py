"""Agents with real clients, servers and processes, and fake command lines."""
