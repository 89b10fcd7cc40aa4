"""Evaluate models: runs, suites and estimates."""

from typing import TYPE_CHECKING

from tolman.features import module_getter

if TYPE_CHECKING:
    from tolman.features.run import (
        compute as compute,
        estimate as estimate,
        render as render,
        score_responses as score_responses,
        suite as suite,
        suite_file as suite_file,
    )
else:
    __getattr__ = module_getter(__name__)
