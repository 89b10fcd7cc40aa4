"""`tolman view`."""

from __future__ import annotations

from contextlib import suppress

import typer

from tolman.commands.configured import configured
from tolman.commands.options import console
from tolman.workflows.events import Ended
from tolman.workflows.view import ViewConfig

app = typer.Typer()


@app.command()
@configured(ViewConfig)
def view(config: ViewConfig) -> None:
    """Serve the site of some runs on this machine and open it; Ctrl-C ends it.

    Example:  tolman view runs/vsi-bench-full/*

    Example:  tolman view site --port 8080 --no-browser
    """
    from tolman.commands.show.progress import progress
    from tolman.runtime import stoppable
    from tolman.workflows.view import prepared, serve

    with stoppable(), progress() as events, prepared(config, events) as folder:
        events(Ended())
        with suppress(KeyboardInterrupt):
            serve(config, folder, lambda address: console().print(f"Serving {address} until Ctrl-C", highlight=False))
