"""The command line, called as a function."""
