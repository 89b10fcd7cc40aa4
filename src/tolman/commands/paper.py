"""`tolman paper`: a paper's tables and figures from the user's runs."""

from __future__ import annotations

from pathlib import Path

import typer

from tolman.commands.configured import configured
from tolman.commands.options import console
from tolman.workflows.paper import PaperConfig

app = typer.Typer()


@app.command()
@configured(PaperConfig)
def paper(config: PaperConfig) -> Path:
    """Rebuild a paper's tables and figures from your runs, beside what it prints; what is missing is listed.

    Example:  tolman paper vsi-bench runs/vsi-bench-full/* --out vsi-bench-paper
    """
    from tolman.commands.show.printing import say, table
    from tolman.commands.show.progress import progress
    from tolman.workflows.paper import rebuild_paper

    with progress() as events:
        result = rebuild_paper(config, events)
    shown = console()
    for sentence in (*(f"LEFT OUT: {text}" for text in result.left_out), *result.warnings):
        say(shown, sentence)
    listed = table(["", "shows", "state"], left=["shows", "state"])
    for one in result.parts:
        listed.add_row(one.part.name, one.part.title, one.state)
    shown.print(listed)
    for one in result.parts:
        for why in one.missing:
            say(shown, f"{one.part.name}: {why}. What it needs: {one.part.command}.")
    say(shown, f"{result.out / 'index.html'}")
    return result.out
