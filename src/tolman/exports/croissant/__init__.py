"""Croissant: a benchmark as a folder with metadata that mlcroissant reads, and a data card of the hub.

Source: Croissant 1.0 (docs.mlcommons.org/croissant/docs/croissant-spec.html), mlcroissant 1.1.1; the hub's data card
(huggingface/hub-docs, datasetcard.md). mlcroissant 1.1.1 takes lists as `isArray` with `arrayShape`, and Parquet as
`application/x-parquet` only. It wants some `sha256` of the folder, for which it writes the address of an issue itself.

The folder holds the benchmark, a table of media, `croissant.json`, and the data card: the hub's header, counts,
origin, licence, and how it is opened. It is a benchmark's folder too: `tolman run FOLDER`.
"""

from __future__ import annotations

import json
import re
import shutil
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from glob import escape
from importlib.resources import files
from pathlib import Path, PurePosixPath
from typing import Any

import polars as pl

from tolman import __version__
from tolman.benchmarks.benchmark_folder import card_lines, is_folder, licence_url, spdx_of
from tolman.benchmarks.fetching.lock import sha256
from tolman.errors import UsageError, counted
from tolman.exports.exporters import BenchmarkExport, BenchmarkSource, Exported, Target, write_bundle
from tolman.files import write_text, writing
from tolman.items import Item
from tolman.storage import as_path

_FOLDER = "https://github.com/mlcommons/croissant/issues/80"
"""In place of a folder's hash, as the library writes it."""
_TYPES = {
    ".png": "image/png", ".jpg": "image/jpeg", ".jpeg": "image/jpeg", ".gif": "image/gif", ".webp": "image/webp",
    ".bmp": "image/bmp", ".mp4": "video/mp4", ".mov": "video/quicktime", ".webm": "video/webm",
    ".mkv": "video/x-matroska", ".avi": "video/x-msvideo", ".m4v": "video/x-m4v",
}  # fmt: skip
_READABLE = ("image/png", "image/jpeg")
"""What mlcroissant reads of these types."""
_COLUMNS = {
    "id": "Identifier, unique in the benchmark.",
    "question": "The question without its options.",
    "kind": "Kind of answer: choice, number or another.",
    "answer": "The letter of the right option, the number, or the text that is right.",
    "unit": "Unit of a number: count, m, cm or m2.",
    "options": "Texts of the options; the first is A.",
    "verbatim": "The question as released, where the prompt uses that text as a whole.",
    "task": "Question type.",
    "labels": "Labels such as level and data set, as a JSON object.",
    "scene": "Scene that the question is about; intervals are clustered by it.",
    "reasoning": "Reasoning that leads to the answer, where it is released.",
    "all_of": "Questions of one value count as right together only.",
    "evidence": "What makes the answer true, as a JSON object.",
}


@dataclass(frozen=True)
class About:
    """Description of a data set.

    Attributes:
        name, title, origin: of the benchmark; `origin` says where its questions come from.
        licence: as it is named; empty where nothing is.
        version, day: of publication.
        url, creator, cite, language: as the user gave them; empty where nothing is.
        state: the hub's data set and commit that the questions came from; empty for others.
        subset: of the benchmark.
    """

    name: str
    title: str
    origin: str
    licence: str
    version: str
    day: date
    url: str
    creator: str
    cite: str
    language: str
    state: str
    subset: str

    @property
    def sentence(self) -> str:
        """Return a description of the folder's content."""
        state = f" Questions of {self.state}." if self.state else ""
        origin = f" {self.origin}." if self.origin else ""
        return f"{self.title}: questions on spatial intelligence about images and videos.{origin}{state}"


