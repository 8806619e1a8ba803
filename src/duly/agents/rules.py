"""The rules of prompts: which ones the configuration allows, and which folders and programs of it exist now.

They differ. A name that the configuration does not know is a typo and is refused; a folder or program that
is missing may come back, and until then the schedule rests.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from duly.agents.budget import check_budget
from duly.agents.confinement import fault_of
from duly.agents.elsewhere import check_elsewhere, job_of
from duly.agents.function import load
from duly.agents.gates import check_gates
from duly.agents.profile import Sandbox, SpawnerKind, SpawnerProfile, check_model
from duly.agents.projects import Projects
from duly.agents.signin import announced, sign_in_of
from duly.errors import InvalidInputError, NotFoundError
from duly.model.action import Job, Prompt, Target
from duly.outbound.secrets import resolve

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
        """Take the configuration; `default` names the profile of prompts that name none, unless one has that name."""
        self._profiles = {profile.name: profile for profile in profiles}
        if default is not None:
            self._profiles.setdefault(DEFAULT, self.profile(default))
        self.projects = projects or Projects()
        self.gates = check_gates(gates or {})
        self.environ = os.environ if environ is None else environ
        self.state_dir = state_dir
        """The folder of agents without a project."""

    def confined(self) -> list[SpawnerProfile]:
        """Return the profiles whose agents are confined here."""
        here = [each for each in self._profiles.values() if each.executor is None]
        return [each for each in here if each.run_as is not None or each.sandbox is not Sandbox.NONE]

    def handing(self) -> dict[str, str]:
        """Return the executors to which spawners hand prompts over, by the name of the spawner."""
        return {name: each.executor for name, each in self._profiles.items() if each.executor is not None}

    def handed(self, prompt: Prompt) -> Job | None:
        """Return what is handed over for a prompt, without what its gate adds; None of one that is carried out here."""
        profile = self.profile(prompt.spawner)
        if profile.executor is None:
            return None
        return job_of(prompt, profile, text=prompt.text, executor=profile.executor)

    def serves(self) -> list[str]:
        """Return the handlers of prompts that the configuration knows."""
        return [f"prompt:{name}" for name in self._profiles]

    def profile(self, name: str) -> SpawnerProfile:
        """Return the profile of a name; the error for an unknown one lists the names that exist."""
        if name not in self._profiles:
            known = ", ".join(sorted(self._profiles)) or "none"
            raise InvalidInputError(f"unknown spawner {name!r}: configured are {known}")
        return self._profiles[name]

    def check(self, prompt: Prompt) -> SpawnerProfile:
        """Refuse a prompt that the configuration does not allow; return its profile. Does not look at the disk."""
        profile = self.checked(prompt)
        for target in prompt.targets:
            self.projects.check(target)
        return profile

    def checked(self, prompt: Prompt) -> SpawnerProfile:
        """Do the same without the targets, which are checked one by one when the prompt is carried out."""
        profile = self.profile(prompt.spawner)
        check_budget(prompt, profile)
        check_elsewhere(prompt, profile)
        if prompt.gate is not None and prompt.gate not in self.gates:
            known = ", ".join(sorted(self.gates)) or "none"
            raise InvalidInputError(f"unknown gate {prompt.gate!r}: configured are {known}")
        if prompt.model is not None:
            check_model(prompt.model, "model")
        return profile

    def find(self, prompt: Prompt) -> list[Path]:
        """Return the folders of a prompt; raise when one of them, or its function, is missing now.

        The folders of a prompt that is handed over are those of the worker; here only its gate needs them.
        """
        if self._is_elsewhere(prompt):
            return []
        if (profile := self.profile(prompt.spawner)).kind is SpawnerKind.CALLABLE:
            load(profile)
        return [self.projects.directory(target) for target in prompt.targets]

    def missing(self, prompt: Prompt) -> str | None:
        """Say which folder, program or function of a prompt is missing now; None when none is."""
        profile = self.profile(prompt.spawner)
        if self._is_elsewhere(prompt):
            return None
        if (fault := fault_of(profile, self.environ)) is not None:
            return fault
        try:
            directories = self.find(prompt)
        except (InvalidInputError, NotFoundError) as error:
            return str(error)
        if profile.kind is SpawnerKind.COMMAND and profile.executor is None:
            for directory in directories or [self.state_dir]:
                if (fault := self._missing_program(profile, directory)) is not None:
                    return fault
        return None if prompt.gate is None else self._missing_gate(prompt.gate, self._where_gates_run(directories))

    def missing_program(self, spawner: str) -> str | None:
        """Return the program of a spawner if it is not on this machine; None if it is, or if the spawner needs none."""
        profile = self._profiles.get(spawner)
        if profile is None or profile.kind is not SpawnerKind.COMMAND or profile.executor is not None:
            return None
        program = str(profile.new[0])
        if "/" in program and not program.startswith("/"):
            return None  # without a file, a relative path starts from the folder of each run
        return None if self._missing_program(profile, self.state_dir) is None else program

    def _is_elsewhere(self, prompt: Prompt) -> bool:
        """Whether nothing of a prompt is carried out here: not even a gate."""
        return prompt.gate is None and self.profile(prompt.spawner).executor is not None

    def _where_gates_run(self, directories: Sequence[Path]) -> Path:
        return directories[0] if len(directories) == 1 else self.state_dir

    def _missing_program(self, profile: SpawnerProfile, directory: Path) -> str | None:
        path = self.environ.get("PATH", os.defpath)
        with suppress(InvalidInputError):  # a secret that is missing is reported when the prompt runs
            fixed = profile.variables.get("PATH", path)
            path = resolve(fixed, self.environ, profile.key("variables.PATH"), profile.folder)
        return _not_found(f"spawner {profile.name!r}", str(profile.new[0]), path, directory)

    def _missing_gate(self, name: str, directory: Path) -> str | None:
        return _not_found(f"gate {name!r}", self.gates[name][0], self.environ.get("PATH", os.defpath), directory)

    # for other nodes

    def needs(self, prompt: Prompt) -> frozenset[str]:
        """Return the capabilities that a node needs for a prompt."""
        gate = [] if prompt.gate is None else [f"gate:{prompt.gate}"]
        projects = [f"project:{target.project_id}" for target in prompt.targets if not self._is_elsewhere(prompt)]
        executor = self.profile(prompt.spawner).executor
        hands_over = [] if executor is None else [f"executor:{executor}"]
        return frozenset([prompt.handler, f"spawner:{prompt.spawner}", *projects, *gate, *hands_over])

    def capabilities(self) -> frozenset[str]:
        """Return the spawners, projects and gates whose programs, functions and folders exist here now."""
        return frozenset(self._capabilities())

    def _capabilities(self) -> Iterator[str]:
        for name in self._profiles:
            if self.missing(Prompt(text="?", spawner=name)) is None:
                yield f"spawner:{name}"
                here = self._profiles[name].executor is None
                if here and (found := sign_in_of(self._profiles[name], self.environ)) is not None:
                    yield announced(name, found)
        for project in self.projects:
            with suppress(NotFoundError):
                self.projects.directory(Target(project))
                yield f"project:{project}"
        for gate in self.gates:
            if "/" in self.gates[gate][0] or self._missing_gate(gate, self.state_dir) is None:
                yield f"gate:{gate}"


def _not_found(what: str, program: str, path: str, directory: Path) -> str | None:
    """Say that a program cannot be started from a directory, by the rules of `execvp`; None if it can."""
    if "/" not in program:
        return None if shutil.which(program, path=path) else f"{what} needs the program {program!r}: it is not on PATH"
    place = directory / program
    return None if shutil.which(place) else f"{what} needs the program {place}: it is not there, or cannot be executed"
