"""Write files atomically, and protect inputs from being overwritten.

A file or folder is written completely or not at all. No command replaces or extends an input, or a folder of another
kind. A folder's kind shows in its files: a benchmark has its card next to its items, a run its record, and so on.
"""

from __future__ import annotations

import errno
import hashlib
import os
import re
import shutil
import tempfile
import threading
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from tolman.errors import InputError, OutputError, UsageError
from tolman.extras import filelock

_HERE = os.urandom(3).hex()
"""Tells this machine's processes from those of others with the same number, on a disk that both see."""


@contextmanager
def atomic_write(path: Path) -> Iterator[Path]:
    """Yield a path next to the target to write to; it takes the target's place if nothing goes wrong.

    Readers see the old content or the new, never a part. Processes and threads that write the same file don't disturb
    each other; the last one wins. A target that is no file, such as /dev/null or /dev/stdout, is written into and
    stays.

    Raises:
        OutputError: the disk is full, read-only or broken.
    """
    if is_stream(path):
        with tempfile.TemporaryDirectory() as folder:
            yield Path(folder) / path.name
            with (Path(folder) / path.name).open("rb") as made, path.open("wb") as stream:
                shutil.copyfileobj(made, stream)
        return
    partial = path.with_name(f".{path.name}.{os.getpid()}-{threading.get_ident()}-{_HERE}.partial")
    try:
        with writing(path):
            yield partial
            partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)


@contextmanager
def writing(path: Path, *, temporary: bool = False) -> Iterator[None]:
    """Name a file that can't be written because the disk is full, read-only or broken, whichever library writes it.

    Args:
        path: the file.
        temporary: whether TMPDIR chooses its folder.

    Raises:
        OutputError: it is so.
    """
    elsewhere = ("name another folder in TMPDIR",) if temporary else ()
    try:
        yield
    except OSError as error:
        if error.errno not in _OF_DISKS:
            raise
        raise OutputError(path, os.strerror(error.errno), *elsewhere) from error
    except Exception as error:
        number = _number_of(error, path.parent) if type(error).__module__.startswith("polars") else None
        if number not in _OF_DISKS:
            raise
        raise OutputError(path, os.strerror(number), *elsewhere) from error


_OF_DISKS = (errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EIO, errno.EFBIG)
"""Errors of the disk that a file is on, rather than of its name or content."""
_OF_POLARS = re.compile(r"\(os error (\d+)\)")
_PROBE = 2**20


def _number_of(error: Exception, folder: Path) -> int | None:
    """Return the number of the system's error behind one of Polars; None if there is none.

    Polars drops the number where the disk fails in the middle of a header, so that another file is tried.
    """
    if found := _OF_POLARS.search(str(error)):
        return int(found[1])
    if "thrift: transport error" in str(error):
        try:
            with tempfile.TemporaryFile(dir=folder) as file:
                file.write(bytes(_PROBE))
        except OSError as own:
            return own.errno
    return None


@contextmanager
def whole_folder(path: Path) -> Iterator[Path]:
    """Yield a new folder next to the target to write into; it takes the target's place if nothing goes wrong."""
    partial = path.with_name(f".{path.name}.{os.getpid()}-{threading.get_ident()}.partial")
    shutil.rmtree(partial, ignore_errors=True)
    partial.mkdir(parents=True)
    try:
        with writing(path):
            yield partial
            if path.is_dir():
                shutil.rmtree(path)
            partial.replace(path)
    finally:
        shutil.rmtree(partial, ignore_errors=True)


def remove_partials(folder: Path) -> None:
    """Remove the partial files of `atomic_write` up to two folders below one, where its process or machine was lost.

    No other process may be writing there.
    """
    for pattern in ("*/.*.partial", "*/*/.*.partial"):
        for path in folder.glob(pattern):
            if path.is_file():
                path.unlink(missing_ok=True)


def is_stream(path: Path) -> bool:
    """Check whether a path is a device, a pipe or a name for one, which must not be replaced by a file."""
    return path.parent == Path("/dev") or (path.exists() and not path.is_file() and not path.is_dir())


def remove(path: Path) -> None:
    """Remove a file, or a folder with all it holds; nothing where there is none, or where it is a device."""
    if is_stream(path):
        return
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def write_text(path: Path, text: str | Iterable[str]) -> None:
    """Write a text, or its pieces one after the other, into a file, whole or not at all."""
    with atomic_write(path) as partial, partial.open("w", encoding="utf-8") as file:
        file.writelines([text] if isinstance(text, str) else text)