def metadata(about: About, folder: Path, items: Sequence[Item]) -> dict[str, Any]:
    """The content of croissant.json.

    Args:
        about: its description.
        folder: as written, with `items.parquet` and `media.parquet`.
        items: of it.
    """
    context = json.loads(files("tolman.exports.croissant").joinpath("context.json").read_text(encoding="utf-8"))
    media = sorted({one.path for item in items for one in item.media})
    spdx = spdx_of(about.licence)
    said = {
        "license": licence_url(spdx) if spdx else about.licence,
        "url": about.url,
        "creator": {"@type": "sc:Organization", "name": about.creator} if about.creator else "",
        "citeAs": about.cite,
        "rai:dataCollection": about.origin,
        "inLanguage": about.language,
    }
    return {
        "@context": context,
        "@type": "sc:Dataset",
        "name": about.name,
        "description": about.sentence,
        "conformsTo": "http://mlcommons.org/croissant/1.0",
        "version": about.version,
        "datePublished": about.day.isoformat(),
        **{key: value for key, value in said.items() if value},
        "rai:dataUseCases": "Evaluation of multimodal models; not for training, which would make scores meaningless.",
        "rai:machineAnnotationTools": f"tolman {__version__}",
        "distribution": [*_tables(folder), *_media_sets(media)],
        "recordSet": [_questions(), *([_shown(), *_media_records(media)] if media else [])],
    }


def _thing(kind: str, name: str, what: str, **more: Any) -> dict[str, Any]:
    """A file, set of files or set of records."""
    return {"@type": f"cr:{kind}", "@id": name, "name": name, "description": what, **more}


def _tables(folder: Path) -> list[dict[str, Any]]:
    """The folder and its tables."""
    about = {"contentUrl": ".", "encodingFormat": "inode/directory", "sha256": _FOLDER}
    found = [_thing("FileObject", "folder", "The folder that holds this file.", **about)]
    for name, what in (
        ("items.parquet", "Questions, options and answers."),
        ("media.parquet", "Which videos and images each question shows, in order."),
    ):
        digest = sha256(folder / name).removeprefix("sha256:")
        about = {"contentUrl": name, "encodingFormat": "application/x-parquet", "sha256": digest}
        found.append(_thing("FileObject", name, what, **about))
    return found


def _media_sets(paths: Sequence[str]) -> list[dict[str, Any]]:
    """A set of files for each folder and type."""
    inside = {"containedIn": {"@id": "folder"}}
    return [
        _thing("FileSet", f"files-{number}", f"Files {name}", **inside, encodingFormat=kind, includes=includes)
        for number, (name, includes, kind) in enumerate(_sets(paths))
    ]


def _sets(paths: Sequence[str]) -> list[tuple[str, str | list[str], str]]:
    """Return each set of files: its name, its includes, and the type of its files.

    Every file is in one set, whether a reader's `*` stops at folders or, as mlcroissant's, crosses them: the files are
    named one by one where the pattern of their folder fits files of a folder in it too.
    """
    groups: dict[tuple[str, str], list[str]] = {}
    for path in dict.fromkeys(paths):
        pure = PurePosixPath(path)
        groups.setdefault((f"{pure.parent.as_posix()}/".removeprefix("./"), pure.suffix), []).append(path)
    found: list[tuple[str, str | list[str], str]] = []
    for (folder, suffix), group in sorted(groups.items()):
        pattern = f"{escape(folder)}*{escape(suffix)}"
        deeper = any(one != folder and one.startswith(folder) and end.endswith(suffix) for one, end in groups)
        named = [escape(path) for path in sorted(group)]
        found.append((f"{folder}*{suffix}", named if deeper else pattern, _type(group[0])))
    return found


def _type(path: str) -> str:
    return _TYPES.get(PurePosixPath(path).suffix.lower(), "application/octet-stream")


def _field(records: str, name: str, kind: str, source: dict[str, Any], what: str, **more: Any) -> dict[str, Any]:
    return {
        "@type": "cr:Field", "@id": f"{records}/{name}", "name": name, "description": what, "dataType": kind,
        "source": source, **more,
    }  # fmt: skip


def _column(table: str, name: str) -> dict[str, Any]:
    return {"fileObject": {"@id": table}, "extract": {"column": name}}


def _questions() -> dict[str, Any]:
    several: dict[str, Any] = {"isArray": True, "arrayShape": "-1"}
    fields = [
        _field(
            "questions", name, "sc:Text", _column("items.parquet", name), what, **(several if name == "options" else {})
        )
        for name, what in _COLUMNS.items()
    ]
    key = {"@id": "questions/id"}
    return _thing("RecordSet", "questions", "The questions of the benchmark.", key=key, field=fields)


