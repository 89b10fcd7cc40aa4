"""Receipts of runs, and leaderboards of verified ones."""

from typing import TYPE_CHECKING

from tolman.features import module_getter

if TYPE_CHECKING:
    from tolman.features.receipts import compute as compute
else:
    __getattr__ = module_getter(__name__)
