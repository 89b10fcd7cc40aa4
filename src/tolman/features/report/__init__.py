"""Reports and sites of runs and scenes."""

from typing import TYPE_CHECKING

from tolman.features import module_getter

if TYPE_CHECKING:
    from tolman.features.report import compute as compute
    from tolman.features.report import explain as explain
    from tolman.features.report import render as render
    from tolman.features.report import sealed_runs as sealed_runs
    from tolman.features.report import sites as sites
    from tolman.features.report import trackers as trackers
else:
    __getattr__ = module_getter(__name__)
