"""Fake command lines of agents: they take the same arguments, print in the same formats, and call no model.

`python -m duly.testing.fake_cli --as claude -p --output-format json --session-id UUID` reads a prompt and answers it.
`install(directory)` puts programs named `claude`, `codex`, `gemini`, `opencode` and `aider` there, to be found by PATH.
Sessions are kept below HOME, as those of the real tools. Unknown arguments are refused.

Words in the prompt, or in DULY_FAKE_SCENARIO, choose a behaviour:

    [[hang]]  [[stubborn]]      never ends; not even on SIGTERM
    [[linger]]                  begins its output, makes a file named lingers, and never ends
    [[crash]]  [[exit=7]]       is killed by a signal; ends with a code and a message
    [[garbage]]  [[silent]]     prints no valid answer; prints nothing
    [[flood]]  [[flood=5]]      prints 100 (or 5) megabytes, then the answer
    [[login]]                   is not logged in
    [[limit]]  [[limit=3pm]]    has spent its usage window; says when it resets, in the way of the tool
    [[limit-once=FILE|3pm]]     the same, unless the file exists, and makes it
    [[midway]]                  with one of these: has begun its work before
    [[wordless]]                answers with an empty text
    [[wake=20]]                 asks duly to continue its session in so many minutes, and answers with what duly said
    [[family]]                  starts a child and one in a session of its own, writes the pids to ./family, and hangs
    [[env]]                     answers with its environment as JSON
    [[fail-in=NAME]]            fails if the working directory has this name
    [[fail-once=FILE]]          fails unless the file exists, and makes it
    [[wait-in=NAME:FILE]]       if the working directory has this name, waits until the file exists
    [[meet=DIR:N]]              waits until N fake tools wait with the same directory
    [[alone=FILE]]              fails if another fake tool uses the file at the same time
"""

from __future__ import annotations

import json
import os
import re
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from duly.testing.fake_cli_others import Aider, Opencode
from duly.testing.fake_cli_tools import Claude, Codex, Gemini, Stop, Tool, ToolRequest

