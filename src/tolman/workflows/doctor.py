"""What works on this machine, and what to do about what doesn't."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Annotated, Literal

from tolman.extras import FOR_DEVELOPERS, declared
from tolman.names import hint
from tolman.workflows.config import Setting
from tolman.workflows.events import Advanced, Began, Ended, Events, silent
from tolman.workflows.settings import StorePlace

State = Literal["works", "missing", "fails"]


@dataclass(frozen=True, kw_only=True)
class DoctorConfig:
    """What must work, besides what is looked at in any case."""

    extra: Annotated[
        tuple[str, ...], Setting("Extra that must work, such as video; may be given several times.", repeated=True)
    ] = ()
    base_url: Annotated[
        tuple[str, ...],
        Setting(
            "Base URL of an endpoint that must answer, http://HOST:PORT/v1; its models are listed. May be given "
            "several times.",
            repeated=True,
            secret=True,
        ),
    ] = ()
    database: Annotated[
        tuple[str, ...],
        Setting(
            "URL of a database for 'tolman review' that must answer, postgresql:// or sqlite:///. May be given several "
            "times.",
            repeated=True,
            secret=True,
        ),
    ] = ()
    store: StorePlace = None
    frame_store: Annotated[
        Path | None, Setting("Folder of decoded frames. Default: frames in the user's cache.", panel="Stores")
    ] = None


@dataclass(frozen=True)
class Check:
    """One thing that was looked at.

    Attributes:
        group: the kind of thing: extra, rendering, video, key, endpoint, database, folder.
        name: which.
        state: 'missing' where it isn't there, 'fails' where it is and doesn't work.
        found: what was found; never a key or a password.
        advice: what to do, as an imperative; empty where nothing is to be done.
        asked: whether the config asks for it.
    """

    group: str
    name: str
    state: State
    found: str
    advice: str = ""
    asked: bool = False


@dataclass(frozen=True)
class DoctorResult:
    """All that was looked at, in a fixed order."""

    checks: tuple[Check, ...]

    @property
    def failed(self) -> list[Check]:
        """What was asked for and doesn't work."""
        return [check for check in self.checks if check.asked and check.state != "works"]


def diagnose(config: DoctorConfig, events: Events = silent) -> DoctorResult:
    """Look at extras, rendering, videos, keys, stores, and the endpoints and databases of the config.

    Nothing is sent anywhere but to those endpoints and databases.
    """
    from concurrent.futures import ThreadPoolExecutor

    looks = list(_looks(config))
    found = []
    events(Began("trying out what is installed", len(looks)))
    with ThreadPoolExecutor(max_workers=min(4, os.cpu_count() or 1)) as pool:
        for check in pool.map(lambda look: look(), looks):
            found.append(check)
            events(Advanced())
    events(Ended())
    return DoctorResult(tuple(found))


def _looks(config: DoctorConfig) -> Iterator[Callable[[], Check]]:
    from tolman.media.store import default_root
    from tolman.runs.store import is_url, usual_place
    from tolman.workflows import checks

    extras = [extra for extra in declared() if extra not in FOR_DEVELOPERS]
    for extra in extras:
        yield partial(checks.check_extra, extra, asked=extra in config.extra)
    for extra in config.extra:
        if extra not in extras:
            advice = f"choose another: {hint(extra, extras)}"
            yield partial(Check, "extra", extra, "missing", "there is no such extra", advice, asked=True)
    for probe in checks.PROBES:
        yield partial(checks.check_probe, probe, asked=probe.extra in config.extra)
    for purpose, variables in checks.keys().items():
        yield partial(checks.check_key, purpose, variables)
    yield from (partial(checks.check_endpoint, url) for url in config.base_url)
    yield from (partial(checks.check_database, url) for url in config.database)
    store, frames = config.store, config.frame_store
    place = store or usual_place()
    if is_url(place):
        yield partial(checks.check_database, str(place))
    for name, folder, option, named in (
        *(() if is_url(place) else (("response store", Path(place).parent, "--store or TOLMAN_STORE", store),)),
        ("frame store", frames or default_root(), "--frame-store or TOLMAN_CACHE", frames),
    ):
        yield partial(checks.check_folder, name, folder, option, asked=named is not None)
