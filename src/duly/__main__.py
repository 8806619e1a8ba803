"""The console script. Answers what needs no command line library itself; `duly.cli` does the rest."""

from __future__ import annotations

import os
import sys

from duly._version import __version__
from duly.cli import exit_codes


def main() -> int:
    """Run `duly` with the arguments of this process; the result is its exit code."""
    try:
        code = _run(sys.argv[1:])
        sys.stdout.flush()
    except KeyboardInterrupt:
        return exit_codes.INTERRUPTED
    except BrokenPipeError:
        _let_go_of_output()
        return exit_codes.BROKEN_PIPE
    except OSError as error:
        _let_go_of_output()
        sys.stderr.write(f"duly: {error}\n")
        return exit_codes.FAILED
    return code


def _run(arguments: list[str]) -> int:
    if arguments in (["--version"], ["-V"]):
        sys.stdout.write(f"duly {__version__}\n")
        return exit_codes.OK
    from duly.cli.app import run  # late: the shortest question deserves the quickest answer

    return run(arguments)


def _let_go_of_output() -> None:
    """Python flushes once more on its way out, and would complain about what cannot be written then."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


if __name__ == "__main__":
    sys.exit(main())
