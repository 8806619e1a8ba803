"""What needs a person: items for the attention box of every face."""
