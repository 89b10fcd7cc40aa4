"""Runs as results for export: their model, their gaps, and their figures under any scorer.

`model-index` writes results as the metadata of a model card of the Hugging Face hub, and as files of `.eval_results`.

Source: huggingface/hub-docs@242f4a1e, modelcard.md and docs/hub/eval-results.md; `huggingface_hub` reads both.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from importlib import import_module
from typing import Any

import polars as pl

from tolman import __version__
from tolman.errors import UsageError, counted
from tolman.exports.exporters import Exported, RunsExport, RunSource, Target
from tolman.files import write_text
from tolman.responses import Response
from tolman.runs.places import file_name
from tolman.runs.run_folder import is_blind
from tolman.runs.run_scoring import rows_with_metrics
from tolman.scoring.aggregate import Cell, cells
from tolman.scoring.further_figures import WITHHELD
from tolman.scoring.score_table import Column

MARK = "mark"
"""The value of the setting `incomplete` with which parts are exported, and marked."""
INCOMPLETE_HELP = "'mark' exports runs that lack questions or answers too, and says so in the result. Default: refused."


def model_of(runs: Sequence[RunSource]) -> str:
    """The model that all runs are of.

    Raises:
        UsageError: they are of several, or of one name and different labels.
    """
    found = {(run.record.settings.model, run.record.settings.model_settings.get("label")) for run in runs}
    if len(found) > 1:
        named = ", ".join(sorted(f"{model} ({label})" if label else model for model, label in found))
        raise UsageError(f"the runs are of several models ({named}); export each model's by themselves.")
    return next(iter(found))[0]


def lacks_of(run: RunSource) -> list[str]:
    """Return a run's gaps in its benchmark's subset, a few words each; none if it is complete.

    They include calls that failed or never were made, unless the user counted failures as wrong.
    """
    settings, found = run.record.settings, []
    released = run.benchmark.sizes.get(settings.subset, run.record.subset_items)
    if not settings.selection.is_all:
        found.append(f"only the questions of {settings.selection.describe()}")
    elif run.record.subset_items < released:
        found.append(f"{run.record.subset_items:,} of the {counted(released, 'released question')}")
    lost = lost_of(run)
    if lost and not run.record.failures_are_wrong:
        found.append(f"{lost:,} of {counted(len(run.items) * settings.repeats, 'answer')} missing")
    return found


def lost_of(run: RunSource) -> int:
    """How many askings brought no response."""
    answered = {(one.id, one.repeat) for one in run.outcomes if isinstance(one, Response)}
    return len(run.items) * run.record.settings.repeats - len(answered)


def check_whole(runs: Sequence[RunSource], incomplete: str | None) -> None:
    """Refuse runs that lack something, unless they are to be marked.

    Raises:
        UsageError: a process is at work in a folder, a run lacks something, or the setting has another value.
    """
    if incomplete not in (None, MARK):
        raise UsageError(f"--set incomplete takes '{MARK}', not '{incomplete}'.")
    for run in runs:
        if run.folder.is_at_work:
            raise UsageError(f"{run.folder.path} is still being written by another process; export it when it is done.")
        lacks = lacks_of(run)
        if lacks and incomplete is None:
            raise UsageError(
                f"{run.folder.path} is INCOMPLETE ({'; '.join(lacks)}); carry it out whole, leave it out, or export it "
                f"marked with --set incomplete={MARK}."
            )


def rows_of(runs: Sequence[RunSource], scorer: str) -> pl.DataFrame:
    """The rows of runs of one benchmark under one scorer, pooled.

    Raises:
        UsageError: the benchmark has no such scorer, or a question is in two runs.
    """
    frames = [rows_with_metrics(run.folder, run.benchmark, scorer, ()) for run in runs]
    seen: dict[str, RunSource] = {}
    for run in runs:
        for item in run.items:
            if item.id in seen:
                raise UsageError(
                    f"{seen[item.id].folder.path} and {run.folder.path} both hold question {item.id}; name one of them."
                )
            seen[item.id] = run
    return pl.concat(frames)


def figures_of(runs: Sequence[RunSource], scorer: str) -> dict[str, Cell]:
    """The figures of the benchmark's table over the pooled rows of runs: key of the figure → Cell."""
    found = cells(rows_of(runs, scorer), runs[0].benchmark.table_of(scorer))
    stored = [run.figures["rule_sets"].get(scorer, {}).get("cells", {}) for run in runs]
    lacking = {key for own in stored for key, cell in own.items() if cell.get("reason") == WITHHELD}
    return {key: replace(cell, value=None, interval=None) if key in lacking else cell for key, cell in found.items()}


