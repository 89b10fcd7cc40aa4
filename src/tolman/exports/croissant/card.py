"""The data card of an exported benchmark: the hub's header, counts, origin, licence, how it is opened."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from tolman import __version__
from tolman.benchmarks.licences import card_lines
from tolman.exports.croissant.metadata import About
from tolman.exports.export import BenchmarkSource
from tolman.items import Item

_SIZES = ((1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"), (1_000_000, "100K<n<1M"))


def data_card(about: About, source: BenchmarkSource, items: Sequence[Item], before: str) -> str:
    """The text of README.md.

    Args:
        about: what is said of the data set.
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
    media = f" They show {shown} in {files:,} files." if files else ""
    cite = f"\n## Citation\n\n{about.cite}\n" if about.cite else ""
    body = f"\n## As it was made\n\n{before}\n" if before else ""
    return f"""{_header(about, items)}# {about.title}

{len(items):,} questions.{media} {origin}{state}Licence: {about.licence or "none is named"}.

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