def file_state(path: Path) -> tuple[int, int, int, int]:
    """Return the values that change when a file is replaced or written to, even by one of the same size and time stamp:
    its size, the time stamps of its content and of its entry in the folder in nanoseconds, and its number on the disk.

    Raises:
        OSError: it is missing.
    """
    found = path.stat()
    return found.st_size, found.st_mtime_ns, found.st_ctime_ns, found.st_ino


def sampled_hash(path: Path) -> str:
    """A hash of a file's size, beginning and end, a megabyte at most: other pictures give another hash, however long
    a video is.

    Raises:
        OSError: it can't be read.
    """
    with path.open("rb") as file:
        size = file.seek(0, os.SEEK_END)
        found = hashlib.sha256(str(size).encode())
        for place in (0, max(_SAMPLE, size - _SAMPLE)):
            file.seek(place)
            found.update(file.read(_SAMPLE))
    return found.hexdigest()


_SAMPLE = 500_000
"""Bytes."""


def cache_folder() -> Path:
    """$TOLMAN_CACHE, or Tolman's place in the user's cache folder: its content can always be made again."""
    cache = os.environ.get("TOLMAN_CACHE")
    return Path(cache) if cache else Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "tolman"


def link_or_copy(there: Path, here: Path) -> None:
    """Put a file at another place too: as a link to the same bytes where the disk allows it, else as a copy."""
    here.parent.mkdir(parents=True, exist_ok=True)
    here.unlink(missing_ok=True)
    try:
        os.link(there, here)
    except OSError:
        with writing(here):
            shutil.copyfile(there, here)


_MARKS: dict[str, tuple[tuple[str, ...], ...]] = {
    "a benchmark": (("benchmark.json", "items.parquet"), ("benchmark.json", "data/*.parquet")),
    "a run": (("run.json", "items.parquet"), ("run.json", "responses.jsonl")),
    "scenes": (("scenes-*.parquet",), ("simulation.json",), ("ingest.json",)),
    "a media pool": (("pool.parquet",),),
    "a pool of question sets": (("recipe.json", "*/stage.json"),),
    "a review": (("review.sqlite",),),
    "a site": (("data/site.js", "index.html"),),
}
"""Kind of a folder → patterns of files: all those of one tuple are in a folder of that kind."""
_OWN = {
    "run": ("a run",),
    "benchmark": ("a benchmark",),
    "scenes": ("scenes",),
    "pool": ("a media pool",),
    "ingested": ("scenes", "a media pool"),
    "curation": ("a pool of question sets",),
    "review": ("a review",),
    "result": ("a site",),
}
"""What a setting writes → the kinds of folder that it may go on with; the command checks what is in it."""
_KEPT = {
    "a run": {"run.json", "items.parquet", "responses.jsonl", "judgements.json", "scores.parquet", "scores.json",
              "metrics.parquet", "receipt.json", "receipt.json.sig"},
    "a benchmark": {"benchmark.json", "items.parquet", "provenance.json", "review.json", "README.md"},
}  # fmt: skip
"""Files of a folder that only its own command replaces."""
_PAGES = {".html", ".md", ".csv", ".tsv", ".tex", ".txt", ".svg", ".pdf", ".xlsx", ".toml", ".json", ".jsonl"}
"""Suffixes of files that reports write directly into a benchmark's folder, or into one of another kind."""
_BINARY = {b"PAR1": "a Parquet table", b"SQLite format 3": "an SQLite database"}
WRITTEN_BY = {"written_by": "Tolman"}
"""The last key of a report in JSON."""
_SIGNS = {
    "html": "<!-- written by Tolman -->\n",
    "markdown": "\n<!-- written by Tolman -->\n",
    "latex": "% written by Tolman\n",
    "svg": "<!-- written by Tolman -->\n",
    "pdf": "% written by Tolman\n",
}
"""Form of a report → its end, by which it is known as Tolman's. A PNG has it at its beginning, as its software."""
_ENDS = re.compile(rb'written by Tolman|"written_by": "Tolman"')
_HEADS = re.compile(
    rb"model,rules,group,source,|b,metric,column,title,|(?:panel,)?series,role,(?:label,)?(?:x,)?value,"
    rb"|person,[^\n]*,excluded because,code,pay,currency\r?\n"
    rb'|\{"members": \[|\{"id": "[^\n]*", "same_as": "'
)
"""The beginnings of reports, comparisons, values of figures, pay and duplicates in CSV and JSON Lines, which can hold
no sign."""
_HEAD_BYTES, _END_BYTES = 2000, 200
CONFIG_HEAD = "# tolman"
"""The beginning of the config files that Tolman writes."""


