"""Compare runs item by item."""

from typing import TYPE_CHECKING

from tolman.features import module_getter

if TYPE_CHECKING:
    from tolman.features.compare import compute as compute, reconcile_runs as reconcile_runs, render as render
else:
    __getattr__ = module_getter(__name__)
