"""Settings from files and the environment."""
