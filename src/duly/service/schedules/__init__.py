"""Use cases on schedules and their runs: make, change, pause, fire, look back and ahead, and bring a file in step."""