def _shown() -> dict[str, Any]:
    fields = [
        _field("media", name, kind, _column("media.parquet", name), what)
        for name, kind, what in (
            ("question", "sc:Text", "Identifier of the question."),
            ("position", "sc:Integer", "Place among those of the question, from 0."),
            ("kind", "sc:Text", "Kind: image, video, or several of them that are shown as one."),
            ("path", "sc:Text", "File, relative to the folder."),
        )
    ]
    return _thing(
        "RecordSet", "media", "Videos and images of the questions, a row for each that is shown.", field=fields
    )


def _media_records(paths: Sequence[str]) -> list[dict[str, Any]]:
    """Paths and contents of each set of files that mlcroissant reads; of others, `media` has the paths."""
    found = []
    for number, (label, _, kind) in enumerate(_sets(paths)):
        name = f"contents-{number}"
        fields = [
            _field(name, "path", "sc:Text", _property(number, "fullpath"), "File, relative to the folder."),
            _field(name, "content", "sc:ImageObject", _property(number, "content"), "The image."),
        ]
        if kind in _READABLE:
            found.append(_thing("RecordSet", name, f"Files {label}", field=fields))
    return found


def _property(number: int, name: str) -> dict[str, Any]:
    return {"fileSet": {"@id": f"files-{number}"}, "extract": {"fileProperty": name}}