def kind_of(folder: Path) -> str | None:
    """The kind of a folder, such as 'a benchmark'; None for any other.

    A folder that can't be read is of no kind.
    """
    if not folder.is_dir():
        return None
    for kind, marks in _MARKS.items():
        if any(all(any(folder.glob(pattern)) for pattern in patterns) for patterns in marks):
            return kind
    return None


def check_folder(
    folder: Path, writes: str, option: str = "--out", inputs: Sequence[Path] = (), *, outside: bool = True
) -> None:
    """Make sure that a command may write into a folder.

    Args:
        folder: where it writes; there need be none.
        writes: the kind of output: 'run', 'runs', 'benchmark', 'scenes', 'pool', 'ingested', 'curation', 'review' or
            'result'.
        option: that names the folder.
        inputs: files and folders that the command reads.
        outside: whether the folder must be outside of folders of a known kind.

    Raises:
        UsageError: it holds something of another kind, is inside such a folder, or is or contains an input.
    """
    place = folder.resolve()
    kind = kind_of(place)
    if kind is not None and kind not in _OWN.get(writes, ()):
        raise UsageError(f"{folder} holds {kind}; give another folder with {option}.")
    for path in (one for one in inputs if kind is None and one.exists()):
        there = path.resolve()
        if there == place:
            raise UsageError(f"{folder} is read by this command; give another folder with {option}.")
        if there.is_relative_to(place) and writes not in ("runs", "result"):
            raise UsageError(
                f"{folder} contains {path}, which this command reads; give a folder of its own with {option}."
            )
        if place.is_relative_to(there) and outside and not (_may_lie_in(place, there, writes) or _is_around(there)):
            raise UsageError(
                f"{folder} lies in {path}, which this command reads; give a folder outside of it with {option}."
            )
    if outside:
        for above in place.parents:
            kind = kind_of(above)
            if kind is not None and kind != _MANY and not _may_lie_in(place, above, writes):
                raise UsageError(f"{folder} lies in {above}, which holds {kind}; give another folder with {option}.")


_MANY = "a pool of question sets"
"""A kind of folder that other commands write into: its stages are folders of their own."""


def _may_lie_in(place: Path, above: Path, writes: str) -> bool:
    """Check whether a folder may be inside one of a known kind, or inside one that is read.

    It may in the folder `runs`, which commands make where they are started. Runs and results may also be in a benchmark
    or a folder of media, if nothing else is in their own folder.
    """
    if place.relative_to(above).parts[0] == "runs":
        return True
    alone = kind_of(place) is not None or not place.exists() or not any(place.iterdir())
    return alone and writes in ("run", "runs", "result") and kind_of(above) in ("a benchmark", None)


def _is_around(folder: Path) -> bool:
    """Check whether the user works in a folder of no known kind, where outputs are at home."""
    return kind_of(folder) is None and Path.cwd().is_relative_to(folder)


def check_shards(files: Iterable[Path]) -> None:
    """Make sure that no file of a numbered series is missing, as `test-00001-of-00002` or one before `scenes-00002`.

    Raises:
        InputError: one is.
    """
    series: dict[tuple[Path, str, str], set[int]] = {}
    for file in files:
        if found := re.fullmatch(r"(.*?-)([0-9]{5})(-of-[0-9]{5})?", file.stem):
            series.setdefault((file.parent, found[1], found[3] or ""), set()).add(int(found[2]))
    for (folder, name, end), numbers in series.items():
        count = int(end.removeprefix("-of-")) if end else max(numbers) + 1
        for number in sorted({*range(count)} - numbers):
            raise InputError(folder / f"{name}{number:05d}{end}.parquet", "is missing", fix="copy the folder whole")


@contextmanager
def alone_in(folder: Path, *, wait: bool = False) -> Iterator[None]:
    """Be the only process of a user on this machine that writes a folder.

    The lock is in the folder of temporary files, because a folder of results holds nothing else.

    Args:
        folder: that is written.
        wait: wait for another process.

    Raises:
        InputError: another process writes it, and isn't waited for.
    """
    user = os.getuid() if hasattr(os, "getuid") else "user"
    name = hashlib.sha256(os.path.realpath(folder).encode()).hexdigest()[:16]
    lock = filelock.FileLock(Path(tempfile.gettempdir()) / f"tolman-{user}-{name}.lock", timeout=-1 if wait else 0)
    try:
        with lock:
            yield
    except filelock.Timeout:
        raise InputError(
            folder, "is being written by another command", fix="wait for it, or give another folder with --out"
        ) from None


def check_alone(folder: Path, option: str = "--out") -> None:
    """Make sure that a new run's folder holds no other runs: one level up, they would belong to it.

    Raises:
        UsageError: it does.
    """
    if kind_of(folder) is None:
        for path in _first_below(folder):
            raise UsageError(f"{folder} contains the run {path}; give a folder of its own with {option}.")


