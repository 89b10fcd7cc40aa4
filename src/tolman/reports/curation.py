"""What `tolman curate` prints and writes."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeElapsedColumn
from rich.table import Table as RichTable

from tolman.curate.asking import Asker
from tolman.curate.categories import induced, toml_of
from tolman.curate.duplicates import QuestionText, leaks, media_names, near_duplicates
from tolman.curate.mapping import open_mapping, shipped
from tolman.curate.pipeline import Done, Watch, Work
from tolman.curate.recipe import Recipe, SourceEntry, read_recipe
from tolman.curate.stages import curate
from tolman.errors import UsageError
from tolman.files import write_text
from tolman.items import Media
from tolman.media.store import FrameStore, default_root
from tolman.reports.figures import svg
from tolman.runs.load import load

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Drawing

DRAWN = ("category", "scale", "factor", "information", "change", "source", "options", "media")
Named = tuple[str, Path | None, str | None]


class _Bar(Watch):
    """A watch that draws."""

    def __init__(self, progress: Progress) -> None:
        self._progress = progress
        self._stage = ""
        self._task: TaskID | None = None

    def stage(self, name: str) -> None:
        self._stage = name

    def begin(self, what: str, total: int | None) -> None:
        if self._task is not None:
            self._progress.remove_task(self._task)
        self._task = self._progress.add_task(f"{self._stage}: {what}", total=total)

    def advance(self, count: int = 1) -> None:
        if self._task is not None:
            self._progress.advance(self._task, count)


@contextmanager
def _watching(errors: Console) -> Iterator[Watch]:
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=errors, transient=True, disable=not errors.is_terminal) as progress:
        yield _Bar(progress)


def run_recipe(
    console: Console,
    errors: Console,
    path: Path,
    pool: Path,
    until: str | None,
    given: Mapping[str, Any],
    store: Path | None,
    *,
    as_json: bool,
) -> bool:
    """Carry out a recipe and print what each stage did; whether all of it is whole.

    Raises:
        TolmanError: see `curate`.
    """
    recipe = changed(read_recipe(path), given)
    with _watching(errors) as watch:
        done = curate(recipe, pool, Work(recipe, pool, store, watch), until)
    for one in done:
        if one.name == "stratify":
            write_text(one.folder / "statistics.svg", statistics_svg(one.statistics))
    failed = done[-1].failed
    if as_json:
        stages = [{"stage": d.name, "done_now": d.again, **d.statistics} for d in done]
        console.file.write(json.dumps({"complete": not failed, "stages": stages}, indent=2) + "\n")
        return not failed
    if failed:
        console.print(
            f"INCOMPLETE: {failed:,} calls of the stage '{done[-1].name}' failed; the same command makes them again.",
            style="red",
            highlight=False,
        )
    for one in done:
        _print_stage(console, one)
    if done[-1].name == "benchmark" and not failed:
        where = done[-1].folder if done[-1].folder.is_absolute() else f"./{done[-1].folder}"
        _say(console, f"Published: {done[-1].folder}. Evaluate with 'tolman run {where}'.")
    return not failed


def changed(recipe: Recipe, given: Mapping[str, Any]) -> Recipe:
    """The recipe with another model for classifying.

    Raises:
        UsageError: the recipe doesn't classify.
    """
    if not given:
        return recipe
    if recipe.classify is None:
        raise UsageError("the recipe has no [classify], so there is no model to replace.")
    return recipe.model_copy(update={"classify": recipe.classify.model_copy(update=dict(given))})


def import_source(
    console: Console, errors: Console, mapping: str, data: Path, media: Path | None, out: Path, *, as_json: bool
) -> None:
    """Read one question set into a pool.

    Raises:
        InputError: see `carry_out`.
    """
    entry = SourceEntry(mapping=mapping, data=data, media=media)
    recipe = Recipe(name=Recipe.source_name(entry), sources=(entry,))
    with _watching(errors) as watch:
        done = curate(recipe, out, Work(recipe, out, None, watch), "import")
    if as_json:
        console.file.write(json.dumps(done[0].statistics, indent=2) + "\n")
        return
    _print_stage(console, done[0])
    lost = (done[0].folder / "unmapped.jsonl").read_text(encoding="utf-8").splitlines()
    for line in lost[:5]:
        row = json.loads(line)
        _say(console, f"left out: {row['file']}, row {row['row']}: {row['reason']}")
    if len(lost) > 5:
        _say(console, f"… and {len(lost) - 5:,} more: {done[0].folder / 'unmapped.jsonl'}")


def print_mappings(console: Console, *, as_json: bool) -> None:
    """List the mappings of the package."""
    found = [open_mapping(name) for name in shipped()]
    if as_json:
        rows = [{"name": m.name, "title": m.title, "licence": m.licence, "unsure": list(m.unsure)} for m in found]
        console.file.write(json.dumps(rows, indent=2) + "\n")
        return
    grid = RichTable(box=None, pad_edge=False)
    for heading in ("mapping", "data set", "media", "licence", "not certain"):
        grid.add_column(heading, no_wrap=heading == "mapping")
    for m in found:
        kind = m.media.kind if m.media else "none"
        grid.add_row(m.name, m.title, kind, m.licence or "not known", f"{len(m.unsure)} points" if m.unsure else "")
    console.print(grid)


def print_mapping(console: Console, name: str, *, as_json: bool) -> None:
    """Show one mapping.

    Raises:
        UsageError, InputError: there is none.
    """
    mapping = open_mapping(name)
    if as_json:
        console.file.write(mapping.model_dump_json(indent=2, exclude_defaults=True) + "\n")
        return
    _say(console, f"{mapping.title} ({mapping.paper})" if mapping.paper else mapping.title)
    for label, text in (("where", mapping.where), ("licence", mapping.licence), ("fields read in", mapping.read)):
        if text:
            _say(console, f"{label}: {text}")
    for text in mapping.unsure:
        _say(console, f"not certain: {text}")
    fields = mapping.fields.model_dump(exclude_defaults=True)
    for field, where in fields.items():
        _say(console, f"  {field}: {', '.join(f'{k} {v}' for k, v in where.items())}")
    for value, category in mapping.spatial.categories.items():
        _say(console, f"  {value} → {category}")
    _say(console, f"  other categories → {mapping.spatial.default}")


def induce_categories(
    console: Console, path: Path, pool: Path, out: Path, count: int, given: Mapping[str, Any], store: Path | None
) -> None:
    """Let a model make categories, and write them as a taxonomy.

    Raises:
        UsageError: the recipe names no model.
        InputError: the pool holds no imported candidates.
        EndpointError: the model gave none that can be read.
    """
    recipe = changed(read_recipe(path), given)
    if recipe.classify is None:
        raise UsageError("the recipe has no [classify] with a model to ask.")
    with Asker(recipe.classify, store, pool) as asker:
        taxonomy = induced(asker, pool / "import", count, out.stem)
    write_text(out, toml_of(taxonomy))
    for category in taxonomy.categories:
        _say(console, f"{category.prompt}: {category.description}")
    _say(console, f"Written: {out}. Edit it, add solved examples, and name it in [classify] taxonomy.")


def find_duplicates(
    console: Console, own: Named, other: Named | None, *, pictures: bool, out: Path | None, as_json: bool
) -> None:
    """Questions that stand in a benchmark twice, or in another one too.

    Raises:
        UsageError, InputError: a benchmark that can't be loaded.
    """
    frames = FrameStore(default_root()) if pictures else None
    loaded = [(name, load(name, data, subset)) for name, data, subset in ([own, other] if other else [own])]
    media = [[_absolute(one.folder, medium) for medium in item.media] for _, one in loaded for item in one.items]
    names, looked_at = media_names(media, Path("/"), frames)
    questions: list[QuestionText] = []
    for origin, (_, one) in zip(("own", "other"), loaded, strict=False):
        for item in one.items:
            about = names[len(questions)]
            questions.append(QuestionText.of(item.id, origin, item.question, about, item.answer_text, item.options))
    groups = near_duplicates(questions)
    rows: list[dict[str, Any]] = []
    if other is None:
        for group in groups:
            ids = [questions[i].id for i in group.members]
            rows.append({"members": ids, "different_answers": group.conflict})
        says = f"{sum(len(g.members) - 1 for g in groups):,} of {len(questions):,} questions repeat another"
        says += f"; in {sum(g.conflict for g in groups):,} of {len(groups):,} groups the answers differ"
    else:
        rows = [
            {"id": mine.id, "same_as": theirs.id, "different_answers": mine.answer != theirs.answer}
            for mine, theirs in leaks(groups, questions)
        ]
        says = f"{len(rows):,} of {len(loaded[0][1].items):,} questions stand in {other[0]} too"
    if out is not None:
        write_text(out, "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows))
    if as_json:
        console.file.write(json.dumps({"found": rows, "media_looked_at": looked_at}, indent=2) + "\n")
        return
    _say(console, f"{says} ({looked_at:,} media looked at, the others told apart by their names).")
    for row in rows[:10] if out is None else []:
        _say(console, json.dumps(row, ensure_ascii=False))


def statistics_svg(statistics: Mapping[str, Any]) -> str:
    """Bars of before and after for each label, as shares of their pools."""
    before, after = statistics["before"], statistics["after"]
    labels = [label for label in DRAWN if label in before and label in after]
    rows = [max(len(before[label]), len(after[label])) for label in labels]

    def draw(figure: Drawing) -> None:
        grid = figure.subplots(len(labels), 1, height_ratios=[n + 1.5 for n in rows], squeeze=False)
        for axes, label in zip(grid[:, 0], labels, strict=True):
            values = list(dict.fromkeys([*after[label], *before[label]]))
            for offset, (when, pool, colour) in enumerate((("before", before, "#b5b5b5"), ("after", after, "#2a6f97"))):
                name = f"{when}, n = {pool['candidates']:,}"
                shares = [100 * pool[label].get(value, 0) / max(1, pool["candidates"]) for value in values]
                axes.barh(
                    [-i - 0.4 * offset for i in range(len(values))], shares, height=0.38, color=colour, label=name
                )
            axes.set_yticks([-i - 0.2 for i in range(len(values))], values)
            axes.set_title(label, loc="left", fontsize=10)
            axes.spines[["top", "right"]].set_visible(False)
        grid[-1, 0].set_xlabel("share of the pool, %")
        handles, names = grid[0, 0].get_legend_handles_labels()
        figure.legend(handles, names, loc="outside upper center", ncols=2, frameon=False, fontsize=9)

    return svg((8, 0.33 * sum(rows) + 0.75 * len(labels) + 0.6), draw)


def _absolute(folder: Path, medium: Media) -> Media:
    return medium.model_copy(update={"path": str((folder / medium.path).absolute()).lstrip("/")})


def _print_stage(console: Console, done: Done) -> None:
    statistics = done.statistics
    after = "" if done.again else " (was whole already)"
    if done.name == "benchmark":
        line = f"{statistics['questions']:,} questions"
        if statistics["media_missing"]:
            line += f", {statistics['media_missing']:,} media files missing ({done.folder / 'missing-media.jsonl'})"
        _say(console, f"benchmark: {line}{after}")
        return
    _say(console, f"{done.name}: {statistics['candidates']:,} candidates{_more(done)}{after}")
    if done.name == "import":
        for name, counts in statistics["sources"].items():
            _say(console, f"  {name}: {counts['taken']:,}, {counts['unmapped']:,} rows left out")
    if done.name == "classify":
        for label, found in statistics["agreement"].items():
            _say(console, f"  agreement with people on {label}: {_agreement(found)}")
    if done.name == "stratify":
        _print_statistics(console, statistics)


def _more(done: Done) -> str:
    """What a stage did, in a few words."""
    s = done.statistics
    parts = {
        "duplicates": lambda: (
            [f"{s['left_out']:,} repeat others"]
            + [f"{n:,} stand in {name} too" for name, n in s["shared"].items()]
            + ([f"{s['different_answers']:,} groups have different answers"] if s["different_answers"] else [])
        ),
        "classify": lambda: [
            f"{sum(s['rejected'].values()):,} not about space",
            f"{s['people']:,} left for people",
            f"{s['calls']:,} calls, {s['from_store']:,} answers from the store",
        ],
        "convert": lambda: [f"{sum(s['converted'].values()):,} converted", f"{s['unconverted']:,} can't be"],
        "stratify": lambda: [f"of {s['of']:,}"],
        "verify": lambda: [f"{n:,} {status}" for status, n in s["status"].items()],
    }.get(done.name, list)()
    return f" ({', '.join(parts)})" if parts else ""


def _agreement(found: Mapping[str, Any]) -> str:
    kappa = "not defined" if found["kappa"] is None else f"{found['kappa']:.2f}"
    if found["kappa"] is not None and found["interval"]:
        low, high = found["interval"]
        kappa += f" [{low:.2f}, {high:.2f}]"
    return f"{100 * found['agreement']:.1f} %, kappa {kappa}, n = {found['n']:,}"


def _print_statistics(console: Console, statistics: Mapping[str, Any]) -> None:
    before, after = statistics["before"], statistics["after"]
    grid = RichTable(box=None, pad_edge=False)
    for heading in ("label", "value", "before", "after"):
        grid.add_column(heading, justify="right" if heading in ("before", "after") else "left")
    for label in (*DRAWN, "letter"):
        values = list(dict.fromkeys([*after.get(label, {}), *before.get(label, {})]))
        for i, value in enumerate(values):
            cells = [f"{pool.get(label, {}).get(value, 0):,}" for pool in (before, after)]
            grid.add_row(label if i == 0 else "", str(value), *cells)
    console.print(grid)


def _say(console: Console, text: str) -> None:
    console.print(text, markup=False, highlight=False, soft_wrap=True)
