"""The command line: a face. It parses arguments, asks the rooms below, and prints; no rule of the domain lives here."""
