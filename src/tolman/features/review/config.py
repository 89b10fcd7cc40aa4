"""Settings of `tolman review`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from tolman.features.config import Setting, setting

_SERVING, _WRITING = "The server", "Writing the results instead of serving"


@dataclass(frozen=True, kw_only=True)
class ReviewConfig:
    """Settings of a review: the benchmark, the server, and the results to write."""

    benchmark: Annotated[str, Setting("Name or folder of a benchmark.", positional=True)]
    data: Path | None = setting("Folder with the benchmark's released data. Default: the Hugging Face hub.")
    subset: str | None = setting("Named part of the benchmark, see 'tolman benchmarks NAME'. Default: its first.")
    store: Path | None = setting(
        "Folder of the work's database. Default: BENCHMARK-review beside the benchmark's folder.", writes="review"
    )
    database: str | None = setting(
        "URL of a PostgreSQL database, postgresql://USER:PASSWORD@HOST/NAME; never written into a config file. "
        "Default: SQLite in the store.",
        secret=True,
    )
    scenes: Path | None = setting("Folder of the scenes that the benchmark was generated from. Default: as it says.")
    pool: Path | None = setting("Folder of the media pool to write questions from; BENCHMARK may then be a new folder.")
    uploads: int = setting(
        "Size of a file that annotators may add to the pool, 0 (none may be added) to 10,000 megabytes.",
        default=0,
        least=0,
        most=10_000,
    )
    errors_of: tuple[Path, ...] = setting(
        "Folder of a run whose errors people label; may be given several times.", default=(), repeated=True
    )
    verify: tuple[Path, ...] = setting(
        "Models' answers to verify by: a review.jsonl or a run's folder; may be given several times.",
        default=(),
        repeated=True,
    )
    try_model: tuple[str, ...] = setting(
        "Model that tries each question while it is written, without its media and from one picture alone; named "
        "as for 'tolman run --model'; may be given several times.",
        default=(),
        repeated=True,
    )
    rig: tuple[Path, ...] = setting(
        "Folder of a LiDAR rig or a collection, to measure in; may be given several times.", default=(), repeated=True
    )
    study: str | None = setting(
        "Study to start: the path of a TOML file, or site, mmsi-bench or spatialbench. Default: none."
    )
    ask: tuple[str, ...] = setting(
        "People to ask, by names: each gets a link of their own, and all the same questions. Default: none.", default=()
    )
    questions: int = setting("Questions for each of them, from 1; all where there are fewer.", default=20, least=1)
    host: str = setting("Address to listen on; 0.0.0.0 lets other machines in.", default="127.0.0.1", panel=_SERVING)
    port: int = setting(
        "Port to listen on, 0 (any that is free) to 65535.", default=8000, least=0, most=65535, panel=_SERVING
    )
    base_url: str | None = setting(
        "Address under which people reach the server, such as https://NAME or https://NAME/PATH; links are made "
        "with it. Default: http://HOST:PORT.",
        panel=_SERVING,
    )
    proxy: tuple[str, ...] = setting(
        "Address of a proxy whose X-Forwarded-For and -Proto are believed; may be given several times. Default: none.",
        default=(),
        repeated=True,
        panel=_SERVING,
    )
    allowed_host: tuple[str, ...] = setting(
        "Further name by which the server may be called, in addition to that of --base-url; may be given several "
        "times. Default: any where there is no --base-url.",
        default=(),
        repeated=True,
        panel=_SERVING,
    )
    workers: int = setting("Number of processes that serve, 1 to 64.", default=1, least=1, most=64, panel=_SERVING)
    idle_hours: float = setting(
        "Hours without a request after which one signs in again, 0.1 to 720.",
        default=24.0,
        least=0.1,
        most=720.0,
        panel=_SERVING,
    )
    session_hours: float = setting(
        "Hours after which one signs in again in any case, 0.1 to 2,160.",
        default=288.0,
        least=0.1,
        most=2160.0,
        panel=_SERVING,
    )
    log: Path | None = setting(
        "File that a line of JSON is added to for each request, '-' for the error output. Default: none.",
        panel=_SERVING,
        writes="log",
    )
    runs: Path | None = setting(
        "Folder that each subject's answers are written into as a run.", panel=_WRITING, writes="runs"
    )
    with_excluded: bool = setting(
        "Write runs of people as well whom a study's rules leave out.", default=False, panel=_WRITING
    )
    people: Path | None = setting("CSV file for times and pay of everybody in a study.", panel=_WRITING, writes="file")
    export: Path | None = setting(
        "Folder that the reviewed benchmark is written into.", panel=_WRITING, writes="benchmark"
    )
    project: str | None = setting("Name of the project that is written. Default: the only one.", panel=_WRITING)
    undecided: bool = setting("Export items without a decision as well.", default=False, panel=_WRITING)
    without_marked: bool = setting(
        "Leave out answers given too fast or before their media could be seen, and say so.",
        default=False,
        panel=_WRITING,
    )
