"""Which prompts can be carried out here: what the configuration knows, and what of it is on the disk just now.

The two are kept apart. A name that the configuration does not know is a typo, to be refused; a folder or program that
is missing may come back, and until then the schedule rests.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from duly.agents.budget import check_budget
from duly.agents.callables import load
from duly.agents.confinement import fault_of
from duly.agents.environment import fetch
from duly.agents.gate import check_gates
from duly.agents.profile import Kind, Sandbox, SpawnerProfile, check_model
from duly.agents.projects import Projects
from duly.errors import InvalidInputError, NotFoundError
from duly.model.action import Prompt, Target

DEFAULT = "default"


class PromptRules:
    """The spawners, projects and gates of a configuration."""

    def __init__(
        self,
        profiles: Sequence[SpawnerProfile],
        *,
        default: str | None = None,
        projects: Projects | None = None,
        gates: Mapping[str, Sequence[str]] | None = None,
        environ: Mapping[str, str] | None = None,
        state_dir: Path,
    ) -> None:
        """`default` names the profile of prompts that name none, unless one is called so itself."""
        self._profiles = {profile.name: profile for profile in profiles}
        if default is not None:
            self._profiles.setdefault(DEFAULT, self.profile(default))
        self.projects = projects or Projects()
        self.gates = check_gates(gates or {})
        self._environ = os.environ if environ is None else environ
        self._state_dir = state_dir

    def confined(self) -> list[SpawnerProfile]:
        """The profiles whose agents are kept apart from duly."""
        return [each for each in self._profiles.values() if each.run_as is not None or each.sandbox is not Sandbox.NONE]

    def serves(self) -> list[str]:
        """The handlers of prompts that can be carried out as far as the configuration goes."""
        return [f"prompt:{name}" for name in self._profiles]

    def profile(self, name: str) -> SpawnerProfile:
        """The profile of a name, or an error that lists what there is."""
        if name not in self._profiles:
            known = ", ".join(sorted(self._profiles)) or "none"
            raise InvalidInputError(f"unknown spawner {name!r}: configured are {known}")
        return self._profiles[name]

    def check(self, prompt: Prompt) -> SpawnerProfile:
        """Refuse a prompt that the configuration cannot serve, whatever is on the disk; gives its profile."""
        profile = self.checked(prompt)
        for target in prompt.targets:
            self.projects.check(target)
        return profile

    def checked(self, prompt: Prompt) -> SpawnerProfile:
        """The same without its targets, which are looked at one by one when it is carried out."""
        profile = self.profile(prompt.spawner)
        check_budget(prompt, profile)
        if prompt.gate is not None and prompt.gate not in self.gates:
            known = ", ".join(sorted(self.gates)) or "none"
            raise InvalidInputError(f"unknown gate {prompt.gate!r}: configured are {known}")
        if prompt.model is not None:
            check_model(prompt.model, "model")
        return profile

    def find(self, prompt: Prompt) -> list[Path]:
        """The folders of a prompt that the configuration knows; refused when one, or its function, is not there now."""
        if (profile := self.profile(prompt.spawner)).kind is Kind.CALLABLE:
            load(profile)
        return [self.projects.directory(target) for target in prompt.targets]

    def missing(self, prompt: Prompt) -> str | None:
        """Which folder, program or function of a prompt is not there now; None when all of it is."""
        profile = self.profile(prompt.spawner)
        if (fault := fault_of(profile, self._environ)) is not None:
            return fault
        try:
            directories = self.find(prompt)
        except (InvalidInputError, NotFoundError) as error:
            return str(error)
        if profile.kind is Kind.COMMAND:
            for directory in directories or [self._state_dir]:
                if (fault := self._missing_program(profile, directory)) is not None:
                    return fault
        return None if prompt.gate is None else self._missing_gate(prompt.gate, self._where_gates_run(directories))

    def missing_program(self, spawner: str) -> str | None:
        """The program of a spawner that is not on this machine; None when it is there, or when there is none."""
        profile = self._profiles.get(spawner)
        if profile is None or profile.kind is not Kind.COMMAND:
            return None
        program = str(profile.new[0])
        if "/" in program and not program.startswith("/"):
            return None  # it is looked for in the folder of each run
        return None if self._missing_program(profile, self._state_dir) is None else program

    def _where_gates_run(self, directories: Sequence[Path]) -> Path:
        return directories[0] if len(directories) == 1 else self._state_dir

    def _missing_program(self, profile: SpawnerProfile, directory: Path) -> str | None:
        path = self._environ.get("PATH", os.defpath)
        with suppress(InvalidInputError):  # a secret that is not set is told when the prompt runs
            path = fetch(profile.variables.get("PATH", path), self._environ, profile.key("variables.PATH"))
        return _not_found(f"spawner {profile.name!r}", str(profile.new[0]), path, directory)

    def _missing_gate(self, name: str, directory: Path) -> str | None:
        return _not_found(f"gate {name!r}", self.gates[name][0], self._environ.get("PATH", os.defpath), directory)

    # what other nodes are told

    def needs(self, prompt: Prompt) -> frozenset[str]:
        """What a node has to have for a prompt, in the words of `capabilities`."""
        gate = [] if prompt.gate is None else [f"gate:{prompt.gate}"]
        projects = [f"project:{target.project_id}" for target in prompt.targets]
        return frozenset([prompt.handler, f"spawner:{prompt.spawner}", *projects, *gate])

    def capabilities(self) -> frozenset[str]:
        """The spawners, projects and gates whose programs, functions and folders are here now."""
        return frozenset(self._capabilities())

    def _capabilities(self) -> Iterator[str]:
        for name in self._profiles:
            if self.missing(Prompt(text="?", spawner=name)) is None:
                yield f"spawner:{name}"
        for project in self.projects:
            with suppress(NotFoundError):
                self.projects.directory(Target(project))
                yield f"project:{project}"
        for gate in self.gates:
            if "/" in self.gates[gate][0] or self._missing_gate(gate, self._state_dir) is None:
                yield f"gate:{gate}"


def _not_found(what: str, program: str, path: str, directory: Path) -> str | None:
    """Whether a program can be started from a directory: by the rules of `execvp`."""
    if "/" not in program:
        return None if shutil.which(program, path=path) else f"{what} needs the program {program!r}: it is not on PATH"
    place = directory / program
    return None if shutil.which(place) else f"{what} needs the program {place}: it is not there, or cannot be executed"
