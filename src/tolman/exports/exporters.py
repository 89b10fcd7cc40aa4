"""BenchmarkExport and RunsExport: export of a benchmark, or of the results of runs, to other programs.

A target is one module of this package (or a plugin) that declares one of the two as `EXPORT`:

```python
EXPORT = BenchmarkExport(
    title="task folder of lmms-eval",
    write=write,  # (BenchmarkSource, Target) → Exported
    settings={"task": "Name of the task."},
)
```

`Target.folder` is empty and takes the place of the folder that the user names once `write` is done; where `write`
raises, nothing is left.

A bundle is a benchmark with its items and media in one folder that `tolman` opens in any location. Another harness
scores an exported benchmark by Tolman's own rule sets, which take their items from such a folder. It is a benchmark's
folder (`benchmarks.benchmark_folder`), so `tolman run FOLDER` works with it too.

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
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from importlib.resources import files
from pathlib import Path, PurePosixPath
from typing import Any, Generic, TypeVar

from tolman import __version__
from tolman.benchmarks.benchmark_folder import FILE, PROFILE, is_folder
from tolman.benchmarks.spec import BenchmarkSpec, PromptPreset
from tolman.errors import InputError
from tolman.files import link_or_copy, write_text
from tolman.item_table import write_items
from tolman.items import Item, Media
from tolman.media.images import read_image
from tolman.media.integrity import refuse_missing
from tolman.media.video import BrokenMediaError
from tolman.plugins import load_plugins, loaded_plugins
from tolman.responses import Outcome
from tolman.runs.run_folder import RunFolder, RunRecord
from tolman.runs.run_items import Loaded
from tolman.storage import as_path, fetched


@dataclass(frozen=True)
class BenchmarkSource:
    """A benchmark that is exported.

    Attributes:
        loaded: its items, and where they come from.
        preset: whose prompts, frames and sampling the export has.
        media: the folder that the items' media are relative to.
    """

    loaded: Loaded
    preset: PromptPreset
    media: Path

    @property
    def benchmark(self) -> BenchmarkSpec:
        """With its prompts, rule sets and table."""
        return self.loaded.benchmark

    @property
    def items(self) -> list[Item]:
        """The questions."""
        return list(self.loaded.items)

    @property
    def name(self) -> str:
        """The benchmark's name, or that of its folder."""
        return Path(self.benchmark.name).resolve().name if "/" in self.benchmark.name else self.benchmark.name


@dataclass(frozen=True)
class RunSource:
    """A scored run that is exported.

    Attributes:
        folder: of the run.
        benchmark: that it is a run of.
    """

    folder: RunFolder
    benchmark: BenchmarkSpec

    @cached_property
    def record(self) -> RunRecord:
        """Settings, versions and hashes."""
        return self.folder.record()

    @cached_property
    def figures(self) -> dict[str, Any]:
        """Return the content of scores.json."""
        return self.folder.figures()

    @cached_property
    def items(self) -> list[Item]:
        """The questions that were asked."""
        return self.folder.items()

    @cached_property
    def outcomes(self) -> list[Outcome]:
        """Responses and failures."""
        return self.folder.outcomes()


S = TypeVar("S")


def _began(what: str, total: int | None = None) -> None:
    """Ignore the start of a step."""


def _advanced(count: int = 1) -> None:
    """Ignore progress."""


@dataclass(frozen=True)
class Target:
    """The target of an export.

    Attributes:
        folder: empty, to be filled.
        place: the folder that it becomes, for mentions of its path; not to be written to.
        settings: those of `--set KEY=VALUE`, each one that the export declares.
        began: called at the start of a step with its name and its number of parts.
        advanced: called for each part that is done.
    """

    folder: Path
    place: Path
    settings: Mapping[str, str] = field(default_factory=dict)
    began: Callable[[str, int | None], None] = _began
    advanced: Callable[[int], None] = _advanced


@dataclass(frozen=True)
class Exported:
    """The result of an export.

    Attributes:
        use: how the other program takes it: a command, or a sentence.
        notes: for the user, one sentence each: omissions, changes, and needs of the other program.
    """

    use: str
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class _Export(Generic[S]):
    """A form for another program.

    Attributes:
        title: the output, as in a sentence: 'task folder of lmms-eval'.
        write: fills the target's folder.
        settings: name → help, of the settings of `--set NAME=VALUE`.
    """

    title: str
    write: Callable[[S, Target], Exported]
    settings: Mapping[str, str] = field(default_factory=dict)


class BenchmarkExport(_Export[BenchmarkSource]):
    """A form of a benchmark."""


class RunsExport(_Export[Sequence[RunSource]]):
    """A form of the results of one run or several."""


Export = BenchmarkExport | RunsExport


MEDIA = "media"
PLUGINS = "plugins"
_SUFFIXES = {b"\x89PNG": ".png", b"\xff\xd8": ".jpg", b"GIF8": ".gif", b"RIFF": ".webp", b"BM": ".bmp"}
"""How files of images begin, and the suffix that says so."""


def facts_of(source: BenchmarkSource, name: str, items: Sequence[Item]) -> dict[str, Any]:
    """Return the facts that the templates of a benchmark's files name."""
    benchmark, preset = source.benchmark, source.preset
    return {
        "version": __version__,
        "name": name,
        "title": benchmark.title,
        "count": len(items),
        "credits": benchmark.credits,
        "preset": preset.name,
        "frames": preset.frames.describe(),
        "scorer": benchmark.headline_rules.name,
        "headline": benchmark.table.headline,
    }


def write_template(path: Path, template: str, facts: Mapping[str, Any]) -> None:
    """Write a file from a template, 'inspect/README.md', with facts in place of their names."""
    folder, _, name = template.partition("/")
    text = files(f"tolman.exports.{folder}").joinpath("templates", name).read_text(encoding="utf-8")
    write_text(path, text.format(**facts))


def write_bundle(source: BenchmarkSource, target: Target, folder: Path) -> list[Item]:
    """Write a benchmark's folder.

    Videos and images become links to the same bytes where the disk allows it, else copies. Images inside tables become
    files.

    Args:
        source: the benchmark.
        target: receives the progress.
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
    """Return the content of benchmark.json: the folder's own, or that of a benchmark that can be named."""
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
