"""Scenes: from scans and recordings, from simulation; measured and merged."""

from typing import TYPE_CHECKING

from tolman.features import module_getter

if TYPE_CHECKING:
    from tolman.features.scenes import compute as compute, config as config, render as render, simulation as simulation
else:
    __getattr__ = module_getter(__name__)
