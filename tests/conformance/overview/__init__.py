"""The overview, on both databases."""
