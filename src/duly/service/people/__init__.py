"""Use cases on people: who they are, for whom a caller acts, and where each person is reached."""
