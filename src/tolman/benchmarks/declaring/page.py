"""The page of a benchmark that is a data file, as Markdown made from the file.

`python -m tolman.benchmarks.declaring.page docs/benchmarks` writes those of the package; a test compares them.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from tolman.benchmarks.declaring import declared_benchmark, declared_names, shelf
from tolman.benchmarks.declaring.prompts import MEDIA_PLACE
from tolman.benchmarks.declaring.schema import ColumnOfTable, Declaration, DeclaredSubset, Prompt
from tolman.benchmarks.published import PublishedRow

_HOW = ("subset", "harness", "frames")
"""What is told of the rows of a source."""


def page_of(declared: Declaration, published: Sequence[PublishedRow] = ()) -> str:
    """The page: data, prompts as they stand, scorers, figures, where published rows are from, and what is not certain.

    Args:
        declared: what the data file holds.
        published: the rows of the CSV file beside it.
    """
    return "\n".join(_lines(declared, published)) + "\n"


def _lines(declared: Declaration, published: Sequence[PublishedRow]) -> Iterator[str]:
    yield f"# {declared.title}"
    yield ""
    yield f"{declared.paper}. Data: {declared.licence or 'licence not known'}."
    yield ""
    yield f"Run it with `tolman run {declared.name} --data FOLDER --model MODEL`."
    yield f"What this page says was read in {declared.read}"
    yield from _section("Data", _table(("subset", "what it is", "questions"), (
        (f"`{name}`", one.about + _shown(one), f"{one.size:,}" if one.size else "")
        for name, one in declared.subsets.items()
    )))  # fmt: skip
    files = list(dict.fromkeys([*declared.files, *(one for s in declared.subsets.values() for one in s.files)]))
    yield ""
    yield f"Files of questions, the first that is there: {', '.join(f'`{one}`' for one in files)}."
    if declared.second is not None:
        yield f"Beside it, joined by `{declared.second.on}`: {', '.join(f'`{one}`' for one in declared.second.files)}."
    if declared.hub is not None:
        revision = "" if declared.hub.revision == "main" else f" at {declared.hub.revision}"
        yield f"On the hub: `{declared.hub.repository}`{revision}."
    for name, prompt in declared.prompts.items():
        yield from _section(f"Prompt `{name}`", _prompt(declared, prompt))
    yield from _section("Scorers", _table(("scorer", "reader", "metric", "source"), [
        *((f"`{name}`", _named(one.reader), _named(one.metric) or "of the item's kind", one.source)
          for name, one in declared.scorers.items()),
        *([("`careful`", "Tolman's own", "of the item's kind", "")] if "careful" not in declared.scorers else []),
    ]))  # fmt: skip
    yield from _judges(declared)
    yield from _section("Figures", _table(("key", "title", "what it is"), (
        (f"`{one.key}`{', the headline' if one.key == declared.table.headline else ''}", one.title, _figure(one))
        for one in declared.table.columns
    )))  # fmt: skip
    if published:
        yield from _section("Published rows", _published(published))
    if declared.unsure:
        yield from _section("Not certain", (f"- {one}" for one in declared.unsure))


def _shown(subset: DeclaredSubset) -> str:
    return f" (only with {' or '.join(map(str, subset.frames))} frames)" if subset.frames else ""


def _section(title: str, lines: Iterable[str]) -> Iterator[str]:
    yield from ("", f"## {title}", "")
    yield from lines


def _prompt(declared: Declaration, prompt: Prompt) -> Iterator[str]:
    place = {"before": "before the text", "after": "behind the text", "interleaved": "at their marks in the text"}
    media = "at `{media}`" if MEDIA_PLACE in prompt.text else place[prompt.media]
    yield f"From {prompt.source}. Media stand {media}. An option is `{prompt.option}`."
    yield ""
    yield "```text"
    yield from prompt.text.split("\n")
    yield "```"
    for title, system in (("System message", prompt.system), ("Where the model sees no media", prompt.blind_system)):
        if system:
            yield from ("", f"{title}:", "", "```text", *system.rstrip("\n").split("\n"), "```")
    for key in ("demand", "prefix", "suffix"):
        said: dict[str, list[str]] = {}
        for task, text in getattr(prompt, key).items():
            said.setdefault(text, []).append(task)
        for text, tasks in said.items():
            yield ""
            of_tasks = "" if tasks == ["*"] else " of " + ", ".join(tasks)
            later = "" if f"{{{key}}}" in prompt.text + prompt.system else ", where the model thinks first"
            yield f"`{{{key}}}`{of_tasks}{later}:"
            yield ""
            yield "```text"
            yield from text.rstrip("\n").split("\n")
            yield "```"


def _judges(declared: Declaration) -> Iterator[str]:
    for name, scorer in declared.scorers.items():
        judge = scorer.judge
        if judge is not None:
            yield from _section("Judge", (
                f"From {judge.source}. The released code asks {judge.model} about what `{name}` reads nothing in. Here",
                "nobody is asked unless `--judge` names a model, whose readings are the scorer `judged`; without one",
                f"such responses have no answer and count as unread. An option is `{judge.option}`.",
                "", "```text", *judge.prompt.split("\n"), "```",
            ))  # fmt: skip


def _named(table: dict[str, str]) -> str:
    return ", ".join(f"`{name}`" if task == "*" else f"`{name}` for {task}" for task, name in table.items())


def _figure(column: ColumnOfTable) -> str:
    if column.mean_of:
        weights = f" with weights {', '.join(f'{one:g}' for one in column.weights)}" if column.weights else ""
        return f"mean of {', '.join(f'`{key}`' for key in column.mean_of)}{weights}"
    pooled = ", ".join(column.tasks) or "all questions"
    return pooled if column.metric == "mean" else f"{column.metric} of {pooled}"


def _published(rows: Sequence[PublishedRow]) -> Iterator[str]:
    """A row for each source, the newest first, after the date with the least that it says."""
    of_source: dict[tuple[str, str], list[PublishedRow]] = {}
    for row in rows:
        of_source.setdefault((row.date, row.source), []).append(row)
    yield from _table(("date", "source", "rows", "subsets", "harness", "frames"), (
        (date, source, str(len(own)), *(_distinct(getattr(row, name) for row in own) for name in _HOW))
        for (date, source), own in sorted(of_source.items(), key=lambda one: one[0][0], reverse=True)
    ))  # fmt: skip


def _distinct(texts: Iterable[str]) -> str:
    return ", ".join(dict.fromkeys(text for text in texts if text))


def _table(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> Iterator[str]:
    yield f"| {' | '.join(head)} |"
    yield f"|{'---|' * len(head)}"
    for row in rows:
        yield f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in row)} |"


def main(folder: str) -> None:
    """Write the pages of the package's data files."""
    for name in declared_names():
        page = page_of(shelf().open(name), declared_benchmark(name).published_rows)
        (Path(folder) / f"{name}.md").write_text(page, encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
