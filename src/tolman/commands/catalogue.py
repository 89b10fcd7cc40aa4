"""`tolman benchmarks`, `protocols` and `recipes`."""

from __future__ import annotations

import typer

from tolman.commands.configured import configured
from tolman.commands.options import Json, console
from tolman.workflows.catalogue import BenchmarksConfig, ProtocolsConfig
from tolman.workflows.recipes import RecipesConfig

app = typer.Typer()


@app.command()
@configured(BenchmarksConfig)
def benchmarks(config: BenchmarksConfig, as_json: Json = False) -> None:
    """List the benchmarks and suites, describe a benchmark, or print a suite's file, to be copied and edited.

    Example:  tolman benchmarks vsi-bench

    Example:  tolman benchmarks easi-8 > mine.toml
    """
    from tolman.commands.show.catalogue import show_benchmark, show_benchmarks, show_suite_file
    from tolman.workflows.catalogue import list_benchmarks, list_suites

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
    from tolman.commands.show.catalogue import show_protocols
    from tolman.workflows.catalogue import list_protocols

    show_protocols(console(), list_protocols(), as_json=as_json)


@app.command()
@configured(RecipesConfig)
def recipes(config: RecipesConfig, as_json: Json = False) -> None:
    """List how each model family is run by its authors, or describe one.

    What a video becomes is taken from a model's name; the other settings with 'tolman run --recipe NAME'.

    Example:  tolman recipes qwen3-vl
    """
    from tolman.commands.show.recipes import show_recipe, show_recipes
    from tolman.workflows.recipes import list_recipes

    found = list_recipes(config)
    if config.name:
        show_recipe(console(), found[0], as_json=as_json)
    else:
        show_recipes(console(), found, as_json=as_json)
