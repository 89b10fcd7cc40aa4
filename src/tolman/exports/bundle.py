"""Bundle: a benchmark with its items and media in one folder that `tolman` opens wherever it lies.

What an export hands to another harness is scored there by Tolman's own rule sets, which take their items from such a
folder. It is a benchmark's folder (`benchmarks.folder`), so `tolman run FOLDER` works with it too.

```
benchmark.json, items.parquet   the benchmark
…                               videos and images at the paths that the items name
media/…                         images that were inside tables
plugins/…                       plugins that were loaded, as the benchmark may be theirs
```
"""

from __future__ import annotations

import hashlib
import json
import shutil
from pathlib import Path, PurePosixPath

from tolman.benchmarks.folder import FILE, PROFILE, is_folder
from tolman.errors import InputError
from tolman.exports.export import BenchmarkSource, Target
from tolman.files import link_or_copy, write_text
from tolman.item_table import write_items
from tolman.items import Item, Media
from tolman.media.images import read_image
from tolman.media.missing import refuse_missing
from tolman.media.video import BrokenMediaError
from tolman.plugins import load_plugins, loaded_plugins
from tolman.storage import as_path, fetched

MEDIA = "media"
PLUGINS = "plugins"
_SUFFIXES = {b"\x89PNG": ".png", b"\xff\xd8": ".jpg", b"GIF8": ".gif", b"RIFF": ".webp", b"BM": ".bmp"}
"""How files of images begin, and the suffix that says so."""


def write_bundle(source: BenchmarkSource, target: Target, folder: Path) -> list[Item]:
    """Write a benchmark's folder.

    Videos and images become links to the same bytes where the disk allows it, else copies. Images inside tables become
    files.

    Args:
        source: the benchmark.
        target: told how far it is.
        folder: to be filled.

    Returns:
        The items as written.

    Raises:
        InputError: a medium is missing or can't be read.
    """
    folder.mkdir(parents=True, exist_ok=True)
    items = _with_media(source, target, folder)
    write_items(folder / "items.parquet", items)
    write_text(folder / FILE, json.dumps(_card(source), indent=2, ensure_ascii=False) + "\n")
    for number, plugin in enumerate(loaded_plugins()):
        place = folder / PLUGINS / f"{number}_{plugin.name}"
        place.parent.mkdir(exist_ok=True)
        shutil.copyfile(plugin, place)
    return items


def load_bundled_plugins(folder: Path) -> None:
    """Load the plugins that a bundle has with it, if any.

    Raises:
        InputError: one can't be loaded.
    """
    load_plugins(sorted(path for path in (folder / PLUGINS).glob("*") if path.is_file()))


def _card(source: BenchmarkSource) -> dict[str, str]:
    """What benchmark.json says: the folder's own, or that of a benchmark that can be named."""
    benchmark = source.benchmark
    if is_folder(benchmark.name):
        card: dict[str, str] = json.loads((as_path(benchmark.name) / FILE).read_text(encoding="utf-8"))
        return card
    return {
        "name": benchmark.name,
        "title": benchmark.title,
        "paper": benchmark.paper,
        "licence": benchmark.licence,
        PROFILE: benchmark.name,
    }


def _with_media(source: BenchmarkSource, target: Target, folder: Path) -> list[Item]:
    refuse_missing(source.media, source.items)
    distinct = {(one.path, one.part): one for item in source.items for one in item.media}
    target.began("collecting videos and images", len(distinct))
    places = {}
    for key, medium in distinct.items():
        places[key] = _put(source.media, medium, folder)
        target.advanced(1)
    return [
        item.model_copy(
            update={
                "media": tuple(
                    one.model_copy(update={"path": places[one.path, one.part], "part": None}) for one in item.media
                )
            }
        )
        for item in source.items
    ]


def _put(root: Path, medium: Media, folder: Path) -> str:
    """Put one medium into the folder; its path in there."""
    there = root / medium.path
    if not fetched(there).is_file():
        raise InputError(there, "is missing, and a question shows it", fix="add it, or leave the question out")
    pure = PurePosixPath(medium.path)
    if pure.is_absolute() or ".." in pure.parts:
        pure = PurePosixPath(MEDIA, f"{hashlib.sha256(medium.path.encode()).hexdigest()[:8]}-{pure.name}")
    if medium.part is None:
        link_or_copy(there, folder / pure)
        return pure.as_posix()
    row, position = medium.part
    try:
        data = read_image(root, medium.path, medium.part)
    except BrokenMediaError as error:
        raise InputError(there, f"has an image that can't be read ({error})", row=row + 1) from None
    suffix = next((suffix for start, suffix in _SUFFIXES.items() if data.startswith(start)), ".img")
    place = f"{MEDIA}/{pure.with_suffix('')}/{row:05d}-{position}{suffix}".replace(f"{MEDIA}/{MEDIA}/", f"{MEDIA}/")
    (folder / place).parent.mkdir(parents=True, exist_ok=True)
    (folder / place).write_bytes(data)
    return place