def setup_of(run: RunSource) -> str:
    """How a run was carried out, in the words of the command line."""
    settings = run.record.settings
    imported = settings.model_settings.get("imported")
    # What another program asked and showed isn't known.
    said = [f"preset {settings.preset}" if imported is None else f"answers imported from {imported}"]
    if settings.protocol != "direct":
        said.append(f"protocol {settings.protocol}")
    sees = imported is None and not is_blind(settings.model) and "blind" not in settings.protocol.split("+")
    if sees and any(medium.kind == "video" for item in run.items for medium in item.media):
        said.append(settings.frames.describe())
    if run.record.failures_are_wrong and lost_of(run):
        said.append(f"{counted(lost_of(run), 'failed call')} counted as wrong")
    if served := run.figures.get("served"):
        said.append(f"MIXED: answers by {' and '.join(served)}")
    return ", ".join([*said, *(f"INCOMPLETE: {lack}" for lack in lacks_of(run))])


TASKS = {"video": "video-text-to-text", "image": "image-text-to-text", None: "question-answering"}
"""The hub's name of a task, by the media of its questions."""
SETTINGS = {
    "name": "Name of the model in the card. Default: the name that the runs have, without its family.",
    "url": "Address of the results, such as of a published report. Default: none.",
    "figures": "'all' for every figure of the table, 'headline' for the headline alone. Default: all.",
    "incomplete": INCOMPLETE_HELP,
}


def write(runs: Sequence[RunSource], target: Target) -> Exported:
    """Write README.md, a model card with nothing but the metadata, and `.eval_results/BENCHMARK.yaml`.

    Raises:
        UsageError: the runs are of several models, incomplete, or a setting isn't known.
    """
    from huggingface_hub import ModelCardData

    settings = target.settings
    if settings.get("figures", "all") not in ("all", "headline"):
        raise UsageError(f"--set figures takes all or headline, not '{settings['figures']}'.")
    model = model_of(runs)
    name = settings.get("name") or model.partition("/")[2] or model
    check_whole(runs, settings.get("incomplete"))
    target.began("scoring", len(runs))
    results, notes, unlisted = [], [], []
    for run in runs:
        rules = run.benchmark.headline_rules.name
        figures = figures_of([run], rules)
        results += _results(run, figures, settings)
        notes += [f"INCOMPLETE: {run.folder.path} ({'; '.join(lacks)})." for lacks in [lacks_of(run)] if lacks]
        if run.benchmark.hub is None:
            unlisted.append(run.benchmark.title)
        target.advanced(1)
    if not results:
        raise UsageError("the runs have no figures; there is nothing to export.")
    card = ModelCardData(model_name=name, eval_results=results)
    write_text(target.folder / "README.md", f"---\n{card.to_yaml()}\n---\n")
    for file, entries in _entries(runs, settings).items():
        _write_yaml(target, file, entries)
    if unlisted:
        notes.append(f"{', '.join(sorted(set(unlisted)))}: no data set of the hub, and so only in the card.")
    notes.append(
        "The hub shows files of .eval_results where the data set is registered as a benchmark with such a task there, "
        "the card's metadata always."
    )
    use = (
        f"Put the metadata of {target.place}/README.md into the model's card (huggingface_hub.metadata_update), and "
        ".eval_results into its repository; nothing was sent."
    )
    return Exported(use, tuple(notes))


