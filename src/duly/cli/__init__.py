"""The command line: a face. It parses arguments, calls `service`, and prints; no rule of the domain lives here.

Scripts look at `$?`: the exit codes below are a promise to them.
"""

OK = 0
FAILED = 1
"""The command was understood, and its answer is a bad one: nothing of that name, a red health, a broken store."""
BAD_INPUT = 2
"""Something in the command or in `duly.toml` was wrong; standard error says what, and where."""
INTERRUPTED = 130
"""Stopped with Ctrl-C."""
BROKEN_PIPE = 141
"""The reader of the output closed the pipe, as `head` does. Shells show this code for a program ended by SIGPIPE."""
