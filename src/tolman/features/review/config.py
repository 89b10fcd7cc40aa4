"""Settings of `tolman review`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from tolman.features.config import Setting

_SERVING, _WRITING = "The server", "Writing the results instead of serving"


@dataclass(frozen=True, kw_only=True)
class ReviewConfig:
    """Settings of a review: the benchmark, the server, and the results to write."""

    benchmark: Annotated[str, Setting("Name or folder of a benchmark.", positional=True)]
    data: Annotated[
        Path | None, Setting("Folder with the benchmark's released data. Default: the Hugging Face hub.")
    ] = None
    subset: Annotated[
        str | None, Setting("Named part of the benchmark, see 'tolman benchmarks NAME'. Default: its first.")
    ] = None
    store: Annotated[
        Path | None,
        Setting(
            "Folder of the work's database. Default: BENCHMARK-review beside the benchmark's folder.", writes="review"
        ),
    ] = None
    database: Annotated[
        str | None,
        Setting(
            "URL of a PostgreSQL database, postgresql://USER:PASSWORD@HOST/NAME; never written into a config file. "
            "Default: SQLite in the store.",
            secret=True,
        ),
    ] = None
    scenes: Annotated[
        Path | None, Setting("Folder of the scenes that the benchmark was generated from. Default: as it says.")
    ] = None
    pool: Annotated[
        Path | None, Setting("Folder of the media pool to write questions from; BENCHMARK may then be a new folder.")
    ] = None
    uploads: Annotated[
        int,
        Setting(
            "Size of a file that annotators may add to the pool, 0 (none may be added) to 10,000 megabytes.",
            least=0,
            most=10_000,
        ),
    ] = 0
    errors_of: Annotated[
        tuple[Path, ...],
        Setting("Folder of a run whose errors people label; may be given several times.", repeated=True),
    ] = ()
    verify: Annotated[
        tuple[Path, ...],
        Setting(
            "Models' answers to verify by: a review.jsonl or a run's folder; may be given several times.",
            repeated=True,
        ),
    ] = ()
    try_model: Annotated[
        tuple[str, ...],
        Setting(
            "Model that tries each question while it is written, without its media and from one picture alone; named "
            "as for 'tolman run --model'; may be given several times.",
            repeated=True,
        ),
    ] = ()
    rig: Annotated[
        tuple[Path, ...],
        Setting("Folder of a LiDAR rig or a collection, to measure in; may be given several times.", repeated=True),
    ] = ()
    study: Annotated[
        str | None,
        Setting("Study to start: the path of a TOML file, or site, mmsi-bench or spatialbench. Default: none."),
    ] = None
    ask: Annotated[
        tuple[str, ...],
        Setting("People to ask, by names: each gets a link of their own, and all the same questions. Default: none."),
    ] = ()
    questions: Annotated[int, Setting("Questions for each of them, from 1; all where there are fewer.", least=1)] = 20
    host: Annotated[str, Setting("Address to listen on; 0.0.0.0 lets other machines in.", panel=_SERVING)] = "127.0.0.1"
    port: Annotated[
        int, Setting("Port to listen on, 0 (any that is free) to 65535.", least=0, most=65535, panel=_SERVING)
    ] = 8000
    base_url: Annotated[
        str | None,
        Setting(
            "Address under which people reach the server, such as https://NAME or https://NAME/PATH; links are made "
            "with it. Default: http://HOST:PORT.",
            panel=_SERVING,
        ),
    ] = None
    proxy: Annotated[
        tuple[str, ...],
        Setting(
            "Address of a proxy whose X-Forwarded-For and -Proto are believed; may be given several times. Default: "
            "none.",
            repeated=True,
            panel=_SERVING,
        ),
    ] = ()
    allowed_host: Annotated[
        tuple[str, ...],
        Setting(
            "Further name by which the server may be called, in addition to that of --base-url; may be given several "
            "times. Default: any where there is no --base-url.",
            repeated=True,
            panel=_SERVING,
        ),
    ] = ()
    workers: Annotated[
        int,
        Setting(
            "Number of processes that serve, 1 to 64.",
            least=1,
            most=64,
            panel=_SERVING,
        ),
    ] = 1
    idle_hours: Annotated[
        float,
        Setting(
            "Hours without a request after which one signs in again, 0.1 to 720.", least=0.1, most=720.0, panel=_SERVING
        ),
    ] = 24.0
    session_hours: Annotated[
        float,
        Setting(
            "Hours after which one signs in again in any case, 0.1 to 2,160.", least=0.1, most=2160.0, panel=_SERVING
        ),
    ] = 288.0
    log: Annotated[
        Path | None,
        Setting(
            "File that a line of JSON is added to for each request, '-' for the error output. Default: none.",
            panel=_SERVING,
            writes="log",
        ),
    ] = None
    runs: Annotated[
        Path | None,
        Setting("Folder that each subject's answers are written into as a run.", panel=_WRITING, writes="runs"),
    ] = None
    with_excluded: Annotated[
        bool, Setting("Write runs of people as well whom a study's rules leave out.", panel=_WRITING)
    ] = False
    people: Annotated[
        Path | None, Setting("CSV file for times and pay of everybody in a study.", panel=_WRITING, writes="file")
    ] = None
    export: Annotated[
        Path | None, Setting("Folder that the reviewed benchmark is written into.", panel=_WRITING, writes="benchmark")
    ] = None
    project: Annotated[
        str | None, Setting("Name of the project that is written. Default: the only one.", panel=_WRITING)
    ] = None
    undecided: Annotated[bool, Setting("Export items without a decision as well.", panel=_WRITING)] = False
    without_marked: Annotated[
        bool,
        Setting("Leave out answers given too fast or before their media could be seen, and say so.", panel=_WRITING),
    ] = False
