"""Commands on existing things: `tolman benchmarks`, `protocols`, `metrics`, `recipes`, `fetch`, `export`, `doctor`."""

from __future__ import annotations

from typing import Annotated

import typer

from tolman import features
from tolman.commands.configured import Json, configured, console
from tolman.errors import counted
from tolman.features.catalogue.config import (
    BenchmarksConfig,
    DoctorConfig,
    ExportConfig,
    FetchConfig,
    MetricsConfig,
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
    suites = features.catalogue.compute.list_suites(config)
    if config.name and suites:
        features.catalogue.render.show_suite_file(console(), suites[0], as_json=as_json)
        return
    found = features.catalogue.compute.list_benchmarks(config)
    if config.name:
        features.catalogue.render.show_benchmark(console(), found[0], as_json=as_json)
    else:
        features.catalogue.render.show_benchmarks(console(), found, suites, as_json=as_json)


@app.command()
@configured(ProtocolsConfig)
def protocols(config: ProtocolsConfig, as_json: Json = False) -> None:
    """List the protocols: ways of asking, and ways of presenting that can be joined to them with '+'.

    Example:  tolman protocols
    """
    features.catalogue.render.show_protocols(console(), features.catalogue.compute.list_protocols(), as_json=as_json)


@app.command()
@configured(MetricsConfig)
def metrics(config: MetricsConfig, as_json: Json = False) -> None:
    """List the metrics, for '--metrics' and for the columns of a benchmark's table.

    Example:  tolman metrics
    """
    features.catalogue.render.show_metrics(console(), features.catalogue.compute.list_metrics(), as_json=as_json)


@app.command()
@configured(RecipesConfig)
def recipes(config: RecipesConfig, as_json: Json = False) -> None:
    """List how each model family is run by its authors, or describe one.

    The form of a video follows from a model's name; 'tolman run --recipe NAME' applies the other settings.

    Example:  tolman recipes qwen3-vl
    """
    found = features.catalogue.compute.list_recipes(config)
    if config.name:
        features.catalogue.render.show_recipe(console(), found[0], as_json=as_json)
    else:
        features.catalogue.render.show_recipes(console(), found, as_json=as_json)


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
    with progress() as events:
        result = features.catalogue.compute.fetch(config, events, dry_run=dry_run)
    features.catalogue.render.show_fetched(console(), result, as_json=as_json)


@app.command()
@configured(ExportConfig)
def export(config: ExportConfig, as_json: Json = False) -> None:
    """Write a benchmark, or the results of runs, in the form of another program.

    Example:  tolman export ./mybench --as lmms-eval --out tasks

    Example:  tolman export mmsi-bench --as inspect --out mmsi --set name=mmsi

    Example:  tolman export runs/vsi-bench-full/my-model-direct --as model-index --out card
    """
    with progress() as events:
        result = features.catalogue.compute.export(config, events)
    features.catalogue.render.show_export(console(), result, as_json=as_json)


@app.command()
@configured(DoctorConfig)
def doctor(config: DoctorConfig, as_json: Json = False) -> None:
    """Check extras, rendering, videos, keys and stores on this machine, and say how to repair those that fail.

    It ends with exit code 1 if something that an option asks for doesn't work, else with 0.

    Example:  tolman doctor

    Example:  tolman doctor --extra media --base-url http://localhost:8000/v1
    """
    with progress() as events:
        result = features.catalogue.doctor.diagnose(config, events)
    features.catalogue.render.show_diagnosis(console(), result, as_json=as_json)
    if result.failed:
        raise typer.Exit(1)


store_app = typer.Typer(no_args_is_help=True, help="Show, prune or export the answers that models gave.")


@store_app.command("show")
@configured(StoreShowConfig, command="store-show")
def store_show(config: StoreShowConfig, as_json: Json = False) -> None:
    """Count the answers of each model.

    Example:  tolman store show
    """
    features.catalogue.render.show_store(console(), features.catalogue.compute.summarize_store(config), as_json=as_json)


@store_app.command("prune")
@configured(StorePruneConfig, command="store-prune")
def store_prune(config: StorePruneConfig) -> None:
    """Delete answers, so that they are asked for again.

    Example:  tolman store prune --model openai/my-model --older-than 30
    """
    say(console(), f"Deleted: {counted(features.catalogue.compute.prune_store(config), 'answer')}.")


@store_app.command("export")
@configured(StoreExportConfig, command="store-export")
def store_export(config: StoreExportConfig) -> None:
    """Write all answers with their requests to a JSONL file.

    Example:  tolman store export answers.jsonl
    """
    say(console(), f"Written: {counted(features.catalogue.compute.export_store(config), 'answer')} to {config.out}.")
