"""Settings of `tolman report`, `explain`, `view`, `scenes` and `paper`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from tolman.features.config import NumberOfWorkers, Setting

TABLES = "Tables by labels"
_SITE = "Site"


@dataclass(frozen=True, kw_only=True)
class ReportConfig:
    """Which runs are reported, and in which form."""

    runs: Annotated[
        tuple[Path, ...],
        Setting("Run folders of one benchmark; of several for a site.", positional=True, repeated=True),
    ]
    format: Annotated[
        str | None,
        Setting("Format: terminal, markdown, csv, latex, json, html or site. Default: that of --out, or terminal."),
    ] = None
    out: Annotated[
        Path | None,
        Setting(
            "File to write; its suffix names the format. A name without a suffix is the folder of a site: overview, "
            "list and page of every item. Default: none, the report is printed."
        ),
    ] = None
    published: Annotated[
        str,
        Setting(
            "Published rows: none, baselines (chance and people), newest (these and the models printed last), paper "
            "(those of the benchmark's own paper) or all."
        ),
    ] = "newest"
    by: Annotated[
        tuple[str, ...],
        Setting(
            "Further table by labels of the questions, such as source, difficulty or evidence; several with commas "
            "between them are crossed. Once for each table.",
            repeated=True,
            metavar="LABEL[,LABEL…]",
            panel=TABLES,
        ),
    ] = ()
    taxonomy: Annotated[
        tuple[str, ...],
        Setting(
            "Further table that scores the questions under the classification of another benchmark's paper: vsi-bench, "
            "site, mmsi-bench or spatialbench. Once for each table.",
            repeated=True,
            metavar="NAME",
            panel=TABLES,
        ),
    ] = ()
    figure: Annotated[
        str | None,
        Setting(
            "Column of the benchmark's table whose figure is shown for each value of a label. Default: its headline.",
            metavar="COLUMN",
            panel=TABLES,
        ),
    ] = None
    layout: Annotated[
        str | None,
        Setting(
            "Layout: across (a column for each value of the last label) or down (a row for each, with all columns of "
            "the benchmark's table). Default: across up to 12 values.",
            panel=TABLES,
        ),
    ] = None
    scorer: Annotated[
        str | None,
        Setting("Scorer of these tables, or all for each. Default: that of the headline.", panel=TABLES),
    ] = None
    places: Annotated[
        Path | None,
        Setting(
            "TOML file that gives question types, or values of another label, their places in taxonomies. Default: "
            "what the questions' labels say, or the place of generated questions of the same type.",
            panel=TABLES,
        ),
    ] = None
    media: Annotated[
        Path | None,
        Setting("Folder that the paths of videos and pictures begin in. Default: the runs' own.", panel=_SITE),
    ] = None
    scenes: Annotated[
        Path | None,
        Setting(
            "Folder of the scenes, for floor plans. Default: the folder that the runs or the benchmark name.",
            panel=_SITE,
        ),
    ] = None
    videos: Annotated[bool, Setting("Bring videos into the site, not only the frames that were sent.", panel=_SITE)] = (
        False
    )
    redact: Annotated[
        bool,
        Setting(
            "Leave videos and pictures out of a site or page, where a licence forbids showing them.",
            panel=_SITE,
        ),
    ] = False


@dataclass(frozen=True, kw_only=True)
class ExplainConfig:
    """Which run is explained, and with which others."""

    runs: Annotated[
        tuple[Path, ...],
        Setting(
            "Run folder; with it, any of a grounded and a blind run of the same model.", positional=True, repeated=True
        ),
    ]
    scenes: Annotated[
        Path | None,
        Setting("Folder of the benchmark's scenes. Default: the folder that the runs or the benchmark name."),
    ] = None
    out: Annotated[Path, Setting("Folder of the page.")] = Path("explained")
    media: Annotated[
        Path | None, Setting("Folder that the paths of videos and pictures begin in. Default: the runs' own.")
    ] = None
    scorer: Annotated[
        str | None, Setting("Scorer whose scores are explained: official, careful … Default: the headline's.")
    ] = None
    draws: Annotated[int, Setting("Perceptions that are drawn at each level of noise, from 100.", least=100)] = 1000
    seed: Annotated[int, Setting("Seed of these, 0 or more.", least=0)] = 0
    workers: NumberOfWorkers = None


@dataclass(frozen=True, kw_only=True)
class CutSettings:
    """Which tables are made.

    Attributes:
        by: for each table its labels with commas between them.
        taxonomy: names of taxonomies, each a table.
        figure: column of the benchmark's table whose figure is shown across; its headline where None.
        layout: 'across' or 'down'; by the number of values where None.
        scorer: its name, or 'all'; that of the headline where None.
        places: a file of places in taxonomies.
        published: whether figures of papers are shown next to those of runs.
    """

    by: tuple[str, ...] = ()
    taxonomy: tuple[str, ...] = ()
    figure: str | None = None
    layout: str | None = None
    scorer: str | None = None
    places: Path | None = None
    published: bool = True

    @property
    def is_empty(self) -> bool:
        """Check that no table is requested."""
        return not self.by and not self.taxonomy


@dataclass(frozen=True, kw_only=True)
class ScenesConfig:
    """Which scenes are shown, and where."""

    path: Annotated[
        Path, Setting("Folder of scenes: Parquet, or VSI-Bench's meta-info.", positional=True, metavar="DIR")
    ]
    out: Annotated[
        Path | None, Setting("HTML file of the page. Default: scenes.html here; with --json, none.", writes="file")
    ] = None
    most: Annotated[int, Setting("Most scenes that get a floor plan on the page, from 0.", least=0)] = 300
    check: Annotated[
        bool,
        Setting(
            "Look for wrong axes, units, poses, focal lengths, times and boxes in scans before ingest. DIR is a folder "
            "with a scene.json, or of such folders."
        ),
    ] = False
    fix: Annotated[
        Path | None,
        Setting("Corrected copy of the scans, for --check: a new or empty folder. Default: none.", writes="scans"),
    ] = None


@dataclass(frozen=True, kw_only=True)
class ViewConfig:
    """Which runs are looked at, and where."""

    paths: Annotated[
        tuple[Path, ...],
        Setting("Run folders, or the folder of a site that 'tolman report' wrote.", positional=True, repeated=True),
    ]
    port: Annotated[int, Setting("Port on 127.0.0.1, 0–65535; 0 takes a free one.", least=0, most=65535)] = 0
    browser: Annotated[bool, Setting("Open the page in a browser.")] = True
    item: Annotated[str | None, Setting("Id of the item to open. Default: none, the table.")] = None
    media: Annotated[
        Path | None, Setting("Folder that the paths of videos and pictures begin in. Default: the runs' own.")
    ] = None
    scenes: Annotated[
        Path | None,
        Setting("Folder of the scenes, for floor plans. Default: the folder that the runs or the benchmark name."),
    ] = None


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
