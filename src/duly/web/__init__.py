"""The dashboard: pages rendered on the server from the same use cases as every other face."""
