"""The declarative scheduler against its specification, heading by heading, each MUST a test."""
