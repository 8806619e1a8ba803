"""Pure decisions: which fires, what is skipped, who waits, when to try again. No I/O; `now` is an argument."""
