"""How a `duly` command ends, for scripts that look at `$?`."""

OK = 0
FAILED = 1
"""The question was fine, the answer is not: a time beyond the calendar, for example."""
BAD_INPUT = 2
"""Something in the command was wrong; standard error says what, and where."""
INTERRUPTED = 130
"""Stopped with Ctrl-C."""
BROKEN_PIPE = 141
"""Whoever was reading the output had enough, as `head` does. What shells show for a program stopped by SIGPIPE."""
