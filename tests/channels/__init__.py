"""Channels against local servers that speak the vendors' formats, themselves checked with the vendors' clients."""