def _results(run: RunSource, figures: dict[str, Cell], settings: Any) -> list[Any]:
    """The figures of a run, the headline first, as `EvalResult`."""
    from huggingface_hub import EvalResult

    benchmark, record = run.benchmark, run.record
    rules = benchmark.headline_rules.name
    table = benchmark.table_of(rules)
    columns = sorted(table.columns, key=lambda column: column.key != table.headline)
    wanted = columns if settings.get("figures", "all") == "all" else columns[:1]
    kinds = {medium.kind for item in run.items for medium in item.media}
    hub = benchmark.hub
    # A figure without items has no value, and a model card takes none without.
    return [
        EvalResult(
            task_type=TASKS[next((kind for kind in ("video", "image") if kind in kinds), None)],
            dataset_type=hub.repository if hub is not None else file_name(benchmark.title).lower(),
            dataset_name=benchmark.title,
            dataset_split=record.settings.subset,
            dataset_revision=_revision(run),
            metric_type=column.key,
            metric_name=_name(run, column, rules),
            metric_value=round(value, 4),
            metric_args=_arguments(run, figures[column.key], rules),
            source_name=f"Tolman {__version__}" if settings.get("url") else None,
            source_url=settings.get("url"),
        )
        for column in wanted
        if (value := figures[column.key].value) is not None
    ]


def _revision(run: RunSource) -> str | None:
    """The commit of the data set that the questions came from; None where they came from a folder."""
    hub = run.benchmark.hub
    head = f"{hub.repository}@" if hub is not None else ""
    return run.record.data.removeprefix(head) if head and run.record.data.startswith(head) else None


def _name(run: RunSource, column: Column, rules: str) -> str:
    group = f"{column.group}: " if column.group else ""
    lacks = f", INCOMPLETE: {'; '.join(lacks_of(run))}" if lacks_of(run) else ""
    return f"{group}{column.title} ({rules}{lacks})"


def _arguments(run: RunSource, cell: Cell, rules: str) -> dict[str, Any]:
    """Return the conditions that a comparison of the figure needs."""
    settings = run.record.settings
    interval = {"interval_95": [round(cell.interval.low, 4), round(cell.interval.high, 4)]} if cell.interval else {}
    return {
        "scorer": rules,
        "n": cell.n,
        **interval,
        "unit": cell.unit,
        "subset": settings.subset,
        "setup": setup_of(run),
        "tolman": run.record.tolman,
    }


def _entries(runs: Sequence[RunSource], settings: Any) -> dict[str, list[dict[str, Any]]]:
    """File name → its headline figures, in the hub's newer form."""
    found: dict[str, list[dict[str, Any]]] = {}
    for run in runs:
        hub, record = run.benchmark.hub, run.record
        rules = run.benchmark.headline_rules.name
        value = figures_of([run], rules)[run.benchmark.table.headline].value
        if hub is None or value is None:
            continue
        revision = _revision(run)
        dataset = {"id": hub.repository, "task_id": record.settings.subset}
        dataset |= {"revision": revision} if revision is not None else {}
        source = {"source": {"url": settings["url"], "name": f"Tolman {__version__}"}} if settings.get("url") else {}
        title = run.benchmark.table.column(run.benchmark.table.headline).title
        entry = {
            "dataset": dataset,
            "value": round(value, 4),
            "date": record.created[:10],
            **source,
            "notes": f"{title}, scorer {rules}, {setup_of(run)}, Tolman {record.tolman}",
        }
        found.setdefault(f"{file_name(record.settings.benchmark)}.yaml", []).append(entry)
    return found


def _write_yaml(target: Target, name: str, entries: list[dict[str, Any]]) -> None:
    to_yaml: Any = import_module("huggingface_hub.utils").yaml_dump
    folder = target.folder / ".eval_results"
    folder.mkdir(exist_ok=True)
    write_text(folder / name, to_yaml(entries))


EXPORTS = {
    "model-index": RunsExport(
        title="metadata of a model card, and files of .eval_results, for the Hugging Face hub",
        write=write,
        settings=SETTINGS,
    )
}
