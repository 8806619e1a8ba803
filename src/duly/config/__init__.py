"""`duly.toml` and the environment, read into settings and checked before anything starts."""
