"""Files of a project for the owner's browser: what the command line writes, zipped, and tables as CSV."""

from __future__ import annotations

import io
import json
import re
import zipfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from tempfile import TemporaryDirectory

from sqlalchemy import select
from sqlalchemy.orm import Session as Orm

from tolman.review.exchange import label_studio
from tolman.review.exchange.annotated import PictureFormat
from tolman.review.modes import MODES
from tolman.review.projects import export, labels, lifecycle, marks, publish
from tolman.review.projects.pictures import PictureContents, PicturedQuestion
from tolman.review.site import Site
from tolman.review.store.schema import ItemVersion, Project, Submission, Task, User
from tolman.review.studies.pay import moment, to_csv
from tolman.review.tasks.agreement import agreement, votes_of

Parts = Iterator[bytes]
"""A file, part after part."""
_CHUNK = 1 << 20
_PACKED = (".mp4", ".webm", ".jpg", ".jpeg", ".png", ".webp", ".parquet")
"""Endings of files that packing makes no smaller."""
_TIMES = ("person", "item", "version", "stage", "step", "attempt", "seconds", "submitted", "marks")


def benchmark_zip(
    site: Site, project: Project, *, undecided: bool = False, without_marked: bool = False, by: int | None = None
) -> Parts:
    """A project's items as a new version of the benchmark, with their media; see `publish.publish`.

    Raises:
        UsageError: there is nothing to publish.
    """
    with _folder() as folder:
        out = Path(folder.name) / site.loaded.folder.resolve().name
        publish.publish(site, out, project.name, undecided=undecided, without_marked=without_marked, by=by)
    return _zipped(folder)


def runs_zip(
    site: Site, project: Project, *, without_marked: bool = False, with_excluded: bool = False, by: int | None = None
) -> Parts:
    """Each subject's answers as a run; see `export.export_runs`.

    Raises:
        UsageError: nobody has answered, or nothing is left.
    """
    with _folder() as folder:
        runs = Path(folder.name) / "runs"
        export.export_runs(site, runs, project.name, without_marked=without_marked, with_excluded=with_excluded, by=by)
    return _zipped(folder)


def tables_zip(db: Orm, site: Site, project: Project) -> Parts:
    """Each table of the progress page as CSV; of reviews also `agreement.json`, as `review.json` has it."""
    with _folder() as folder:
        place = Path(folder.name)
        for number, block in enumerate(lifecycle.tables(db, site, project, MODES[project.mode]), 1):
            rows = [[str(cell) for cell in row] for row in (block.head, *block.rows)]
            name = re.sub(r"[^a-z0-9]+", "-", block.title.casefold()).strip("-")
            (place / f"{number}-{name}.csv").write_text(to_csv(rows), encoding="utf-8")
        votes = votes_of(db, project)
        if votes:
            told = json.dumps(asdict(agreement(votes)), indent=1, ensure_ascii=False)
            (place / "agreement.json").write_text(told + "\n", encoding="utf-8")
    return _zipped(folder)


def label_studio_zip(db: Orm, project: Project) -> Parts:
    """A labelling project as Label Studio has it: `config.xml` and `tasks.json`."""
    with _folder() as folder:
        place = Path(folder.name)
        (place / "config.xml").write_text(label_studio.config(labels.controls(project)), encoding="utf-8")
        (place / "tasks.json").write_text(labels.write(db, project), encoding="utf-8")
    return _zipped(folder)


def pictures_zip(
    site: Site, project: Project, questions: Sequence[PicturedQuestion], form: PictureFormat, what: PictureContents
) -> Parts:
    """A project's pictures in the form of another annotation program; see `marks.write`.

    Raises:
        UsageError, ExchangeError: there is nothing to write, or it doesn't go into the form.
    """
    with _folder() as folder:
        marks.write(site, project, questions, form, what, Path(folder.name))
    return _zipped(folder)


def times_table(db: Orm, project: Project) -> str:
    """A row for each submission that stands, as CSV: whose, of what, how long its page was visible, when it came."""
    found = db.execute(
        select(Submission, Task.stage, Task.key, ItemVersion.item, ItemVersion.version, User.name)
        .join(Task, Task.id == Submission.task_id)
        .join(User, User.id == Submission.user_id)
        .outerjoin(ItemVersion, ItemVersion.id == Task.item_id)
        .where(Task.project_id == project.id)
        .order_by(Submission.id)
    )
    rows = [
        [
            name, item or key, "" if version is None else str(version), stage, one.step, str(one.attempt + 1),
            "" if one.seconds is None else f"{one.seconds:.1f}",
            moment(one.created), " ".join(one.marks or ()),
        ]
        for one, stage, key, item, version, name in found
    ]  # fmt: skip
    return to_csv([_TIMES, *rows])


@contextmanager
def _folder() -> Iterator[TemporaryDirectory[str]]:
    """A folder that stays until it is sent, unless it can't be filled."""
    folder = TemporaryDirectory(prefix="tolman-")
    try:
        yield folder
    except BaseException:
        folder.cleanup()
        raise


class _Sink(io.RawIOBase):
    """Takes what a zip file is made of, until it is fetched."""

    def __init__(self) -> None:
        self._parts: list[bytes] = []

    def writable(self) -> bool:
        return True

    def write(self, part: object) -> int:
        self._parts.append(bytes(part))  # type: ignore[call-overload]
        return len(self._parts[-1])

    def fetch(self) -> bytes:
        """All since the last time."""
        found, self._parts = b"".join(self._parts), []
        return found


def _zipped(folder: TemporaryDirectory[str]) -> Parts:
    """The files of a folder as a zip file, part after part; then the folder goes."""
    sink, place = _Sink(), Path(folder.name)
    with folder, zipfile.ZipFile(sink, "w") as archive:
        for path in sorted(one for one in place.rglob("*") if one.is_file()):
            about = zipfile.ZipInfo.from_file(path, path.relative_to(place).as_posix(), strict_timestamps=False)
            about.compress_type = zipfile.ZIP_STORED if path.suffix.lower() in _PACKED else zipfile.ZIP_DEFLATED
            with archive.open(about, "w", force_zip64=about.file_size >= 2**31) as member, path.open("rb") as source:
                while part := source.read(_CHUNK):
                    member.write(part)
                    yield sink.fetch()
        archive.close()
        yield sink.fetch()
