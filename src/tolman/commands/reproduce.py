"""`tolman reproduce`."""

from __future__ import annotations

from pathlib import Path

import typer

from tolman.commands.configured import Incomplete, configured
from tolman.commands.options import Json, console
from tolman.workflows.reproduce import ReproduceConfig

app = typer.Typer()


@app.command()
@configured(ReproduceConfig)
def reproduce(config: ReproduceConfig, as_json: Json = False) -> list[Path]:
    """Run a published result again, and print its figure beside the published one.

    Settings are those of the publication: recipe, frames, form of videos, prompts. The exit code is 1 where a figure is
    not reproduced, or can't be told. The same command goes on where it stopped.

    Example:  tolman reproduce

    Example:  tolman reproduce qwen2.5-vl-7b --dry-run

    Example:  tolman reproduce qwen2.5-vl-7b --base-url http://localhost:8000/v1
    """
    from tolman.commands.show.progress import progress
    from tolman.commands.show.reproduce import show_plan, show_reproduced, show_targets
    from tolman.runtime import stoppable
    from tolman.workflows.reproduce import list_targets, plan
    from tolman.workflows.reproduce import reproduce as carry_out

    if config.name is None:
        show_targets(console(), list_targets(), as_json=as_json)
        return []
    if config.dry_run:
        show_plan(console(), plan(config), as_json=as_json)
        return []
    with stoppable(), progress() as events:
        found = carry_out(config, events)
    show_reproduced(console(), found, as_json=as_json)
    folders = [one.run.path for one in found]
    if any(one.verdict != "reproduced" for one in found):
        raise Incomplete(folders)
    return folders
