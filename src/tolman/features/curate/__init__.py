"""Benchmarks out of existing question sets."""

from typing import TYPE_CHECKING

from tolman.features import module_getter

if TYPE_CHECKING:
    from tolman.features.curate import compute as compute, render as render
else:
    __getattr__ = module_getter(__name__)
