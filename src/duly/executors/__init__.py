"""Runs that others carry out: handing them over, watching them, and taking their outcomes."""
