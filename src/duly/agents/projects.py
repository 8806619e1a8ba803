"""The folders of projects. A workspace is a directory below its project; no name or link may lead out of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path, PurePath

from duly.errors import InvalidInputError, NotFoundError
from duly.model.action import Target


class Projects:
    """The directories in which prompts may run, by the id of the project."""

    def __init__(self, paths: Mapping[str, str | Path] | None = None) -> None:
        self._paths = {project: Path(path).expanduser() for project, path in (paths or {}).items()}

    def __contains__(self, project_id: object) -> bool:
        return project_id in self._paths

    def __iter__(self) -> Iterator[str]:
        return iter(self._paths)

    def check(self, target: Target) -> None:
        """Refuse an unknown project or an impossible workspace; does not look at the disk."""
        if target.project_id not in self._paths:
            raise NotFoundError(
                f"unknown project {target.project_id!r}: say where it is in duly.toml,"
                f' [projects.{target.project_id}] path = "…"'
            )
        if target.workspace_id is None:
            return
        what = _workspace(target)
        relative = PurePath(target.workspace_id)
        if relative.is_absolute() or ".." in relative.parts or "\0" in target.workspace_id:
            raise InvalidInputError(f"{what} must be a directory below the project, named without '..'")
        if relative.as_posix() != target.workspace_id or not relative.parts:
            fix = f"write {relative.as_posix()!r}" if relative.parts else "leave it out for the project itself"
            raise InvalidInputError(f"{what} has a shorter name: {fix}")

    def directory(self, target: Target) -> Path:
        """Return the working directory of a target with every link resolved; refuse one outside the project."""
        self.check(target)
        root = _existing(self._paths[target.project_id], f"project {target.project_id!r}")
        if target.workspace_id is None:
            return root
        directory = _existing(root / target.workspace_id, _workspace(target))
        if not directory.is_relative_to(root):
            raise InvalidInputError(f"{_workspace(target)} leads out of the project: a link in it points elsewhere")
        return directory

    def exposing(self, data_dir: Path) -> list[str]:
        """Return warnings about projects inside the data directory, or around it: agents could read duly's data."""
        data = data_dir.resolve()
        warnings = []
        for project, path in self._paths.items():
            folder = path.resolve()
            if folder.is_relative_to(data):
                warnings.append(
                    f"projects.{project}: {folder} lies in duly's data directory {data}, where an agent finds duly's "
                    "tokens and schedules beside its work. Move the project elsewhere"
                )
            elif data.is_relative_to(folder):
                warnings.append(
                    f"projects.{project}: duly's data directory {data} lies in {folder}, where an agent finds duly's "
                    "tokens and schedules below its working directory. Move the data directory, or name a folder "
                    "of the project that does not have it"
                )
        return warnings


def _workspace(target: Target) -> str:
    return f"workspace {target.workspace_id!r} of project {target.project_id!r}"


def _existing(path: Path, what: str) -> Path:
    try:
        resolved = path.resolve(strict=True)
    except (OSError, RuntimeError) as error:
        raise NotFoundError(f"{what} is not there: {path} ({type(error).__name__})") from None
    if not resolved.is_dir():
        raise NotFoundError(f"{what} is not a directory: {path}")
    return resolved
