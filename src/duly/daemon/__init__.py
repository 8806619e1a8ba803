"""The running product: settings wired into an engine, use cases and faces. The one room that reads the environment."""
