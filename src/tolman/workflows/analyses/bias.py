"""Shortcut bias: what learners get that never see a picture, and which items to leave out for it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from tolman.errors import InputError
from tolman.workflows.analyses import Analysis, to_plain
from tolman.workflows.analyses.settings import Scorer, Seed, Source
from tolman.workflows.config import Setting
from tolman.workflows.events import Advanced, Began, Ended, Events, silent
from tolman.workflows.settings import ReleasedData, Subset

if TYPE_CHECKING:
    from tolman.analyze.bias.analysis import Bias, BiasResult
    from tolman.items import Item
    from tolman.reports.analyses.output import Shown

GIVEN = "given"
"""The name of the subset of `--against`."""


@dataclass(frozen=True, kw_only=True)
class BiasConfig:
    """Settings of `analyze_bias`."""

    benchmark: Source
    data: ReleasedData = None
    subset: Subset = None
    prune: Annotated[
        int | None,
        Setting("Items that a pruned subset keeps, from 1, those hardest to guess. Default: no pruning.", least=1),
    ] = None
    rounds: Annotated[int, Setting("Rounds of pruning, learners trained anew in each, 1 or more.", least=1)] = 6
    against: Annotated[
        Path | None,
        Setting(
            "File of item ids, one a line, that another subset leaves out; its bias is printed beside. Default: none."
        ),
    ] = None
    folds: Annotated[int, Setting("Folds of the scenes, each held out once, 3 or more.", least=3)] = 5
    scorer: Scorer = None
    seed: Seed = 0
    workers: Annotated[
        int | None, Setting("Processes that train learners, 1 or more. Default: one on each core.", least=1)
    ] = None
    out: Annotated[
        Path | None, Setting("Folder for guessability.csv, bias.json and, with --prune, keep.txt and leave-out.txt.")
    ] = Path("bias")


def analyze_bias(config: BiasConfig, events: Events = silent) -> BiasResult:
    """Measure what blind learners get, item by item, and prune.

    Raises:
        MissingExtraError: scikit-learn isn't installed.
        InputError: a list of ids that isn't one.
        UsageError: unknown names, too few scenes, or a subset that can't be.
    """
    from tolman import benchmarks
    from tolman.analyze.bias.analysis import BiasResult, analyze
    from tolman.names import unknown
    from tolman.scoring.aggregate import cells
    from tolman.workflows.analyses.chance import chance_scores
    from tolman.workflows.analyses.inputs import load_questions

    name, items, label = load_questions(config.benchmark, config.data, config.subset)
    benchmark = benchmarks.get(name)
    known = {rules.name: rules for rules in benchmark.rule_sets}
    if config.scorer is not None and config.scorer not in known:
        raise unknown("scorer", config.scorer, known)
    rules = known[config.scorer or next(iter(known))]
    given = {GIVEN: _left_out(config.against, items)} if config.against else {}
    events(Began("training", 1 + (config.rounds + 1 if config.prune is not None else 0) + len(given)))
    found = analyze(
        items,
        benchmark.table_of(rules.name),
        rules,
        folds=config.folds,
        seed=config.seed,
        keep=config.prune,
        rounds=config.rounds,
        given=given,
        workers=config.workers,
        done=lambda step: events(Advanced()),
    )
    events(Ended())
    chance = cells(chance_scores("random", benchmark, items, rules), found.table)
    result = BiasResult(label, rules.name, config.folds, config.seed, chance, found, config.out)
    if config.out is not None:
        _write(config.out, found, to_json(result))
    return result


def _left_out(path: Path, items: list[Item]) -> set[str]:
    from tolman.runs.naming_items import ids_from

    if not path.is_file():
        raise InputError(path, "does not exist", fix="name a file with one id on each line")
    ids = set(ids_from(str(path)))
    known = {item.id for item in items}
    if not ids & known or known <= ids:
        what = "names no item of the benchmark" if not ids & known else "leaves no item"
        raise InputError(path, what, fix="give the ids that the subset leaves out, one on each line")
    return ids


def _write(out: Path, found: Bias, record: dict[str, Any]) -> None:
    from tolman.files import write_text
    from tolman.workflows.analyses.outputs import write_ids, write_json

    out.mkdir(parents=True, exist_ok=True)
    frame = found.frame()
    write_text(out / "guessability.csv", frame.write_csv())
    write_json(out / "bias.json", record)
    if found.kept is not None:
        write_ids(out / "keep.txt", frame.filter(frame["kept"])["id"])
        write_ids(out / "leave-out.txt", frame.filter(~frame["kept"])["id"])


def to_json(result: BiasResult) -> dict[str, Any]:
    """Make the content of `--json` and of `bias.json` of a result."""
    rows = [
        {"subset": r.subset, "trained_on": r.trained, "learner": r.learner, "n": r.n, "columns": to_plain(r.figures)}
        for r in result.bias.rows
    ]
    settings = {"questions_of": result.label, "rules": result.scorer, "folds": result.folds, "seed": result.seed}
    return {**settings, "chance": to_plain(result.chance), "rows": rows}


def show(result: BiasResult) -> list[Shown]:
    """Make tables and sentences of a result."""
    from tolman.reports.analyses import bias as form

    return form.show(result)


ANALYSIS = Analysis(
    name="bias",
    title="Shortcut bias: what learners score that see no picture, item by item; pruning items that are guessed.",
    config=BiasConfig,
    run=analyze_bias,
    show=show,
    to_json=to_json,
    examples=("bias vsi-bench --prune 2362",),
)
