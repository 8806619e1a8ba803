"""What workers report about runs that were handed over to them: leave to begin, signs of life, outcomes."""
