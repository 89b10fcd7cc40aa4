"""`tolman doctor`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tolman.commands.options import STORES, Json, StorePath, console

app = typer.Typer()
_STYLES = {"works": "green", "missing": "yellow", "fails": "red"}


@app.command()
def doctor(
    extra: Annotated[
        list[str] | None, typer.Option(help="An extra that must work, such as video; several times.")
    ] = None,
    base_url: Annotated[
        list[str] | None,
        typer.Option(help="Address of an endpoint, http://HOST:PORT/v1, whose models are listed; several times."),
    ] = None,
    database: Annotated[
        list[str] | None,
        typer.Option(help="URL of a database for 'tolman review', postgresql:// or sqlite:///; several times."),
    ] = None,
    store: StorePath = None,
    frame_store: Annotated[Path | None, typer.Option(help="Folder of decoded frames.", **STORES)] = None,
    as_json: Json = False,
) -> None:
    """Tell what works on this machine: extras, rendering, videos, keys, stores; and what to do about the rest.

    It ends with exit code 1 if something that an option asks for doesn't work, else with 0.

    Example:  tolman doctor

    Example:  tolman doctor --extra video --base-url http://localhost:8000/v1
    """
    import json
    import platform
    from dataclasses import asdict

    from tolman import __version__
    from tolman.workflows.doctor import DoctorConfig, diagnose

    out = console()
    config = DoctorConfig(tuple(extra or ()), tuple(base_url or ()), tuple(database or ()), store, frame_store)
    with console(stderr=True).status("trying out what is installed"):
        found = diagnose(config)
    if as_json:
        about = {"tolman": __version__, "python": platform.python_version(), "platform": platform.platform()}
        checks = [asdict(check) for check in found.checks]
        out.file.write(json.dumps({**about, "ok": not found.failed, "checks": checks}, indent=2) + "\n")
    else:
        out.print(f"tolman {__version__}, Python {platform.python_version()}, {platform.platform()}", highlight=False)
        width = max(len(check.name) for check in found.checks)
        group = ""
        for check in found.checks:
            if check.group != group:
                group = check.group
                out.print(f"\n{group}", style="bold", highlight=False)
            line = f"{check.state:<8}{check.name:<{width}}  {check.found}"
            out.print(line, style=_STYLES[check.state], markup=False, highlight=False, soft_wrap=True)
            if check.advice:
                out.print(f"{'':<{8 + width}}  → {check.advice}", markup=False, highlight=False, soft_wrap=True)
    if found.failed:
        raise typer.Exit(1)
