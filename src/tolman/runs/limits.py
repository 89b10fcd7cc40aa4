"""Limits: when a run gives up."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Limits:
    """When to give up.

    Attributes:
        retries: how often a call is tried again.
        base_delay, most_delay: seconds before the first and before any further try, where the endpoint asks for none.
        longest_pause: seconds; an endpoint that asks for a longer one is not waited for.
        run_seconds: the run's time limit; what is not asked by then is a failure of kind 'interrupted'.
        wait_seconds: how long an endpoint that doesn't answer, or is loading, is waited for: before the run's first
            call and after it went down.
        most_cost: of the run's calls, in the currency of its prices; what is not asked by then is a failure of kind
            'interrupted'.
        again: how often a question whose answer was cut off in reasoning is asked again with more room.
        failures_before_pause: failures in a row, without an answer between them, after which calls pause and one is
            tried at a time.
        give_up_seconds: how long at least they pause until the run is given up.
    """

    retries: int = 8
    base_delay: float = 0.5
    most_delay: float = 30.0
    longest_pause: float = 600.0
    run_seconds: float | None = None
    wait_seconds: float = 0.0
    most_cost: float | None = None
    again: int = 2
    failures_before_pause: int = 8
    give_up_seconds: float = 100.0