TOOLS: dict[str, type[Tool]] = {tool.name: tool for tool in (Claude, Codex, Gemini, Opencode, Aider)}
_MEGABYTE = b"\xf0\x9f\x94\x8a noise" * (1024 * 1024 // 10)
_CHECK_EVERY = 0.01
_SCENARIO = re.compile(r"\[\[([a-z-]+)(?:=([^\]]*))?\]\]")


def main(argv: list[str] | None = None) -> int:
    """Run as the tool that `--as` names; return the exit code."""
    arguments = sys.argv[1:] if argv is None else argv
    if arguments[:1] != ["--as"] or arguments[1:2] == [] or arguments[1] not in TOOLS:
        sys.stderr.write(f"usage: fake_cli --as {'|'.join(TOOLS)} …\n")
        return 2
    tool = TOOLS[arguments[1]]()
    try:
        request = tool.parse(arguments[2:])
        os.chdir(request.cwd or ".")
        return _answer(tool, request)
    except Stop as stop:
        sys.stdout.flush()
        sys.stderr.write(stop.message)
        return stop.code


def install(directory: Path) -> Path:
    """Make programs with the names of the tools in a directory, for the front of PATH; return the directory."""
    directory.mkdir(parents=True, exist_ok=True)
    for name in TOOLS:
        program = directory / name
        command = shlex.join([sys.executable, "-m", "duly.testing.fake_cli", "--as", name])
        program.write_text(f'#!/bin/sh\nexec {command} "$@"\n', encoding="utf-8")
        program.chmod(0o755)
    return directory


def _answer(tool: Tool, request: ToolRequest) -> int:
    turns = _turns(tool, request)
    scenarios = dict(_SCENARIO.findall(f"{request.prompt} {os.environ.get('DULY_FAKE_SCENARIO', '')}"))
    text = f"{tool.name} heard {request.prompt!r} in {Path.cwd().name}, turn {turns}"
    for name, value in scenarios.items():
        if name == "login":
            return tool.not_logged_in(request)
        if (reset := _spent(name, value)) is not None:
            _remember(tool, request, turns)
            return tool.limited(request, reset, midway="midway" in scenarios)
        if name == "linger":
            tool.begin(request)
            _write("lingers", str(os.getpid()))
            _hang("", "")
        text = _BEHAVIOURS[name](value, text) if name in _BEHAVIOURS else text
    _remember(tool, request, turns)
    return tool.answer(request, text)


def _spent(scenario: str, value: str) -> str | None:
    """Return how the reset of a spent window is said, maybe with nothing; None if the window is not spent."""
    if scenario == "limit-once":
        path, _, reset = value.partition("|")
        if Path(path).exists():
            return None
        Path(path).touch()
        return reset
    return value if scenario == "limit" else None


def _turns(tool: Tool, request: ToolRequest) -> int:
    """Return the number of this turn in its session; each tool has its own complaint about an unknown session."""
    if tool.sessions is None:
        return 1
    asked = tool.sessions / f"{request.resumes or request.session}.json"
    if request.resumes is not None:
        if not asked.exists():
            tool.unknown_session(request)
        return int(json.loads(asked.read_text(encoding="utf-8"))["turns"]) + 1
    if asked.exists():
        raise Stop(1, f"Error: Session ID {request.session} is already in use.\n")
    return 1


def _remember(tool: Tool, request: ToolRequest, turns: int) -> None:
    if tool.sessions is not None:
        tool.sessions.mkdir(parents=True, exist_ok=True)
        path = tool.sessions / f"{request.session}.json"
        path.write_text(json.dumps({"turns": turns, "prompt": request.prompt}), encoding="utf-8")


# the behaviours: each takes its value and the answer, and returns the answer


def _hang(_value: str, _text: str) -> str:
    while True:
        time.sleep(3600)


def _stubborn(_value: str, text: str) -> str:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    Path("stubborn").touch()
    return _hang("", text)


def _crash(_value: str, text: str) -> str:
    sys.stderr.write("panicked at the worst moment\n")
    sys.stderr.flush()
    os.kill(os.getpid(), signal.SIGABRT)
    return text


def _exit(value: str, _text: str) -> str:
    raise Stop(int(value or 1), "something went wrong inside\n")


def _garbage(_value: str, _text: str) -> str:
    sys.stdout.buffer.write(b'\xff\xfe{"half": [\x00 and <html>no answer</html>\n')
    raise Stop(0, "")


def _silent(_value: str, _text: str) -> str:
    raise Stop(0, "")


def _wordless(_value: str, _text: str) -> str:
    return ""


def _wake(value: str, _text: str) -> str:
    command = [sys.executable, "-m", "duly", "wake-me", value or "20", "--note", "look again"]
    asked = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603  it is duly's own
    return asked.stdout or asked.stderr


def _flood(value: str, text: str) -> str:
    for _ in range(int(value or 100)):
        sys.stdout.buffer.write(_MEGABYTE)
    sys.stdout.buffer.write(b"\n")
    sys.stdout.flush()
    return text


def _family(_value: str, text: str) -> str:
    sleep = [sys.executable, "-c", "import time; time.sleep(3600)"]
    child = subprocess.Popen(sleep)  # noqa: S603  it only sleeps
    runaway = subprocess.Popen(sleep, start_new_session=True)  # noqa: S603  it only sleeps
    _write("family", f"{os.getpid()} {child.pid} {runaway.pid}")
    return _hang("", text)


def _env(_value: str, _text: str) -> str:
    return json.dumps(dict(os.environ))


def _fail_in(value: str, text: str) -> str:
    if Path.cwd().name == value:
        raise Stop(1, f"cannot work in {value}\n")
    return text


def _fail_once(value: str, text: str) -> str:
    if not Path(value).exists():
        Path(value).touch()
        raise Stop(1, "not the first time\n")
    return text


def _wait_in(value: str, text: str) -> str:
    name, _, path = value.partition(":")
    while Path.cwd().name == name and not Path(path).exists():
        time.sleep(_CHECK_EVERY)
    return text


def _meet(value: str, text: str) -> str:
    place, _, number = value.rpartition(":")
    Path(place).mkdir(exist_ok=True)
    (Path(place) / str(os.getpid())).touch()
    while len(list(Path(place).iterdir())) < int(number):
        time.sleep(_CHECK_EVERY)
    return text


def _alone(value: str, text: str) -> str:
    try:
        os.close(os.open(value, os.O_CREAT | os.O_EXCL))
    except FileExistsError:
        raise Stop(1, "another one uses it\n") from None
    time.sleep(20 * _CHECK_EVERY)
    Path(value).unlink()
    return text


def _write(name: str, text: str) -> None:
    """Write a file in one step, so that no reader sees a part of it."""
    Path(f"{name}.tmp").write_text(text, encoding="utf-8")
    Path(f"{name}.tmp").rename(name)


_BEHAVIOURS: dict[str, Callable[[str, str], str]] = {
    "hang": _hang,
    "stubborn": _stubborn,
    "crash": _crash,
    "exit": _exit,
    "garbage": _garbage,
    "silent": _silent,
    "wordless": _wordless,
    "wake": _wake,
    "flood": _flood,
    "family": _family,
    "env": _env,
    "fail-in": _fail_in,
    "fail-once": _fail_once,
    "wait-in": _wait_in,
    "meet": _meet,
    "alone": _alone,
}


if __name__ == "__main__":
    sys.exit(main())
