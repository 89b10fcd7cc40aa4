"""Environments with few packages: links to those of this one, so that nothing is downloaded.

What pyproject.toml says decides what is in them, so that they are as a fresh `pip install 'tolman[EXTRA]'` leaves them.
"""

import json
import os
import subprocess
import sys
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib.metadata import distribution
from pathlib import Path

from packaging.requirements import Requirement

ROOT = Path(__file__).resolve().parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]

_DRIVER = """
import json, os, sys
import tolman.cli
for place, arguments, texts in json.loads(sys.argv[1]):
    process = os.fork()
    if process == 0:
        for number, path in enumerate(("/dev/null", *texts)):
            file = os.open(path, os.O_RDWR | os.O_CREAT)
            os.dup2(file, number)
        os.chdir(place)
        sys.argv = ["tolman", *arguments]
        sys.exit(tolman.cli.main())
    print(os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]), flush=True)
"""


@dataclass(frozen=True)
class Done:
    """What came of a command."""

    code: int
    out: str
    error: str


@dataclass(frozen=True)
class Environment:
    """A folder that stands in place of site-packages."""

    site: Path

    def run(self, place: Path, *commands: Sequence[str], **variables: str) -> list[Done]:
        """Type commands of Tolman's, each in a process of its own that is forked from one that has it imported."""
        place.mkdir(parents=True, exist_ok=True)
        texts = [[str(place / f"{kind}-{i}") for kind in ("out", "error")] for i in range(len(commands))]
        jobs = [
            (str(place), [str(part) for part in command], own) for command, own in zip(commands, texts, strict=True)
        ]
        done = self.python(place, "-c", _DRIVER, json.dumps(jobs), **variables)
        assert done.returncode == 0, done.stderr
        codes = [int(line) for line in done.stdout.split()]
        return [
            Done(code, *(Path(path).read_text(encoding="utf-8") for path in own))
            for code, own in zip(codes, texts, strict=True)
        ]

    def python(self, place: Path, *arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
        """Run Python with nothing but the standard library and this environment's packages."""
        own = {"PYTHONPATH": str(self.site), "TOLMAN_CACHE": str(place / "cache"), "PYTHONDONTWRITEBYTECODE": "1"}
        return subprocess.run(
            [sys.executable, "-S", *arguments], cwd=place, env=os.environ | own | variables, capture_output=True, text=True,
            check=False, timeout=300,
        )  # fmt: skip


def environment(site: Path, *extras: str) -> Environment:
    """An environment with Tolman, its dependencies and those of some extras."""
    site.mkdir(parents=True)
    wanted = [*PROJECT["dependencies"], *(line for extra in extras for line in lines_of(extra))]
    for name in _closed(wanted):
        found = distribution(name)
        for top in {file.parts[0] for file in found.files or () if file.parts[0] not in ("..", "__pycache__", "bin")}:
            link = site / top
            if not link.exists():
                link.symlink_to(Path(str(found.locate_file(top))))
    (site / "tolman").symlink_to(ROOT / "src" / "tolman")
    about = site / f"tolman-{PROJECT['version']}.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("\n".join(_metadata()) + "\n", encoding="utf-8")
    return Environment(site)


def lines_of(extra: str) -> Iterator[str]:
    """The requirements of an extra and of those that it names."""
    for line in PROJECT["optional-dependencies"][extra]:
        requirement = Requirement(line)
        if requirement.name != "tolman":
            yield line
        for other in sorted(requirement.extras) if requirement.name == "tolman" else ():
            yield from lines_of(other)


def _metadata() -> Iterator[str]:
    yield from ("Metadata-Version: 2.4", "Name: tolman", f"Version: {PROJECT['version']}")
    yield from (f"Requires-Dist: {line}" for line in PROJECT["dependencies"])
    for extra, lines in PROJECT["optional-dependencies"].items():
        yield f"Provides-Extra: {extra}"
        yield from (f"Requires-Dist: {line}; extra == '{extra}'" for line in lines)


def _closed(lines: Sequence[str]) -> list[str]:
    """The names of all packages that some requirements bring along, in the order of their being needed."""
    found: dict[str, set[str]] = {}
    waiting = [Requirement(line) for line in lines]
    while waiting:
        requirement = waiting.pop(0)
        new = {"", *requirement.extras} - found.get(requirement.name, set())
        found.setdefault(requirement.name, set()).update(new)
        for line in distribution(requirement.name).requires or () if new else ():
            further = Requirement(line)
            if further.marker is None or any(further.marker.evaluate({"extra": extra}) for extra in new):
                waiting.append(further)
    return list(found)
