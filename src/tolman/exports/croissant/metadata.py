"""The Croissant metadata of a benchmark's folder.

Source: Croissant 1.0. mlcroissant 1.1.1 takes lists as `isArray` with `arrayShape`, Parquet as `application/x-parquet`
only, and wants some `sha256` of the folder, for which it writes the address of an issue itself.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from importlib.resources import files
from pathlib import Path, PurePosixPath
from typing import Any

from tolman import __version__
from tolman.benchmarks.fetching.digests import sha256
from tolman.benchmarks.licences import licence_url, spdx_of
from tolman.items import Item

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
    """What is said of a data set.

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
        """Of what is in the folder."""
        state = f" Questions of {self.state}." if self.state else ""
        origin = f" {self.origin}." if self.origin else ""
        return f"{self.title}: questions on spatial intelligence about images and videos.{origin}{state}"


def metadata(about: About, folder: Path, items: Sequence[Item]) -> dict[str, Any]:
    """The content of croissant.json.

    Args:
        about: what is said of it.
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
        "distribution": [_directory(), *_tables(folder), *_media_sets(media)],
        "recordSet": [_questions(), *([_shown(), *_media_records(media)] if media else [])],
    }


def _directory() -> dict[str, Any]:
    return {
        "@type": "cr:FileObject", "@id": "folder", "name": "folder", "description": "The folder that holds this file.",
        "contentUrl": ".", "encodingFormat": "inode/directory", "sha256": _FOLDER,
    }  # fmt: skip


def _tables(folder: Path) -> list[dict[str, Any]]:
    return [
        {
            "@type": "cr:FileObject",
            "@id": name,
            "name": name,
            "description": what,
            "contentUrl": name,
            "encodingFormat": "application/x-parquet",
            "sha256": sha256(folder / name).removeprefix("sha256:"),
        }
        for name, what in (
            ("items.parquet", "Questions, options and answers."),
            ("media.parquet", "Which videos and images each question shows, in order."),
        )
    ]


def _media_sets(paths: Sequence[str]) -> list[dict[str, Any]]:
    """A set of files for each folder and type."""
    return [
        {
            "@type": "cr:FileSet",
            "@id": f"files-{number}",
            "name": f"files-{number}",
            "description": f"Files {pattern}",
            "containedIn": {"@id": "folder"},
            "encodingFormat": kind,
            "includes": pattern,
        }
        for number, (pattern, kind) in enumerate(_patterns(paths))
    ]


def _patterns(paths: Sequence[str]) -> list[tuple[str, str]]:
    found = {
        (f"{pure.parent.as_posix()}/*{pure.suffix}".removeprefix("./"), _type(path))
        for path in paths
        for pure in [PurePosixPath(path)]
    }
    return sorted(found)


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
    several = {"isArray": True, "arrayShape": "-1"}
    return {
        "@type": "cr:RecordSet",
        "@id": "questions",
        "name": "questions",
        "description": "The questions of the benchmark.",
        "key": {"@id": "questions/id"},
        "field": [
            _field("questions", name, "sc:Text", _column("items.parquet", name), what, **several)
            if name == "options"
            else _field("questions", name, "sc:Text", _column("items.parquet", name), what)
            for name, what in _COLUMNS.items()
        ],
    }


def _shown() -> dict[str, Any]:
    def field(name: str, kind: str, what: str) -> dict[str, Any]:
        return _field("media", name, kind, _column("media.parquet", name), what)

    return {
        "@type": "cr:RecordSet",
        "@id": "media",
        "name": "media",
        "description": "Videos and images of the questions, a row for each that is shown.",
        "field": [
            field("question", "sc:Text", "Identifier of the question."),
            field("position", "sc:Integer", "Place among those of the question, from 0."),
            field("kind", "sc:Text", "Kind: image, video, or several of them that are shown as one."),
            field("path", "sc:Text", "File, relative to the folder."),
        ],
    }


def _media_records(paths: Sequence[str]) -> list[dict[str, Any]]:
    """Paths and contents of each set of files that mlcroissant reads; of others, `media` has the paths."""
    found = []
    for number, (pattern, kind) in enumerate(_patterns(paths)):
        name = f"contents-{number}"
        fields = [
            _field(name, "path", "sc:Text", _property(number, "fullpath"), "File, relative to the folder."),
            _field(name, "content", "sc:ImageObject", _property(number, "content"), "The image."),
        ]
        if kind in _READABLE:
            found.append(
                {"@type": "cr:RecordSet", "@id": name, "name": name, "description": f"Files {pattern}", "field": fields}
            )
    return found


def _property(number: int, name: str) -> dict[str, Any]:
    return {"fileSet": {"@id": f"files-{number}"}, "extract": {"fileProperty": name}}
