"""Whether a claim that it is done is one about this reminder: the words of each language, and how they are compared."""
