"""`tolman review`, with its output."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer.main

from tolman import features
from tolman.commands.configured import Json, configured, console, show
from tolman.features.review.config import ReviewConfig
from tolman.features.review.render import (
    show_backup,
    show_exported,
    show_listening,
    show_marked,
    show_people,
    show_study,
    show_upgraded,
)

app = typer.Typer()
actions = typer.Typer()
"""What else is done with a review: `tolman review backup BENCH`, say."""

Bench = Annotated[str, typer.Argument(help="Name or folder of the reviewed benchmark.")]
Store = Annotated[Path | None, typer.Option(help="Folder of the work's database. Default: BENCHMARK-review.")]
Url = Annotated[
    str | None, typer.Option("--database", help="URL of a PostgreSQL database. Default: SQLite in the store.")
]
Pool = Annotated[Path | None, typer.Option(help="Folder of the media pool, with the files that people added to it.")]
Scenes = Annotated[Path | None, typer.Option(help="Folder of the scenes that people corrected.")]


class WithActions(typer.core.TyperCommand):
    """The command, unless its first argument names an action; a benchmark of such a name is given as ./backup."""

    def make_context(self, info_name: str | None, args: list[str], parent: Any = None, **extra: Any) -> Any:
        """Prepare an action or the command itself."""
        group: Any = typer.main.get_command(actions)
        action = group.commands.get(args[0]) if args else None
        if action is not None:
            return action.make_context(f"{info_name} {args[0]}", args[1:], parent, **extra)
        return super().make_context(info_name, args, parent, **extra)


@app.command(cls=WithActions)
@configured(ReviewConfig)
def review(config: ReviewConfig, as_json: Json = False) -> Path | None:
    """Serve the web application in which people answer and check a benchmark's questions, or write the results.

    Example:  tolman review my-bench --port 8000

    Example:  tolman review new-bench --pool my-pool --uploads 50

    Example:  tolman review my-bench --runs runs/people

    Example:  tolman review vsi-bench --errors-of runs/vsi-bench-full/my-model-cot

    Example:  tolman review my-bench --verify pool/verify/review.jsonl --rig yard

    Example:  tolman review my-bench --ask anna,ben,carla

    Example:  tolman review my-bench --study study.toml

    Example:  tolman review my-bench --people people.csv

    Example:  tolman review my-bench --export my-bench-2

    Example:  tolman review backup my-bench --out review.tar   (also: check, restore, upgrade; each has --help)
    """
    features.review.compute.check(config)
    if config.runs is not None:
        written = features.review.compute.export_review_runs(config)
        if not as_json:
            show_marked(console(), written)
        show(*written.folders, as_json=as_json)
        return written.out
    if config.people is not None:
        written_to = features.review.compute.export_people(config)
        show_people(console(), written_to, as_json=as_json)
        return written_to
    if config.export is not None:
        exported = features.review.compute.export_reviewed(config)
        show_exported(console(), exported, as_json=as_json)
        return exported.out
    features.review.compute.serve_review(config, lambda listening: show_listening(console(), listening))
    return None


@actions.command("check")
def check_study(
    bench: Bench,
    study: Annotated[str, typer.Option(help="The path of a TOML file, or site, mmsi-bench or spatialbench.")],
    data: Annotated[
        Path | None, typer.Option(help="Folder with the benchmark's released data. Default: the Hugging Face hub.")
    ] = None,
    subset: Annotated[str | None, typer.Option(help="Named part of the benchmark. Default: its first.")] = None,
    pool: Annotated[Path | None, typer.Option(help="Folder of the media pool to write questions from.")] = None,
    as_json: Json = False,
) -> None:
    """Draw a study, and summarise each person's questions and the gaps in its figures; nothing is started.

    Example:  tolman review check my-bench --study study.toml
    """
    found = features.review.compute.check_study(
        ReviewConfig(benchmark=bench, data=data, subset=subset, pool=pool), study
    )
    show_study(console(), found, as_json=as_json)


@actions.command()
def backup(
    bench: Bench,
    out: Annotated[Path, typer.Option(help="File that the backup is written into; it must not be there.")],
    store: Store = None,
    database: Url = None,
    pool: Pool = None,
    scenes: Scenes = None,
) -> None:
    """Write all rows, keys and files of a review into one file; the server may run meanwhile.

    Example:  tolman review backup my-bench --out review.tar
    """
    places = features.review.compute.BackupPlaces(
        store=store or features.review.compute.store_of(bench), database=database, pool=pool, scenes=scenes
    )
    show_backup(console(), features.review.compute.backup_review(places, out), "Written")


@actions.command()
def restore(
    bench: Bench,
    backup: Annotated[Path, typer.Option("--from", help="File that 'tolman review backup' wrote.")],
    store: Store = None,
    database: Url = None,
    pool: Pool = None,
    scenes: Scenes = None,
) -> None:
    """Give everything of a backup back, into an empty store and an empty database, of either kind.

    Example:  tolman review restore my-bench --from review.tar
    """
    places = features.review.compute.BackupPlaces(
        store=store or features.review.compute.store_of(bench), database=database, pool=pool, scenes=scenes
    )
    show_backup(console(), features.review.compute.restore_review(places, backup), "Restored")


@actions.command()
def upgrade(
    bench: Bench,
    backup: Annotated[
        Path | None, typer.Option(help="File that a backup is written into before. Default: none.")
    ] = None,
    store: Store = None,
    database: Url = None,
) -> None:
    """Bring a review's database to this version's tables, as a start of the server does.

    Example:  tolman review upgrade my-bench --backup before.tar
    """
    places = features.review.compute.BackupPlaces(
        store=store or features.review.compute.store_of(bench), database=database
    )
    show_upgraded(console(), *features.review.compute.upgrade_review(places, backup))