_SIZES = ((1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"), (1_000_000, "100K<n<1M"))


def data_card(about: About, source: BenchmarkSource, items: Sequence[Item], before: str) -> str:
    """The text of README.md.

    Args:
        about: the data set's description.
        source: the benchmark.
        items: its questions.
        before: the text of the card that the benchmark's folder had, without its header; empty where it had none.
    """
    kinds = Counter(one.kind for item in items for one in item.media)
    files = len({one.path for item in items for one in item.media})
    shown = ", ".join(f"{count:,} × {kind}" for kind, count in sorted(kinds.items()))
    tasks = Counter(item.task or "no type" for item in items)
    rows = "\n".join(f"| {task} | {count:,} |" for task, count in sorted(tasks.items()))
    origin = f"{about.origin}. " if about.origin else ""
    state = f"The questions are those of `{about.state}`. " if about.state else ""
    media = f" They show {shown} in {counted(files, 'file')}." if files else ""
    cite = f"\n## Citation\n\n{about.cite}\n" if about.cite else ""
    body = f"\n## As it was made\n\n{before}\n" if before else ""
    return f"""{_header(about, items)}# {about.title}

{counted(len(items), "question")}.{media} {origin}{state}Licence: {about.licence or "none is named"}.

| question type | questions |
|---|---:|
{rows}

## Opening it

| program | |
|---|---|
| tolman | `tolman run {about.name}/ --model …` (scorer `{source.benchmark.headline_rules.name}`) |
| datasets | `load_dataset("{about.name}")`: a row for each question |
| mlcroissant | `mlcroissant.Dataset("{about.name}/croissant.json").records("questions")` |

`media` of a question names its videos and images, relative to this folder; `labels` and `evidence` are JSON. Written by
tolman {__version__}.
{body}{cite}"""


def _header(about: About, items: Sequence[Item]) -> str:
    """The YAML header that the hub reads."""
    media = {one.kind for item in items for one in item.media}
    tasks = ["visual-question-answering"]
    tasks += ["video-text-to-text"] if "video" in media else []
    tasks += ["multiple-choice"] if any(item.kind == "choice" for item in items) else []
    size = next((name for most, name in _SIZES if len(items) < most), "1M<n<10M")
    title = about.title.replace('"', "'")
    return f"""---
{card_lines(about.licence)}pretty_name: "{title}"
language:
- {about.language}
task_categories: [{", ".join(tasks)}]
size_categories:
- {size}
tags:
- spatial-reasoning
- croissant
configs:
- config_name: default
  data_files:
  - split: test
    path: items.parquet
---
"""


FILE = "croissant.json"
MEDIA_TABLE = "media.parquet"
_HUB = re.compile(r"([\w.-]+/[\w.-]+)@([0-9a-f]{40})")


def write(source: BenchmarkSource, target: Target) -> Exported:
    """Fill a folder with a benchmark, its Croissant metadata and its data card.

    Raises:
        UsageError: a setting that can't be.
        InputError: a medium is missing.
    """
    about = _about(source, target)
    items = write_bundle(source, target, target.folder)
    _write_media(target.folder / MEDIA_TABLE, items)
    before = _kept(source, target.folder)
    content = metadata(about, target.folder, items)
    write_text(target.folder / FILE, json.dumps(content, indent=2, ensure_ascii=False) + "\n")
    write_text(target.folder / "README.md", data_card(about, source, items, before))
    notes = []
    if not about.licence:
        notes.append(
            "No licence is named, so the card says 'unknown' and mlcroissant warns: give --set licence=CC-BY-4.0 or "
            "another, or write 'licence' into benchmark.json."
        )
    elif spdx_of(about.licence) is None:
        notes.append(
            f"'{about.licence}' is no licence that the hub knows by an identifier: the card has it as 'other'."
        )
    return Exported(f"mlcroissant validate --jsonld {target.place / FILE}", tuple(notes))


def _about(source: BenchmarkSource, target: Target) -> About:
    benchmark, settings = source.benchmark, target.settings
    hub = _HUB.fullmatch(source.loaded.source)
    version = settings.get("version", "1.0.0")
    if not re.fullmatch(r"\d+\.\d+\.\d+", version):
        raise UsageError(f"--set version takes MAJOR.MINOR.PATCH, such as 1.0.0, not '{version}'.")
    try:
        day = date.fromisoformat(settings.get("date", datetime.now(UTC).date().isoformat()))
    except ValueError:
        raise UsageError(f"--set date takes YYYY-MM-DD, not '{settings['date']}'.") from None
    return About(
        name=source.name,
        title=benchmark.title,
        origin=benchmark.paper,
        licence=settings.get("licence", benchmark.licence),
        version=version,
        day=day,
        url=settings.get("url", f"https://huggingface.co/datasets/{hub[1]}" if hub else ""),
        creator=settings.get("creator", ""),
        cite=settings.get("cite", benchmark.paper),
        language=settings.get("language", "en"),
        state=source.loaded.source if hub else "",
        subset=source.loaded.subset,
    )


def _write_media(path: Path, items: Sequence[Item]) -> None:
    """A row for each video or image of each question, in the order in which they are shown."""
    rows = [
        {"question": item.id, "position": number, "kind": one.kind, "path": one.path}
        for item in items
        for number, one in enumerate(item.media)
    ]
    schema = {"question": pl.String, "position": pl.Int64, "kind": pl.String, "path": pl.String}
    with writing(path):
        pl.DataFrame(rows, schema=schema).write_parquet(path)


def _kept(source: BenchmarkSource, folder: Path) -> str:
    """Copy the provenance of a benchmark's folder, and return the text of its own card."""
    if not is_folder(source.benchmark.name):
        return ""
    before = as_path(source.benchmark.name)
    if (before / "provenance.json").is_file():
        shutil.copyfile(before / "provenance.json", folder / "provenance.json")
    card = before / "README.md"
    text = card.read_text(encoding="utf-8") if card.is_file() else ""
    return re.sub(r"\A---\n.*?\n---\n", "", text, flags=re.DOTALL).strip()


EXPORT = BenchmarkExport(
    title="folder with Croissant metadata and a data card",
    write=write,
    settings={
        "licence": "Licence of the data, best as an SPDX identifier such as CC-BY-4.0. Default: the benchmark's.",
        "version": "Version of the data set, MAJOR.MINOR.PATCH. Default: 1.0.0.",
        "date": "Day of publication, YYYY-MM-DD. Default: today.",
        "url": "Address of the data set's page. Default: its page on the hub, where it is from there.",
        "creator": "Name of who publishes it. Default: none.",
        "cite": "How to cite it. Default: the benchmark's own citation.",
        "language": "Language of the questions, as a code of ISO 639. Default: en.",
    },
)
