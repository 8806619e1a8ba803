"""Connections that duly makes to hosts which users name: which addresses it calls, and which it refuses."""