def _first_below(folder: Path) -> Iterator[Path]:
    for pattern in ("*/run.json", "*/*/run.json"):
        yield from (path.parent for path in sorted(folder.glob(pattern)) if kind_of(path.parent) is not None)


def check_file(file: Path, option: str = "--out", inputs: Sequence[Path] = ()) -> None:
    """Make sure that a command may write a file, or replace it.

    Args:
        file: that is written; there need be none.
        option: that names it.
        inputs: files and folders that the command reads.

    Raises:
        UsageError: it is an input, belongs to a benchmark, a run or the like, or is of another kind.
    """
    if not file.exists() or is_stream(file):
        return
    place = file.resolve()
    if any(path.exists() and path.resolve() == place for path in inputs):
        raise UsageError(f"{file} is read by this command; give another file with {option}.")
    if not file.is_file():
        return
    for above in place.parents:
        kind = kind_of(above)
        if kind is not None:
            inside = place.relative_to(above)
            known = _KEPT.get(kind, set())
            free = kind == "a run" or (len(inside.parts) == 1 and place.suffix.lower() in _PAGES and known)
            if place.name in known or not free:
                raise UsageError(f"{file} belongs to {above}, which holds {kind}; give another file with {option}.")
            break
    with place.open("rb") as opened:
        head = opened.read(16)
    for beginning, what in _BINARY.items():
        if head.startswith(beginning):
            raise UsageError(f"{file} is {what}; give another file with {option}.")


def signed(content: str | Iterable[str], form: str) -> Iterator[str]:
    """The pieces of a report and, at its end, the sign by which `check_report` knows it.

    Args:
        content: of the report.
        form: html, markdown, latex, svg or pdf; JSON has `WRITTEN_BY`, and CSV is known by its columns.
    """
    yield from [content] if isinstance(content, str) else content
    yield _SIGNS.get(form, "")


def is_own_report(file: Path) -> bool:
    """Check whether a report may be written to a file: there is none, or it is empty, or Tolman wrote it."""
    if not file.is_file() or is_stream(file):
        return True
    with file.open("rb") as opened:
        head = opened.read(_HEAD_BYTES)
        opened.seek(max(0, file.stat().st_size - _END_BYTES))
        is_signed = any(_ENDS.search(part) for part in (opened.read(), head[:_END_BYTES]))
        return not head or is_signed or _HEADS.match(head) is not None


def check_report(file: Path, option: str = "--out") -> None:
    """Make sure that a report replaces no document but an earlier report.

    Raises:
        UsageError: it would.
    """
    if not is_own_report(file):
        raise UsageError(f"{file} isn't a report that Tolman wrote; remove it, or give another file with {option}.")


def check_results(folder: Path, names: Sequence[str], sign: str, option: str = "--out") -> None:
    """Make sure that results replace no files of others in a folder.

    Args:
        folder: where the results are written; there need be none.
        names: files that are written there.
        sign: the one of them by which earlier results are known.
        option: that names the folder.

    Raises:
        UsageError: one of these files is there, and Tolman didn't write it.
    """
    found = next((name for name in names if (folder / name).exists()), None)
    if found is not None and not ((folder / sign).is_file() and is_own_report(folder / sign)):
        raise UsageError(f"{folder / found} isn't of Tolman; remove it, or give another folder with {option}.")


def is_own_config(file: Path) -> bool:
    """Check whether a config may be written to a file: there is none, or it is empty, or Tolman wrote it."""
    if not file.is_file() or is_stream(file):
        return True
    with file.open("rb") as opened:
        head = opened.read(len(CONFIG_HEAD))
    return not head or head == CONFIG_HEAD.encode()


def check_config(file: Path, option: str = "--write-config", command: str | None = None) -> None:
    """Make sure that a config may be written to a file.

    Args:
        file: that is written; there need be none.
        option: that names it.
        command: the table of the command that writes it; None for any.

    Raises:
        UsageError: it holds something else, or repeats how a run or the like was made by another command.
    """
    check_file(file, option)
    if not is_own_config(file):
        raise UsageError(f"{file} isn't a config that Tolman wrote; give another file with {option}.")
    kind = kind_of(file.resolve().parent)
    if command is not None and kind is not None and file.is_file():
        lines = file.read_text(encoding="utf-8", errors="replace").splitlines()
        if lines and not {f"[{command}]", f"[[{command}]]"} & set(lines):
            raise UsageError(f"{file} repeats how {kind} was made; give another file with {option}.")
