"""Writing the folder: the benchmark, a table of media, `croissant.json`, and the data card."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Sequence
from datetime import UTC, date, datetime
from pathlib import Path

import polars as pl

from tolman.benchmarks.folder import is_folder
from tolman.benchmarks.licences import spdx_of
from tolman.errors import UsageError
from tolman.exports.bundle import write_bundle
from tolman.exports.croissant.card import data_card
from tolman.exports.croissant.metadata import About, metadata
from tolman.exports.export import BenchmarkSource, Exported, Target
from tolman.files import write_text
from tolman.items import Item
from tolman.storage import as_path

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
    pl.DataFrame(rows, schema=schema).write_parquet(path)


def _kept(source: BenchmarkSource, folder: Path) -> str:
    """Take over what a benchmark's folder says of how it was made; the text of its own card."""
    if not is_folder(source.benchmark.name):
        return ""
    before = as_path(source.benchmark.name)
    if (before / "provenance.json").is_file():
        shutil.copyfile(before / "provenance.json", folder / "provenance.json")
    card = before / "README.md"
    text = card.read_text(encoding="utf-8") if card.is_file() else ""
    return re.sub(r"\A---\n.*?\n---\n", "", text, flags=re.DOTALL).strip()
