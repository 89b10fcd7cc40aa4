"""Commands on existing things: `tolman benchmarks`, `protocols`, `metrics`, `recipes`, `fetch`, `export`, `doctor`.

`tolman analyze` and `tolman figure` have a command for each analysis and kind of figure, those of plugins included.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any, ClassVar

import typer
import typer.core
from rich.console import Console
from rich.table import Table

from tolman import features
from tolman.commands.configured import Incomplete, Json, configured, console
from tolman.errors import counted
from tolman.features.analyses import ANALYSES, Analysis
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
from tolman.features.figures import FIGURES, FigureKind
from tolman.features.printing import progress, say, write_json
from tolman.registry import Registry
from tolman.runtime import stoppable

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


class RegistryGroup(typer.core.TyperGroup):
    """A group whose commands are the members of a registry, made as they are looked up."""

    registry: ClassVar[Registry]

    def make(self, thing: Any) -> Callable[..., None]:
        """Make the body of a member's command."""
        raise NotImplementedError

    def list_commands(self, ctx: Any) -> list[str]:
        """Their names."""
        return self.registry.names()

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """The command of one.

        Raises:
            UsageError: the registry has none of that name.
        """
        alone = typer.Typer(add_completion=False, rich_markup_mode="rich")
        alone.command(cmd_name)(self.make(self.registry.get(cmd_name)))
        return typer.main.get_command(alone)


def analysis_command(analysis: Analysis[Any, Any]) -> Callable[..., None]:
    """Make a function that Typer takes as a command: an option for each field of its config, and `--json`."""

    def body(config: Any, as_json: Json = False) -> Path | None:
        with stoppable(), progress() as events:
            result = analysis.run(config, events)
        if as_json:
            write_json(console(), analysis.to_json(result), ascii_only=False)
        else:
            _print(console(), analysis.show(result))
        out = getattr(config, "out", None)
        if not analysis.is_complete(result):
            raise Incomplete(out)
        return out if isinstance(out, Path) else None

    body.__doc__ = _help("analyze", analysis.title, analysis.examples)
    return configured(analysis.config, f"analyze-{analysis.name}")(body)


def figure_command(kind: FigureKind) -> Callable[..., None]:
    """Make a function that Typer takes as a command: an option for each field of the kind's config."""

    def body(config: Any) -> None:
        with progress() as events:
            result = features.figures.compute.draw_figure(kind, config, events)
        shown = console()
        for note in result.chart.notes:
            say(shown, note)
        say(shown, f"{result.out}" + (f", values in {result.csv}" if result.csv else ""))

    body.__doc__ = _help("figure", kind.title, kind.examples)
    return configured(kind.config, f"figure-{kind.name}")(body)


class AnalysisGroup(RegistryGroup):
    """The analyses."""

    registry = ANALYSES

    def make(self, thing: Analysis[Any, Any]) -> Callable[..., None]:
        """Make the body of an analysis's command."""
        return analysis_command(thing)


class FigureGroup(RegistryGroup):
    """The kinds of figures."""

    registry = FIGURES

    def make(self, thing: FigureKind) -> Callable[..., None]:
        """Make the body of a figure's command."""
        return figure_command(thing)


analyze_app = typer.Typer(
    cls=AnalysisGroup,
    no_args_is_help=True,
    help="Analyse scores and questions: vision ablation, shortcut bias, correlation, error types, cognitive maps …",
)
figure_app = typer.Typer(
    cls=FigureGroup,
    no_args_is_help=True,
    help="Draw figures of runs and benchmarks: bars, dots, radar, deltas, curves, scatter, confusions, maps … "
    "SVG, PDF or PNG.",
)


def _help(command: str, title: str, examples: tuple[str, ...]) -> str:
    return "\n\n".join([title, *(f"Example:  tolman {command} {example}" for example in examples)])


def _print(shown: Console, parts: Any) -> None:
    for part in [parts] if isinstance(parts, str) else parts:
        if isinstance(part, Table):
            features.report.render.print_wide(shown, part)
        else:
            say(shown, part)
