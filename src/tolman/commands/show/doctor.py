"""What `tolman doctor` prints."""

from __future__ import annotations

import platform
from dataclasses import asdict
from itertools import groupby

from rich.console import Console

from tolman import __version__
from tolman.commands.show.printing import say, write_json
from tolman.workflows.doctor import DoctorResult

_STYLES = {"works": "green", "missing": "yellow", "fails": "red"}


def show_diagnosis(console: Console, result: DoctorResult, *, as_json: bool) -> None:
    """A line for each check, and below it what to do where something doesn't work."""
    if as_json:
        about = {"tolman": __version__, "python": platform.python_version(), "platform": platform.platform()}
        told = [asdict(check) for check in result.checks]
        write_json(console, {**about, "ok": not result.failed, "checks": told})
        return
    say(console, f"tolman {__version__}, Python {platform.python_version()}, {platform.platform()}")
    width = max(len(check.name) for check in result.checks)
    for group, checks in groupby(result.checks, lambda check: check.group):
        say(console, f"\n{group}", "bold")
        for check in checks:
            say(console, f"{check.state:<8}{check.name:<{width}}  {check.found}", _STYLES[check.state])
            if check.advice:
                say(console, f"{'':<{8 + width}}  → {check.advice}")
