"""Getting messages to people, and their answers back."""
