"""Settings of `tolman paper`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from tolman.features.config import Setting


@dataclass(frozen=True, kw_only=True)
class PaperConfig:
    """Which paper is rebuilt from which runs."""

    paper: Annotated[str, Setting("Paper: vsi-bench, site, mmsi-bench or spatialbench.", positional=True)]
    runs: Annotated[
        tuple[Path, ...], Setting("Run folders of its benchmark, under any protocols.", positional=True, repeated=True)
    ]
    out: Annotated[Path | None, Setting("Folder to write. Default: paper-NAME.")] = None
    labels: Annotated[
        Path | None,
        Setting("Labels of error types: people's file, or labels.jsonl of 'tolman analyze errors'. Default: none."),
    ] = None
    scenes: Annotated[
        Path | None, Setting("Folder of the scenes that true maps are computed from. Default: the run's own.")
    ] = None
    downstream: Annotated[
        Path | None, Setting("CSV of results of other tasks: a row for each model, its name first. Default: none.")
    ] = None
    lower_is_better: Annotated[
        tuple[str, ...],
        Setting(
            "Column of --downstream whose sign is turned, such as a distance; repeatable. Default: those "
            "whose sign the paper turns.",
            repeated=True,
        ),
    ] = ()
    places: Annotated[
        Path | None,
        Setting("TOML file that gives values of a label a question family or a place in taxonomies. Default: none."),
    ] = None
    before: Annotated[
        str | None,
        Setting(
            "Benchmark, folder, run, or stage of a curation with the questions before a selection, counted beside. "
            "Default: none."
        ),
    ] = None
