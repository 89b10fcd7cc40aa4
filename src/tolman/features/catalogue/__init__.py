"""Benchmarks, protocols, metrics, recipes and stores: list, fetch, export."""

from typing import TYPE_CHECKING

from tolman.features import module_getter

if TYPE_CHECKING:
    from tolman.features.catalogue import compute as compute, doctor as doctor, render as render
else:
    __getattr__ = module_getter(__name__)
