"""Analyses of a benchmark's questions: shortcut bias, and the diversity of their wording.

Shortcut bias is the score of learners that never see a picture, and the items to leave out for it. Diversity is of all
questions and of each question type.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tolman import benchmarks
from tolman.analyze.bias import Bias, BiasResult, analyze
from tolman.analyze.composition import DiversityResult, dependency_structures, diversity
from tolman.benchmarks.published import published_tables
from tolman.errors import InputError, unknown
from tolman.features.analyses import to_plain, write_ids, write_json
from tolman.features.analyses.config import BiasConfig, DiversityConfig
from tolman.features.analyses.scored_runs import chance_scores, load_questions
from tolman.features.events import Advanced, Began, Ended, Events, silent
from tolman.files import write_text
from tolman.items import Item
from tolman.runs.run_items import ids_from
from tolman.scoring.aggregate import cells
from tolman.text_tables import frame_csv

GIVEN = "given"
"""The name of the subset of `--against`."""


def analyze_bias(config: BiasConfig, events: Events = silent) -> BiasResult:
    """Measure the scores of blind learners, item by item, and prune.

    Raises:
        MissingExtraError: scikit-learn isn't installed.
        InputError: a list of ids that isn't one.
        UsageError: unknown names, too few scenes, or a subset that can't be.
    """

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
        _write(config.out, found, bias_to_json(result))
    return result


def _left_out(path: Path, items: list[Item]) -> set[str]:
    if not path.is_file():
        raise InputError(path, "does not exist", fix="name a file with one id on each line")
    ids = set(ids_from(str(path)))
    known = {item.id for item in items}
    if not ids & known or known <= ids:
        what = "names no item of the benchmark" if not ids & known else "leaves no item"
        raise InputError(path, what, fix="give the ids that the subset leaves out, one on each line")
    return ids


def _write(out: Path, found: Bias, record: dict[str, Any]) -> None:
    out.mkdir(parents=True, exist_ok=True)
    frame = found.frame()
    write_text(out / "guessability.csv", frame_csv(frame))
    write_json(out / "bias.json", record)
    if found.kept is not None:
        write_ids(out / "keep.txt", frame.filter(frame["kept"])["id"])
        write_ids(out / "leave-out.txt", frame.filter(~frame["kept"])["id"])


def bias_to_json(result: BiasResult) -> dict[str, Any]:
    """Make the content of `--json` and of `bias.json` of a result."""
    rows = [
        {"subset": r.subset, "trained_on": r.trained, "learner": r.learner, "n": r.n, "columns": to_plain(r.figures)}
        for r in result.bias.rows
    ]
    settings = {"questions_of": result.label, "rules": result.scorer, "folds": result.folds, "seed": result.seed}
    return {**settings, "chance": to_plain(result.chance), "rows": rows}


def analyze_diversity(config: DiversityConfig, events: Events = silent) -> DiversityResult:
    """Count words, n-grams and structures of a benchmark's questions, of all and of each question type.

    Raises:
        UsageError, InputError: there is no such benchmark, its data can't be read, or structures need a parser that
            isn't installed.
    """

    _, items, label = load_questions(config.benchmark, config.data, config.subset)
    texts = [item.question for item in items]
    parsed = None
    if config.structures:
        events(Began("parsing", len(set(texts))))
        parsed = dependency_structures(texts, lambda count: events(Advanced(count)))
        events(Ended())
    found = {"all": diversity(texts, parsed)}
    for task in dict.fromkeys(item.task for item in items):
        own = [i for i, item in enumerate(items) if item.task == task]
        found[task] = diversity([texts[i] for i in own], None if parsed is None else [parsed[i] for i in own])
    return DiversityResult(label, found, tuple(published_tables("diversity")))


def diversity_to_json(result: DiversityResult) -> dict[str, Any]:
    """Make the content of `--json` of a result."""
    return {"questions_of": result.label, **to_plain(result.tasks)}
