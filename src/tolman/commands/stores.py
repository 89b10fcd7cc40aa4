"""`tolman store`."""

from __future__ import annotations

import typer

from tolman.commands.configured import configured
from tolman.commands.options import Json, console
from tolman.workflows.stores import StoreExportConfig, StorePruneConfig, StoreShowConfig

app = typer.Typer(no_args_is_help=True, help="Show, prune or export the answers that models gave.")


@app.command("show")
@configured(StoreShowConfig, command="store-show")
def store_show(config: StoreShowConfig, as_json: Json = False) -> None:
    """Count the answers of each model.

    Example:  tolman store show
    """
    from tolman.commands.show.stores import show_store
    from tolman.workflows.stores import summarize_store

    show_store(console(), summarize_store(config), as_json=as_json)


@app.command("prune")
@configured(StorePruneConfig, command="store-prune")
def store_prune(config: StorePruneConfig) -> None:
    """Delete answers, so that they are asked for again.

    Example:  tolman store prune --model openai/my-model --older-than 30
    """
    from tolman.commands.show.printing import say
    from tolman.workflows.stores import prune_store

    say(console(), f"Deleted: {prune_store(config):,} answers.")


@app.command("export")
@configured(StoreExportConfig, command="store-export")
def store_export(config: StoreExportConfig) -> None:
    """Write all answers with their requests to a JSONL file.

    Example:  tolman store export answers.jsonl
    """
    from tolman.commands.show.printing import say
    from tolman.workflows.stores import export_store

    say(console(), f"Written: {export_store(config):,} answers to {config.out}.")
