"""The console script. It answers `--version` itself, without a command line library; `duly.cli` does the rest."""

from __future__ import annotations

import atexit
import codecs
import gc
import os
import sys
from io import TextIOWrapper

if __name__ == "__main__" and not sys.flags.safe_path:
    del sys.path[0]  # `python -m` puts the working directory first: a file there could pass for a library

from duly._version import __version__
from duly.cli import BROKEN_PIPE, FAILED, INTERRUPTED, OK


def main() -> int:
    """Run `duly` with the arguments of this process; the result is its exit code."""
    _open_streams()
    atexit.register(gc.freeze)  # at its end Python would look for garbage in all that the process has loaded: 10 ms
    try:
        code = _run(sys.argv[1:])
        sys.stdout.flush()
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        _discard_output()
        return BROKEN_PIPE
    except OSError as error:
        _discard_output()
        sys.stderr.write(f"duly: {error}\n")
        return FAILED
    return code


def _run(arguments: list[str]) -> int:
    if arguments in (["--version"], ["-V"]):
        sys.stdout.write(f"duly {__version__}\n")
        return OK
    from duly.cli.app import run  # late: `duly --version` needs nothing of it

    return run(arguments)


def _open_streams() -> None:
    """Make output possible where a stream is closed, or its encoding lacks some characters."""
    codecs.register_error("duly", _escaped)
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115, PTH123  open until the process ends
        elif isinstance(stream, TextIOWrapper) and stream.errors == "strict":
            stream.reconfigure(errors="duly")


def _escaped(error: UnicodeError) -> tuple[str, int]:
    """Write `\\u2713` for a character that the encoding lacks: JSON stays JSON, and people can guess."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    units = error.object[error.start : error.end].encode("utf-16-be", "surrogatepass").hex()
    return "".join(f"\\u{units[at : at + 4]}" for at in range(0, len(units), 4)), error.end


def _discard_output() -> None:
    """Send the rest of the output nowhere: Python flushes once more at its end, and would complain."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


if __name__ == "__main__":
    sys.exit(main())
