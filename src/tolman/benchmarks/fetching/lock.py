"""`tolman.lock`: which state of released data is meant, as the commit and the hashes of the question files.

```toml
[vsi-bench]
repository = "nyu-visionx/VSI-Bench"
revision = "668dd47863a49c6ee50946df1bf085a039fc95cd"

[vsi-bench.files]
"test-00000-of-00001.parquet" = "sha256:…"
```

Answers of released benchmarks are corrected without notice. If the file is in the working directory, runs take the
state that it names and refuse other files. Hashes are written as the hub writes them.
"""

from __future__ import annotations

import hashlib
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import tomli_w

from tolman.errors import InputError
from tolman.files import write_text

NAME = "tolman.lock"
_HEAD = (
    "# The state of released questions that is meant here: 'tolman fetch' writes it, 'tolman run' in this folder\n"
    "# takes it, and 'tolman fetch NAME --update' goes over to the newest.\n\n"
)


@dataclass(frozen=True)
class Locked:
    """The state of a benchmark's questions.

    Attributes:
        repository: on the hub.
        revision: the commit.
        files: path in the repository → 'sha256:…'.
    """

    repository: str
    revision: str
    files: Mapping[str, str]


def read_lock(path: Path) -> dict[str, Locked]:
    """The states in a lock file by the benchmarks' names; none where there is no file.

    Raises:
        InputError: it is none.
    """
    if not path.is_file():
        return {}
    try:
        found = tomllib.loads(path.read_text(encoding="utf-8-sig"))
        locked = {
            name: Locked(one["repository"], one["revision"], {file: str(one["files"][file]) for file in one["files"]})
            for name, one in found.items()
        }
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InputError(path, f"is no TOML ({error})", fix="delete it and fetch again") from None
    except (KeyError, TypeError, AttributeError) as error:
        what = f"is no lock file ({type(error).__name__}: {error})"
        raise InputError(path, what, fix="delete it and fetch again") from None
    return locked


def write_lock(path: Path, name: str, state: Locked) -> None:
    """Write a benchmark's state into a lock file, next to those of others.

    Raises:
        InputError: the file is there and is no lock file.
    """
    states = read_lock(path) | {name: state}
    tables = {
        key: {"repository": one.repository, "revision": one.revision, "files": dict(sorted(one.files.items()))}
        for key, one in sorted(states.items())
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    write_text(path, _HEAD + tomli_w.dumps(tables))


def state_of(repository: str, snapshot: Path, files: list[str]) -> Locked:
    """The state of question files in a snapshot's folder."""
    return Locked(repository, snapshot.name, {file: sha256(snapshot / file) for file in files})


def check_state(lock: Path, name: str, locked: Locked, found: Locked) -> None:
    """Make sure that question files are those that a lock file names, where it names this commit.

    Files that only one of the two names, as another subset's, are passed over.

    Raises:
        InputError: a file has another hash under the same revision.
    """
    if found.revision != locked.revision:
        return
    for file, digest in found.files.items():
        meant = locked.files.get(file, digest)
        if meant != digest:
            raise InputError(
                lock,
                f"the file '{file}' of {found.repository} has the hash {digest[:19]}… under the revision "
                f"{found.revision[:12]}, and {meant[:19]}… is written here: it was changed on the hub, on the way or "
                "on this disk",
                field=name,
                fix=f"look at what changed, and take the new state with 'tolman fetch {name} --update'",
            )


def changes(before: Locked, now: Locked) -> list[str]:
    """Describe the differences between two states, a sentence each: files that came, went or have another content."""
    said = []
    for file in sorted(before.files.keys() | now.files.keys()):
        if file not in now.files:
            said.append(f"'{file}' is no longer there")
        elif file not in before.files:
            said.append(f"'{file}' is new")
        elif before.files[file] != now.files[file]:
            said.append(f"'{file}' has another content")
    return said


_CHUNK = 1 << 20


def sha256(path: Path) -> str:
    """'sha256:…' over a file's content."""
    with path.open("rb") as file:
        return f"sha256:{hashlib.file_digest(file, 'sha256').hexdigest()}"


def digest_like(path: Path, expected: str) -> str:
    """A file's hash of the kind that is expected.

    Args:
        path: the file.
        expected: 'sha256:…' or 'git:…', the SHA-1 of git over a header and the content.
    """
    if not expected.startswith("git:"):
        return sha256(path)
    found = hashlib.sha1(f"blob {path.stat().st_size}\0".encode(), usedforsecurity=False)
    with path.open("rb") as file:
        while chunk := file.read(_CHUNK):
            found.update(chunk)
    return f"git:{found.hexdigest()}"
