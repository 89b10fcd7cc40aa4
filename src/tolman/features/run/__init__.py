"""Evaluate models: runs, suites and estimates."""

from typing import TYPE_CHECKING

from tolman.features import module_getter

if TYPE_CHECKING:
    from tolman.features.run import compute as compute
    from tolman.features.run import estimate as estimate
    from tolman.features.run import render as render
    from tolman.features.run import score_responses as score_responses
    from tolman.features.run import suite as suite
    from tolman.features.run import suite_file as suite_file
else:
    __getattr__ = module_getter(__name__)
