"""Commands on existing things: `tolman benchmarks`, `protocols`, `recipes`, `fetch`, `export`, `doctor`."""

from __future__ import annotations

from typing import Annotated

import typer

from tolman.commands.configured import Json, configured, console
from tolman.features.catalogue.config import (
    BenchmarksConfig,
    DoctorConfig,
    ExportConfig,
    FetchConfig,
    ProtocolsConfig,
    RecipesConfig,
    StoreExportConfig,
    StorePruneConfig,
    StoreShowConfig,
)
from tolman.features.printing import progress, say

app = typer.Typer()


@app.command()
@configured(BenchmarksConfig)
def benchmarks(config: BenchmarksConfig, as_json: Json = False) -> None:
    """List the benchmarks and suites, describe a benchmark, or print a suite's file, to be copied and edited.

    Example:  tolman benchmarks vsi-bench

    Example:  tolman benchmarks easi-8 > mine.toml
    """
    from tolman.features.catalogue.compute import list_benchmarks, list_suites
    from tolman.features.catalogue.render import show_benchmark, show_benchmarks, show_suite_file

    suites = list_suites(config)
    if config.name and suites:
        show_suite_file(console(), suites[0], as_json=as_json)
        return
    found = list_benchmarks(config)
    if config.name:
        show_benchmark(console(), found[0], as_json=as_json)
    else:
        show_benchmarks(console(), found, suites, as_json=as_json)


@app.command()
@configured(ProtocolsConfig)
def protocols(config: ProtocolsConfig, as_json: Json = False) -> None:
    """List the protocols: ways of asking, and ways of presenting that can be joined to them with '+'.

    Example:  tolman protocols
    """
    from tolman.features.catalogue.compute import list_protocols
    from tolman.features.catalogue.render import show_protocols

    show_protocols(console(), list_protocols(), as_json=as_json)


@app.command()
@configured(RecipesConfig)
def recipes(config: RecipesConfig, as_json: Json = False) -> None:
    """List how each model family is run by its authors, or describe one.

    The form of a video follows from a model's name; 'tolman run --recipe NAME' applies the other settings.

    Example:  tolman recipes qwen3-vl
    """
    from tolman.features.catalogue.compute import list_recipes
    from tolman.features.catalogue.render import show_recipe, show_recipes

    found = list_recipes(config)
    if config.name:
        show_recipe(console(), found[0], as_json=as_json)
    else:
        show_recipes(console(), found, as_json=as_json)


@app.command()
@configured(FetchConfig)
def fetch(
    config: FetchConfig,
    as_json: Json = False,
    dry_run: Annotated[
        bool,
        typer.Option(
            "--dry-run", help="Fetch the questions only, and say what media would come and how large they are."
        ),
    ] = False,
) -> None:
    """Fetch a benchmark's questions and media from the Hugging Face hub.

    Free disk space is checked first. The same command resumes an interrupted download, and does not fetch existing
    files again. The state of the questions is written into tolman.lock, which runs in this folder keep to.

    Example:  tolman fetch vsi-bench

    Example:  tolman fetch site --subset image --dry-run

    Example:  tolman fetch mmsi-bench --update
    """
    from tolman.features.catalogue.compute import fetch as carry_out
    from tolman.features.catalogue.render import show_fetched

    with progress() as events:
        result = carry_out(config, events, dry_run=dry_run)
    show_fetched(console(), result, as_json=as_json)


@app.command()
@configured(ExportConfig)
def export(config: ExportConfig, as_json: Json = False) -> None:
    """Write a benchmark, or the results of runs, in the form of another program.

    Example:  tolman export ./mybench --as lmms-eval --out tasks

    Example:  tolman export mmsi-bench --as inspect --out mmsi --set name=mmsi

    Example:  tolman export runs/vsi-bench-full/my-model-direct --as model-index --out card
    """
    from tolman.features.catalogue.compute import export as carry_out
    from tolman.features.catalogue.render import show_export

    with progress() as events:
        result = carry_out(config, events)
    show_export(console(), result, as_json=as_json)


@app.command()
@configured(DoctorConfig)
def doctor(config: DoctorConfig, as_json: Json = False) -> None:
    """Check extras, rendering, videos, keys and stores on this machine, and say how to repair those that fail.

    It ends with exit code 1 if something that an option asks for doesn't work, else with 0.

    Example:  tolman doctor

    Example:  tolman doctor --extra media --base-url http://localhost:8000/v1
    """
    from tolman.features.catalogue.doctor import diagnose
    from tolman.features.catalogue.render import show_diagnosis

    with progress() as events:
        result = diagnose(config, events)
    show_diagnosis(console(), result, as_json=as_json)
    if result.failed:
        raise typer.Exit(1)


store_app = typer.Typer(no_args_is_help=True, help="Show, prune or export the answers that models gave.")


@store_app.command("show")
@configured(StoreShowConfig, command="store-show")
def store_show(config: StoreShowConfig, as_json: Json = False) -> None:
    """Count the answers of each model.

    Example:  tolman store show
    """
    from tolman.features.catalogue.compute import summarize_store
    from tolman.features.catalogue.render import show_store

    show_store(console(), summarize_store(config), as_json=as_json)


@store_app.command("prune")
@configured(StorePruneConfig, command="store-prune")
def store_prune(config: StorePruneConfig) -> None:
    """Delete answers, so that they are asked for again.

    Example:  tolman store prune --model openai/my-model --older-than 30
    """
    from tolman.features.catalogue.compute import prune_store

    say(console(), f"Deleted: {prune_store(config):,} answers.")


@store_app.command("export")
@configured(StoreExportConfig, command="store-export")
def store_export(config: StoreExportConfig) -> None:
    """Write all answers with their requests to a JSONL file.

    Example:  tolman store export answers.jsonl
    """
    from tolman.features.catalogue.compute import export_store

    say(console(), f"Written: {export_store(config):,} answers to {config.out}.")
