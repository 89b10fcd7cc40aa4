"""Reports and sites of runs and scenes."""

from typing import TYPE_CHECKING

from tolman.features import module_getter

if TYPE_CHECKING:
    from tolman.features.report import (
        compute as compute,
        explain as explain,
        render as render,
        sealed_runs as sealed_runs,
        sites as sites,
        trackers as trackers,
    )
else:
    __getattr__ = module_getter(__name__)
