"""`tolman curate`: existing question sets into one benchmark."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tolman.commands.options import Data, Json, StorePath, Subset, console

app = typer.Typer(
    no_args_is_help=True,
    help="""Existing question sets into one benchmark.

    Example:  tolman curate run site.toml --out pool

    Example:  tolman curate import vsi-bench data/vsi-bench --out pool
    """,
)

Pool = Annotated[Path, typer.Option("--out", help="Folder of the pool: all stages, their findings, the benchmark.")]


@app.command()
def run(
    recipe: Annotated[Path, typer.Argument(help="TOML file that says what the benchmark is made of.")],
    out: Pool,
    until: Annotated[
        str | None,
        typer.Option(help="Last stage: import, duplicates, classify, convert, stratify, verify or benchmark."),
    ] = None,
    model: Annotated[str | None, typer.Option(help="Instead of the one that the recipe classifies with.")] = None,
    base_url: Annotated[str | None, typer.Option(help="Of that model's endpoint.")] = None,
    concurrency: Annotated[int | None, typer.Option(min=1, help="Most requests in flight to it.")] = None,
    store: StorePath = None,
    as_json: Json = False,
) -> None:
    """Carry out a recipe: import, filter, convert, stratify, verify and publish. The same command goes on.

    Example:  tolman curate run site.toml --out pool

    Example:  tolman curate run site.toml --out pool --until classify --model openai/NAME --base-url URL
    """
    from tolman.reports.curation import run_recipe

    changes = {"model": model, "base_url": base_url, "concurrency": concurrency}
    given = {name: value for name, value in changes.items() if value is not None}
    whole = run_recipe(console(), console(stderr=True), recipe, out, until, given, store, as_json=as_json)
    if not whole:
        raise typer.Exit(1)


@app.command("import")
def import_one(
    mapping: Annotated[str, typer.Argument(help="Name of a mapping ('tolman curate mappings'), or a TOML file.")],
    data: Annotated[Path, typer.Argument(help="File or folder with the questions.")],
    out: Pool,
    media: Annotated[Path | None, typer.Option(help="Folder of the media. Default: the data's.")] = None,
    as_json: Json = False,
) -> None:
    """Read one question set into a pool, to see what a mapping makes of it.

    Example:  tolman curate import vsi-bench data/vsi-bench --out pool
    """
    from tolman.reports.curation import import_source

    import_source(console(), console(stderr=True), mapping, data, media, out, as_json=as_json)


@app.command()
def mappings(
    name: Annotated[str | None, typer.Argument(help="One mapping, with all that is known of it.")] = None,
    as_json: Json = False,
) -> None:
    """List the question sets that can be read by name, or show one mapping.

    Example:  tolman curate mappings vsi-bench
    """
    from tolman.reports.curation import print_mapping, print_mappings

    print_mapping(console(), name, as_json=as_json) if name else print_mappings(console(), as_json=as_json)


@app.command()
def categories(
    recipe: Annotated[Path, typer.Argument(help="Recipe whose classifying model is asked.")],
    out: Annotated[Path, typer.Option(help="TOML file of the taxonomy that comes out.")],
    pool: Annotated[Path, typer.Option(help="Pool into which the recipe's question sets were imported.")],
    count: Annotated[int, typer.Option(min=2, max=20, help="How many categories.")] = 6,
    model: Annotated[str | None, typer.Option(help="Instead of the recipe's.")] = None,
    base_url: Annotated[str | None, typer.Option(help="Of that model's endpoint.")] = None,
    store: StorePath = None,
) -> None:
    """Let a model group the question sets' own labels into coarse categories, for you to edit and use.

    Example:  tolman curate categories site.toml --pool pool --out my-taxonomy.toml
    """
    from tolman.reports.curation import induce_categories

    given = {name: value for name, value in {"model": model, "base_url": base_url}.items() if value is not None}
    induce_categories(console(), recipe, pool, out, count, given, store)


@app.command()
def duplicates(
    benchmark: Annotated[str, typer.Argument(help="A benchmark's name, or a folder that is one.")],
    against: Annotated[str | None, typer.Argument(help="Another that it may share questions with.")] = None,
    data: Data = None,
    subset: Subset = None,
    against_data: Annotated[Path | None, typer.Option(help="Folder with the other's data.")] = None,
    against_subset: Annotated[str | None, typer.Option(help="Part of the other.")] = None,
    names_only: Annotated[bool, typer.Option("--names-only", help="Tell media apart by their names alone.")] = False,
    out: Annotated[Path | None, typer.Option(help="JSON Lines of what was found.")] = None,
    as_json: Json = False,
) -> None:
    """Find questions that stand in a benchmark twice, or in another benchmark too.

    Example:  tolman curate duplicates ./my-bench vsi-bench --against-data data/vsi-bench
    """
    from tolman.reports.curation import find_duplicates

    find_duplicates(
        console(), (benchmark, data, subset), (against, against_data, against_subset) if against else None,
        pictures=not names_only, out=out, as_json=as_json,
    )  # fmt: skip
