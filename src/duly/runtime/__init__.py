"""The composition root: settings wired into a store, an engine, use cases and channels. Only this package and the
command line read the environment."""
