"""How fast, beside whom, measured in the same run: `python -m bench` writes RESULTS.md."""
