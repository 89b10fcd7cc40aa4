"""Importing what a command needs at its end while answers are waited for."""

from __future__ import annotations

import threading
import time
from contextlib import suppress
from importlib import import_module

from tolman.runtime import HEAD_START
from tolman.workflows.events import Began, Event, Events

LATER = ("tolman.runs.scoring", "tolman.scoring.parse.reader", "tolman.commands.show.runs", "tolman.reports.html")
"""What scores, prints and writes a run, in the order in which it is needed."""


def importing_meanwhile(events: Events) -> Events:
    """The same events, with the first step's begin as the sign to import `LATER` in a thread a moment later."""
    begun = threading.Event()

    def told(event: Event) -> None:
        if isinstance(event, Began) and not begun.is_set():
            begun.set()
            threading.Thread(target=_import, name="import", daemon=True).start()
        events(event)

    return told


def _import() -> None:
    time.sleep(HEAD_START)
    for name in LATER:
        with suppress(ImportError):  # told where it is needed
            import_module(name)
