"""`tolman doctor`."""

from __future__ import annotations

import typer

from tolman.commands.configured import configured
from tolman.commands.options import Json, console
from tolman.workflows.doctor import DoctorConfig

app = typer.Typer()


@app.command()
@configured(DoctorConfig)
def doctor(config: DoctorConfig, as_json: Json = False) -> None:
    """Tell what works on this machine: extras, rendering, videos, keys, stores; and what to do about the rest.

    It ends with exit code 1 if something that an option asks for doesn't work, else with 0.

    Example:  tolman doctor

    Example:  tolman doctor --extra video --base-url http://localhost:8000/v1
    """
    from tolman.commands.show.doctor import show_diagnosis
    from tolman.commands.show.progress import progress
    from tolman.workflows.doctor import diagnose

    with progress() as events:
        result = diagnose(config, events)
    show_diagnosis(console(), result, as_json=as_json)
    if result.failed:
        raise typer.Exit(1)
