"""What the modules in `sources/` read from a clone, and what they make of it."""

import csv
import io
import json
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Output:
    """An output that a repository holds.

    Attributes:
        key: its place: a file, then `#` and the place in it.
        output: the text; anything else for a record without text.
        question, truth, options: of its item; the truth is empty where the repository has none.
    """

    key: str
    output: Any
    question: str
    truth: str
    options: Sequence[str] = ()


class Clone:
    """The files of a clone at a commit."""

    def __init__(self, folder: Path, commit: str) -> None:
        self._git_dir = folder / ".git" if (folder / ".git").is_dir() else folder
        self._commit = commit

    def text(self, path: str) -> str:
        done = subprocess.run(
            ["git", f"--git-dir={self._git_dir}", "show", f"{self._commit}:{path}"], capture_output=True
        )
        if done.returncode:
            raise FileNotFoundError(f"{self._git_dir}: no {path} at {self._commit}: {done.stderr.decode()[:200]}")
        return done.stdout.decode("utf-8-sig", "replace")

    def json(self, path: str) -> Any:
        return json.loads(self.text(path))

    def json_lines(self, path: str) -> Iterator[tuple[int, Any]]:
        """The objects of a file, with the numbers of their lines."""
        for number, line in enumerate(self.text(path).split("\n")):
            if line.strip():
                yield number, json.loads(line)

    def table(self, path: str) -> list[dict[str, str]]:
        """The rows of a CSV file."""
        csv.field_size_limit(10**9)
        return list(csv.DictReader(io.StringIO(self.text(path), newline="")))
