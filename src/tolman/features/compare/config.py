"""Settings of `tolman compare` and `tolman reconcile`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from tolman.features.config import ReleasedData, Revision, Setting, Subset, setting


@dataclass(frozen=True, kw_only=True)
class CompareConfig:
    """Which runs are compared, by which scorer."""

    a: Annotated[Path, Setting("A run's folder.", positional=True)]
    b: Annotated[
        tuple[Path, ...], Setting("Folders of one or more runs to compare it with.", positional=True, repeated=True)
    ]
    scorer: str | None = setting("Scorer, such as official or careful. Default: the headline's.", aliases=("--rules",))
    exclude: tuple[str, ...] = setting(
        "Items that are left out: ids, a file, a folder of runs, or 'known-errors'. Default: none.",
        default=(),
        metavar="ID[,ID…]|FILE|RUNS|known-errors",
        may_be_empty=True,
    )
    metrics: str | None = setting(
        "Further metrics by question type, computed from the runs' responses: names with commas between "
        "(within-25,signed-bias). Default: none.",
        metavar="NAMES",
    )
    out: Path | None = setting(
        "File to write, .html (with every item won or lost), .md, .csv or .json. Default: none, the tables are "
        "printed.",
        writes="file",
    )


@dataclass(frozen=True, kw_only=True)
class ReconcileConfig:
    """Which two runs or logs are held against each other."""

    a: Annotated[Path, Setting("A run folder, or a log of another program, or a folder of logs.", positional=True)]
    b: Annotated[Path, Setting("The other run folder, log or folder of logs.", positional=True)]
    benchmark: str | None = setting("A benchmark's name or folder. Default: that of the run folders.")
    data: ReleasedData = None
    subset: Subset = None
    revision: Revision = None
    scorer_a: str | None = setting(
        "Scorer of A. Default: of a run the headline's; of a log the one that gives its recorded scores."
    )
    scorer_b: str | None = setting("Scorer of B. Default: found out as A's is.")
    figure: str | None = setting("Figure of the benchmark's table, by its key. Default: the headline.", metavar="KEY")
    out: Path | None = setting(
        "File to write, .html (the waterfall drawn, with every differing item by its causes), .md or .json. "
        "Default: none, the tables are printed.",
        writes="file",
    )
