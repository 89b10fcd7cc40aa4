"""Write the documentation of the benchmarks that are data files, a section for each.

`python -m tolman.benchmarks.declaring.page docs/benchmarks` writes the pages of the package; a test compares them.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

from tolman.benchmarks.declaring import catalogue, declared_names
from tolman.benchmarks.declaring.data_file import ColumnOfTable, Declaration, Scorer

INTRODUCTION = """\
# {title}

`src/tolman/benchmarks/declared/NAME.toml` holds exact prompts and file names; `tolman benchmarks NAME` lists sources,
revisions and subsets. Scorers name their [reader](../extend/scoring.md#readers) in parentheses; `careful` always
exists. The headline covers all questions, unless stated. Unstated licences weren't found.
"""
TITLES = {"images": "Benchmarks on images", "videos": "Benchmarks on videos"}
"""Name of a page → its title."""
_WITHOUT_DATA = re.compile(r"No data; columns follow [^.;]+\.")
"""A doubt that docs/benchmarks.md states once, for all benchmarks that never met released rows."""
MOST_NAMED = 4
"""Columns that a headline names; it counts more of them."""


def pages() -> dict[str, str]:
    """Return the pages of the package's data files: name without suffix → Markdown."""
    found = {name: INTRODUCTION.format(title=title) for name, title in TITLES.items()}
    for name in declared_names():
        declared = catalogue().open(name)
        found[page_name(declared)] += "\n" + section(declared)
    return found


def page_name(declared: Declaration) -> str:
    """Return the page that documents a benchmark: 'videos' if it shows videos, else 'images'."""
    return "videos" if declared.media is not None and declared.media.kind == "video" else "images"


def section(declared: Declaration) -> str:
    """Return the section of a benchmark: data, scorers, headline and uncertain facts."""
    return "\n".join(_lines(declared)) + "\n"


def _lines(declared: Declaration) -> Iterator[str]:
    hub = f" Hub: `{declared.hub.repository}`." if declared.hub else ""
    yield from (f"## `{declared.name}`", "")
    title = "" if declared.title in declared.paper else f"{declared.title}. "
    licence = "" if declared.licence in ("", "unknown") else f" Licence: {declared.licence}."
    yield f"{title}{declared.paper}.{licence}{hub}"
    yield ""
    if len(declared.subsets) > 1 or declared.based_on:
        subsets = (f"`{name}` ({one.about.rstrip('.')})" for name, one in declared.subsets.items())
        yield f"- Subsets: {'; '.join(subsets)}."
    if declared.based_on:
        yield f"- Everything else is as in [`{declared.based_on}`](#{declared.based_on})."
        return
    if declared.scorers:
        yield f"- Scorers: {_scorers(declared.scorers)}."
    for name, one in declared.scorers.items():
        if one.judge is not None:
            yield f"- Judge of `{name}`: {one.judge.model}; {one.judge.source.rstrip('.')}."
    column = next(one for one in declared.table.columns if one.key == declared.table.headline)
    if column.mean_of or column.tasks:
        yield f"- Headline: {_figure(column)}."
    if declared.measured:
        yield from ("", "Measured:", "", *(f"- {one}" for one in declared.measured))
    if doubts := [one for one in declared.unsure if not _WITHOUT_DATA.fullmatch(one)]:
        yield from ("", "Doubts:", "", *(f"- {one}" for one in doubts))


def _scorers(scorers: dict[str, Scorer]) -> str:
    """Name scorers, those of one reader together."""
    of_reader: dict[str, list[str]] = {}
    for name, one in scorers.items():
        readers = ", ".join(f"`{reader}`" for reader in dict.fromkeys(one.reader.values()))
        of_reader.setdefault(readers, []).append(f"`{name}`")
    return "; ".join(f"{', '.join(names)} ({readers})" for readers, names in of_reader.items())


def _figure(column: ColumnOfTable) -> str:
    if column.mean_of:
        keys = ", ".join(f"`{key}`" for key in column.mean_of)
        of = keys if len(column.mean_of) <= MOST_NAMED else f"{len(column.mean_of)} scores"
        weights = f" with weights {', '.join(f'{one:g}' for one in column.weights)}" if column.weights else ""
        return f"the mean of {of}{weights}"
    return f"{column.metric} over {', '.join(column.tasks)}"


def write(folder: Path, texts: Iterable[tuple[str, str]]) -> None:
    """Write pages into a folder."""
    for name, text in texts:
        (folder / f"{name}.md").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    write(Path(sys.argv[1]), pages().items())
