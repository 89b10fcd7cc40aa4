"""Generate questions from scenes, and audit benchmarks."""

from typing import TYPE_CHECKING

from tolman.features import module_getter

if TYPE_CHECKING:
    from tolman.features.generate import audit as audit
    from tolman.features.generate import compute as compute
    from tolman.features.generate import config as config
    from tolman.features.generate import forms as forms
    from tolman.features.generate import render as render
else:
    __getattr__ = module_getter(__name__)
