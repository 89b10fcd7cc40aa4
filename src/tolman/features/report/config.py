"""Settings of `tolman report`, `explain`, `view`, `watch`, `scenes`, `paper`, `seal`, `verify` and `board`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from tolman.features.config import NumberOfWorkers, Setting, Trackers, setting

TABLES = "Tables by labels"
_SITE = "Site"


@dataclass(frozen=True, kw_only=True)
class ReportConfig:
    """Which runs are reported, and in which form."""

    runs: Annotated[
        tuple[Path, ...],
        Setting("Run folders of one benchmark; of several for a site.", positional=True, repeated=True),
    ]
    format: str | None = setting(
        "Format: terminal, markdown, csv, latex, json, html or site. Default: that of --out, or terminal."
    )
    out: Path | None = setting(
        "File to write; its suffix names the format. A name without a suffix is the folder of a site: overview, "
        "list and page of every item. Default: none, the report is printed."
    )
    published: str = setting(
        "Published rows: none, baselines (chance and people), newest (these and the models printed last), paper "
        "(those of the benchmark's own paper) or all.",
        default="newest",
    )
    by: tuple[str, ...] = setting(
        "Further table by labels of the questions, such as source, difficulty or evidence; several with commas "
        "between them are crossed. Once for each table.",
        default=(),
        repeated=True,
        metavar="LABEL[,LABEL…]",
        panel=TABLES,
    )
    taxonomy: tuple[str, ...] = setting(
        "Further table that scores the questions under the classification of another benchmark's paper: vsi-bench, "
        "site, mmsi-bench or spatialbench. Once for each table.",
        default=(),
        repeated=True,
        metavar="NAME",
        panel=TABLES,
    )
    figure: str | None = setting(
        "Column of the benchmark's table whose figure is shown for each value of a label. Default: its headline.",
        metavar="COLUMN",
        panel=TABLES,
    )
    layout: str | None = setting(
        "Layout: across (a column for each value of the last label) or down (a row for each, with all columns of "
        "the benchmark's table). Default: across up to 12 values.",
        panel=TABLES,
    )
    scorer: str | None = setting(
        "Scorer of these tables, or all for each. Default: that of the headline.", panel=TABLES
    )
    places: Path | None = setting(
        "TOML file that gives question types, or values of another label, their places in taxonomies. Default: "
        "what the questions' labels say, or the place of generated questions of the same type.",
        panel=TABLES,
    )
    media: Path | None = setting(
        "Folder that the paths of videos and pictures begin in. Default: the runs' own.", panel=_SITE
    )
    scenes: Path | None = setting(
        "Folder of the scenes, for floor plans. Default: the folder that the runs or the benchmark name.", panel=_SITE
    )
    videos: bool = setting(
        "Bring videos into the site, not only the frames that were sent.", default=False, panel=_SITE
    )
    redact: bool = setting(
        "Leave videos and pictures out of a site or page, where a licence forbids showing them.",
        default=False,
        panel=_SITE,
    )
    log: Trackers = ()


@dataclass(frozen=True, kw_only=True)
class ExplainConfig:
    """Which run is explained, and with which others."""

    runs: Annotated[
        tuple[Path, ...],
        Setting(
            "Run folder; with it, any of a grounded and a blind run of the same model.", positional=True, repeated=True
        ),
    ]
    scenes: Path | None = setting(
        "Folder of the benchmark's scenes. Default: the folder that the runs or the benchmark name."
    )
    out: Path = setting("Folder of the page.", default=Path("explained"))
    media: Path | None = setting("Folder that the paths of videos and pictures begin in. Default: the runs' own.")
    scorer: str | None = setting("Scorer whose scores are explained: official, careful … Default: the headline's.")
    draws: int = setting("Perceptions that are drawn at each level of noise, from 100.", default=1000, least=100)
    seed: int = setting("Seed of these, 0 or more.", default=0, least=0)
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


Port = Annotated[int, Setting("Port on 127.0.0.1, 0–65535; 0 takes a free one.", least=0, most=65535)]
Browser = Annotated[bool, Setting("Open the page in a browser.")]


@dataclass(frozen=True, kw_only=True)
class ScenesConfig:
    """Which scenes are shown or changed, and where."""

    path: Annotated[
        Path, Setting("Folder of scenes: Parquet, or VSI-Bench's meta-info.", positional=True, metavar="DIR")
    ]
    out: Path | None = setting("HTML file of the page. Default: scenes.html here; with --json, none.", writes="file")
    most: int = setting("Most scenes that get a floor plan on the page, from 0.", default=300, least=0)
    check: bool = setting(
        "Look for wrong axes, units, poses, focal lengths, times and boxes in scans before ingest. DIR is a folder "
        "with a scene.json, or of such folders.",
        default=False,
    )
    fix: Path | None = setting(
        "Corrected copy of the scans, for --check: a new or empty folder. Default: none.", writes="scans"
    )
    pick: str | None = setting(
        "Id of a scene, or its last part, in whose cloud boxes and a scale are picked, in a browser. Default: none.",
        metavar="SCENE",
    )
    port: Port = 0
    browser: Browser = True


@dataclass(frozen=True, kw_only=True)
class WatchConfig:
    """Which runs are watched, and where."""

    run: Annotated[Path, Setting("Folder of a run or of a suite's runs; they may go on.", positional=True)]
    port: Port = 0
    browser: Browser = True


@dataclass(frozen=True, kw_only=True)
class ViewConfig:
    """Which runs are looked at, and where."""

    paths: Annotated[
        tuple[Path, ...],
        Setting("Run folders, or the folder of a site that 'tolman report' wrote.", positional=True, repeated=True),
    ]
    port: Port = 0
    browser: Browser = True
    item: str | None = setting("Id of the item to open. Default: none, the table.")
    media: Path | None = setting("Folder that the paths of videos and pictures begin in. Default: the runs' own.")
    scenes: Path | None = setting(
        "Folder of the scenes, for floor plans. Default: the folder that the runs or the benchmark name."
    )


@dataclass(frozen=True, kw_only=True)
class PaperConfig:
    """Which paper is rebuilt from which runs."""

    paper: Annotated[str, Setting("Paper: vsi-bench, site, mmsi-bench or spatialbench.", positional=True)]
    runs: Annotated[
        tuple[Path, ...], Setting("Run folders of its benchmark, under any protocols.", positional=True, repeated=True)
    ]
    out: Path | None = setting("Folder to write. Default: paper-NAME.")
    labels: Path | None = setting(
        "Labels of error types: people's file, or labels.jsonl of 'tolman analyze errors'. Default: none."
    )
    scenes: Path | None = setting("Folder of the scenes that true maps are computed from. Default: the run's own.")
    downstream: Path | None = setting(
        "CSV of results of other tasks: a row for each model, its name first. Default: none."
    )
    lower_is_better: tuple[str, ...] = setting(
        "Column of --downstream whose sign is turned, such as a distance; repeatable. Default: those "
        "whose sign the paper turns.",
        default=(),
        repeated=True,
    )
    places: Path | None = setting(
        "TOML file that gives values of a label a question family or a place in taxonomies. Default: none."
    )
    before: str | None = setting(
        "Benchmark, folder, run, or stage of a curation with the questions before a selection, counted beside. "
        "Default: none."
    )


Benchmark = Annotated[
    Path | None,
    Setting(
        "Folder of the benchmark, or of a registered benchmark's data. Questions and media are compared with it. "
        "Default: none, they are taken as the receipt has them."
    ),
]
Signers = Annotated[
    Path | None,
    Setting(
        "File of allowed signers, as ssh-keygen reads it: a name, a key type and a public key on each line. Unsigned "
        "runs and other keys are refused. Default: none, any key will do."
    ),
]


@dataclass(frozen=True, kw_only=True)
class SealConfig:
    """Which run gets a receipt, and who signs it."""

    run: Annotated[Path, Setting("Run folder.", positional=True)]
    sign: Path | None = setting(
        "SSH key that signs the receipt: a private key, or the public key of one in an agent. Default: none.",
        metavar="KEY",
    )
    media: Path | None = setting("Folder that the paths of videos and pictures begin in. Default: the run's own.")


@dataclass(frozen=True, kw_only=True)
class VerifyConfig:
    """The run to verify, and its reference."""

    run: Annotated[
        str,
        Setting(
            "Run folder, or its address: https://, s3:// or gs://. With --commitment: folder of a fresh form.",
            positional=True,
        ),
    ]
    benchmark: Benchmark = None
    signers: Signers = None
    commitment: Path | None = setting(
        "File of the commitment (commitment.json) to the form that RUN names. Default: none, RUN is a run."
    )


@dataclass(frozen=True, kw_only=True)
class BoardConfig:
    """Which runs are ranked, and where."""

    folder: Annotated[Path, Setting("Folder of sealed run folders, up to three levels down.", positional=True)]
    out: Path = setting("Folder of the pages.", default=Path("board"))
    benchmark: Benchmark = None
    signers: Signers = None
