"""Vision ablation: a model's runs held against each other, item by item."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from tolman.errors import UsageError
from tolman.workflows.analyses import Analysis, to_plain
from tolman.workflows.analyses.settings import Runs, Scorer
from tolman.workflows.config import Setting
from tolman.workflows.events import Began, Ended, Events, silent

if TYPE_CHECKING:
    from tolman.analyze.deltas import DeltasResult
    from tolman.reports.analyses.output import Shown

NO_CHANCE = "none"


@dataclass(frozen=True, kw_only=True)
class DeltasConfig:
    """Settings of `analyze_deltas`."""

    runs: Runs
    chance: Annotated[
        str,
        Setting(
            "Baseline that gives the chance level, which blind runs are compared with: best-constant, random … or none."
        ),
    ] = "best-constant"
    scorer: Scorer = None
    data: Annotated[
        Path | None,
        Setting(
            "Folder of the whole benchmark, which the chance level is computed on. Default: where the runs' data was."
        ),
    ] = None


def analyze_deltas(config: DeltasConfig, events: Events = silent) -> DeltasResult:
    """Compare each model's runs under different protocols.

    Raises:
        InputError: a folder holds no run, or no scores.
        UsageError: the runs can't be compared, nothing comes of it, or the whole benchmark isn't at hand for chance.
    """
    from tolman.analyze.deltas import BLIND, DeltasResult, ProtocolRun, deltas, published_deltas
    from tolman.workflows.analyses.chance import chance_scores, whole_benchmark
    from tolman.workflows.analyses.inputs import scored_runs

    scored = scored_runs(config.runs, config.scorer)
    benchmark, scorer = scored.benchmark, scored.scorer
    asked: dict[tuple[str, str], ProtocolRun] = {}
    unanswered: dict[str, int] = {}
    for run in scored.runs:
        key = run.record.settings.model, run.record.settings.protocol
        if key in asked:
            raise UsageError(f"two runs are of {key[0]} under the protocol {key[1]}; give one of them.")
        rows = scored.rows(run)
        asked[key] = ProtocolRun(*key, rows)
        unanswered[run.name] = rows.filter(rows["status"].is_in(["failed", "missing"])).height
    chance, whole = None, 0
    if config.chance != NO_CHANCE and any(protocol == BLIND for _, protocol in asked):
        items = whole_benchmark(scored.runs, config.data)
        events(Began(f"scoring baseline/{config.chance}"))
        chance, whole = chance_scores(config.chance, benchmark, items, benchmark.rule_set(scorer)), len(items)
        events(Ended())
    seed = scored.runs[0].record.settings.seed
    found = deltas(list(asked.values()), benchmark.table_of(scorer), chance=chance, seed=seed)
    if not found:
        raise UsageError("there is nothing to compare: give a model's runs under two protocols, such as direct, blind.")
    return DeltasResult(
        scorer=scorer,
        chance=config.chance,
        chance_items=whole,
        deltas=found,
        unanswered={name: count for name, count in unanswered.items() if count},
        columns=benchmark.table.columns,
        published=published_deltas(benchmark.published_rows, {one.what for one in found}),
    )


def to_json(result: DeltasResult) -> dict[str, Any]:
    """Make the content of `--json` of a result."""
    return {
        "rules": result.scorer,
        "chance": result.chance,
        "chance_items": result.chance_items,
        "unanswered": result.unanswered,
        "deltas": to_plain(result.deltas),
        "published": to_plain(result.published),
    }


def show(result: DeltasResult) -> list[Shown]:
    """Make tables and sentences of a result."""
    from tolman.reports.analyses import deltas as form

    return form.show(result)


ANALYSIS = Analysis(
    name="deltas",
    title="Vision ablation and protocol ablation, per task: with vision − blind, blind − chance, protocol − direct.",
    config=DeltasConfig,
    run=analyze_deltas,
    show=show,
    to_json=to_json,
    examples=("deltas runs/vsi-bench-full/my-model-direct runs/vsi-bench-full/my-model-blind",),
)
