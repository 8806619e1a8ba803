"""The chat as a face: what a person writes to duly in plain words, and what duly answers."""
