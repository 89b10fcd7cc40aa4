"""Generate questions from scenes, and audit benchmarks."""

from typing import TYPE_CHECKING

from tolman.features import module_getter

if TYPE_CHECKING:
    from tolman.features.generate import (
        audit as audit,
        compute as compute,
        config as config,
        parallel_forms as parallel_forms,
        render as render,
    )
else:
    __getattr__ = module_getter(__name__)
