"""Run published results again."""

from typing import TYPE_CHECKING

from tolman.features import module_getter

if TYPE_CHECKING:
    from tolman.features.reproduce import compute as compute
else:
    __getattr__ = module_getter(__name__)
