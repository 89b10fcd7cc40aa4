"""`tolman curate`: existing question sets into one benchmark."""

from __future__ import annotations

from pathlib import Path

import typer

from tolman.commands.configured import Incomplete, configured
from tolman.commands.options import Json, console
from tolman.workflows.curate import (
    CurateCategoriesConfig,
    CurateConfig,
    CurateDuplicatesConfig,
    CurateImportConfig,
    CurateMappingsConfig,
)

app = typer.Typer(
    no_args_is_help=True,
    help="""Existing question sets into one benchmark.

    Example:  tolman curate run site.toml --out pool

    Example:  tolman curate import vsi-bench data/vsi-bench --out pool
    """,
)


@app.command()
@configured(CurateConfig, command="curate-run")
def run(config: CurateConfig, as_json: Json = False) -> Path:
    """Carry out a recipe: import, filter, convert, stratify, verify and publish. The same command goes on.

    Example:  tolman curate run site.toml --out pool

    Example:  tolman curate run site.toml --out pool --until classify --model openai/NAME --base-url URL
    """
    from tolman.commands.show.curate import show_curated
    from tolman.commands.show.progress import progress
    from tolman.runtime import stoppable
    from tolman.workflows.curate import curate

    with stoppable(), progress() as events:
        result = curate(config, events)
    show_curated(console(), result, as_json=as_json)
    if result.failed:
        raise Incomplete(result.out)
    return result.out


@app.command("import")
@configured(CurateImportConfig, command="curate-import")
def import_one(config: CurateImportConfig, as_json: Json = False) -> Path:
    """Read one question set into a pool, to see what a mapping makes of it.

    Example:  tolman curate import vsi-bench data/vsi-bench --out pool
    """
    from tolman.commands.show.curate import show_imported
    from tolman.commands.show.progress import progress
    from tolman.runtime import stoppable
    from tolman.workflows.curate import import_questions

    with stoppable(), progress() as events:
        result = import_questions(config, events)
    show_imported(console(), result, as_json=as_json)
    return config.out


@app.command()
@configured(CurateMappingsConfig, command="curate-mappings")
def mappings(config: CurateMappingsConfig, as_json: Json = False) -> None:
    """List the question sets that can be read by name, or show one mapping.

    Example:  tolman curate mappings vsi-bench
    """
    from tolman.commands.show.curate import show_mapping, show_mappings
    from tolman.workflows.curate import list_mappings

    found = list_mappings(config)
    if config.name:
        show_mapping(console(), found[0], as_json=as_json)
    else:
        show_mappings(console(), found, as_json=as_json)


@app.command()
@configured(CurateCategoriesConfig, command="curate-categories")
def categories(config: CurateCategoriesConfig) -> None:
    """Let a model group the question sets' own labels into coarse categories, for you to edit and use.

    Example:  tolman curate categories site.toml --pool pool --out my-taxonomy.toml
    """
    from tolman.commands.show.curate import show_categories
    from tolman.commands.show.progress import progress
    from tolman.runtime import stoppable
    from tolman.workflows.curate import induce_categories

    with stoppable(), progress() as events:
        taxonomy = induce_categories(config, events)
    show_categories(console(), taxonomy, config.out)


@app.command()
@configured(CurateDuplicatesConfig, command="curate-duplicates")
def duplicates(config: CurateDuplicatesConfig, as_json: Json = False) -> None:
    """Find questions that stand in a benchmark twice, or in another benchmark too.

    Example:  tolman curate duplicates ./my-bench vsi-bench --against-data data/vsi-bench
    """
    from tolman.commands.show.curate import show_duplicates
    from tolman.commands.show.progress import progress
    from tolman.runtime import stoppable
    from tolman.workflows.curate import find_duplicates

    with stoppable(), progress() as events:
        result = find_duplicates(config, events)
    show_duplicates(console(), result, as_json=as_json)
