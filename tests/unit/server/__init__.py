"""The parts of the running product."""
