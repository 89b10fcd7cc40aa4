"""Representative subset: few items on which models score as on all, checked on models that took no part."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from tolman.errors import UsageError
from tolman.workflows.analyses import Analysis, to_plain
from tolman.workflows.analyses.outputs import to_plain_tables
from tolman.workflows.analyses.settings import Runs, Scorer, Seed
from tolman.workflows.config import Setting
from tolman.workflows.events import Advanced, Began, Ended, Events, silent

if TYPE_CHECKING:
    from tolman.analyze.representative import RepresentativeResult
    from tolman.reports.analyses.output import Shown


@dataclass(frozen=True, kw_only=True)
class RepresentativeConfig:
    """Settings of `analyze_representative`."""

    runs: Runs
    size: Annotated[int, Setting("Items in the subset, 1 or more.", least=1)] = 300
    scorer: Scorer = None
    seed: Seed = 0
    out: Annotated[Path | None, Setting("Folder for ids.txt and subset.json.")] = Path("representative")


def analyze_representative(config: RepresentativeConfig, events: Events = silent) -> RepresentativeResult:
    """Choose a subset, check it on models left out, and write its ids.

    Raises:
        InputError: a folder holds no run, or no scores.
        UsageError: too few runs or items, or two runs of one name.
    """
    from tolman.analyze.representative import RepresentativeResult, representative
    from tolman.benchmarks.published_tables import published_tables
    from tolman.workflows.analyses.inputs import scored_runs
    from tolman.workflows.analyses.outputs import write_ids, write_json

    scored = scored_runs(config.runs, config.scorer)
    names = [run.settings_name for run in scored.runs]
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise UsageError(f"two runs are of {twice}; each counts as a model of its own, so give one of them.")
    events(Began("choosing", len(names) + 1))
    table = scored.benchmark.table_of(scored.scorer)
    rows = [scored.rows(run) for run in scored.runs]
    subset = representative(rows, table, config.size, seed=config.seed, done=lambda count: events(Advanced()))
    events(Ended())
    headline = scored.benchmark.table.column(scored.benchmark.table.headline)
    printed = tuple(published_tables("representative", scored.benchmark.title))
    result = RepresentativeResult(names, scored.scorer, config.seed, config.size, headline, subset, config.out, printed)
    if config.out is not None:
        config.out.mkdir(parents=True, exist_ok=True)
        write_ids(config.out / "ids.txt", subset.ids)
        write_json(config.out / "subset.json", to_json(result))
    return result


def to_json(result: RepresentativeResult) -> dict[str, Any]:
    """Make the content of `--json` and of `subset.json` of a result."""
    settings = {"models": result.models, "rules": result.scorer, "seed": result.seed, "size": result.size}
    return {**settings, **to_plain(result.subset), "published": to_plain_tables(result.published)}


def show(result: RepresentativeResult) -> list[Shown]:
    """Make tables and sentences of a result."""
    from tolman.reports.analyses import representative as form

    return form.show(result)


ANALYSIS = Analysis(
    name="representative",
    title="Representative subset: few items on which models score as on all, checked on models left out.",
    config=RepresentativeConfig,
    run=analyze_representative,
    show=show,
    to_json=to_json,
    examples=("representative runs/vsi-bench-full/* --size 300",),
)
