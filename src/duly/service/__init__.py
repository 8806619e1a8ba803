"""Use cases: what anyone may ask of duly, with its rules. Every face calls these and decides nothing itself."""
