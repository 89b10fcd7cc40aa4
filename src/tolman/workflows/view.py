"""Looking at runs in a browser: their site is served on this machine."""

from __future__ import annotations

import tempfile
import webbrowser
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from tolman.workflows.config import Setting
from tolman.workflows.events import Events, Noted, silent


@dataclass(frozen=True, kw_only=True)
class ViewConfig:
    """Which runs are looked at, and where."""

    paths: Annotated[
        tuple[Path, ...],
        Setting("Run folders, or the folder of a site that 'tolman report' wrote.", positional=True, repeated=True),
    ]
    port: Annotated[int, Setting("Port on 127.0.0.1, 0–65535; 0 takes a free one.", least=0, most=65535)] = 0
    browser: Annotated[bool, Setting("Open the page in a browser.")] = True
    media: Annotated[
        Path | None, Setting("Folder that the paths of videos and pictures begin in. Default: the runs' own.")
    ] = None
    scenes: Annotated[
        Path | None, Setting("Folder of the scenes, for floor plans. Default: what the runs or the benchmark name.")
    ] = None


@contextmanager
def prepared(config: ViewConfig, events: Events = silent) -> Iterator[Path]:
    """The folder of the site: the one that is named, or one that is written for as long as it is looked at.

    Raises:
        InputError: no path is a run with scores.
        UsageError: a site is named beside other paths, or with options of runs.
    """
    from tolman.errors import UsageError
    from tolman.reports.loaded import load_scored
    from tolman.reports.site.writing import MARK, SiteOptions, write_site
    from tolman.workflows.events import told
    from tolman.workflows.report import ReportConfig, site_tables

    sites = [path for path in config.paths if (path / MARK).is_file()]
    if sites:
        if len(config.paths) > 1 or config.media is not None or config.scenes is not None:
            raise UsageError(f"{sites[0]} is a site that is written already; name it alone, or the runs instead.")
        yield sites[0]
        return
    runs, left_out = load_scored(config.paths)
    tables = site_tables(ReportConfig(runs=config.paths))
    options = SiteOptions(media="all", media_folder=config.media, scenes=config.scenes, link=True, tables=tables)
    with tempfile.TemporaryDirectory(prefix="tolman-view-") as place:
        written = write_site(Path(place) / "site", runs, left_out, options, told(events))
        for remark in written.remarks:
            events(Noted(remark, "warning"))
        yield written.path


def serve(config: ViewConfig, folder: Path, ready: Callable[[str], None] = lambda address: None) -> None:
    """Serve a site until the process is told to stop.

    Args:
        config: the port, and whether a browser is opened.
        folder: of the site.
        ready: is told the address once the server takes connections.

    Raises:
        UsageError: the port is taken.
        KeyboardInterrupt: it was told to stop.
    """
    from tolman.reports.site.serving import serve_folder
    from tolman.runtime import run_until_stopped

    def listening(address: str) -> None:
        ready(address)
        if config.browser:
            webbrowser.open(address)

    run_until_stopped(serve_folder(folder, config.port, listening))
