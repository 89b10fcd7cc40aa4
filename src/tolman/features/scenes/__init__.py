"""Scenes: from scans and recordings, from simulation; measured and merged."""

from typing import TYPE_CHECKING

from tolman.features import module_getter

if TYPE_CHECKING:
    from tolman.features.scenes import compute as compute
    from tolman.features.scenes import config as config
    from tolman.features.scenes import render as render
    from tolman.features.scenes import simulation as simulation
else:
    __getattr__ = module_getter(__name__)
