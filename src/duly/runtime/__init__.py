"""The composition root: `Runtime` makes a store, an engine, services and channels from the settings.

Only this package and the command line read the environment.
"""
