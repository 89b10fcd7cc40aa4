"""Calls of models as events."""

from pathlib import Path

import pytest

from tolman.features import events as module
from tolman.features.events import Advanced, Began, CallEvents, Ended, Event, Noted
from tolman.responses import Failure, FailureKind, Response
from tolman.runs.calling import Tally
from tolman.runs.run import Started


def test_rounds_of_calls_are_steps_with_a_sentence_each(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "STATE_SECONDS", -1.0)
    events: list[Event] = []
    told = CallEvents(events.append)
    tally = Tally(called=2, reused=1, input_tokens=4000, output_tokens=200)
    told.start(Started(3, Path("run"), tally, priced=False, remote=True))
    told.done(Response(id="1", response="A"))
    told.done(Failure(id="2", kind=FailureKind.MEDIA, message="gone"))
    judged = Tally(called=1, retried=2, cost=1.5)
    told.start(Started(1, Path("run"), judged, priced=True, remote=True, what="judging"))
    told.done(Response(id="1", response="A"))
    told.end()
    assert [one for one in events if isinstance(one, Began)] == [Began("asking", 3), Began("judging", 1)]
    states = [one.state for one in events if isinstance(one, Advanced)]
    assert [state is not None for state in states] == [True] * 3
    assert "4k tokens" in str(states[0])
    assert str(states[1]).endswith("1 failed")
    assert str(states[2]).endswith("cost 1.50")
    assert events[-3:] == [
        Ended(),
        Noted("2 calls, 1 answer from the store, 4,000 + 200 tokens"),
        Noted("judging: 1 call, 0 answers from the store, 2 tried again, cost 1.50"),
    ]


def test_totals_say_that_some_replies_were_not_counted() -> None:
    events: list[Event] = []
    told = CallEvents(events.append)
    tally = Tally(called=3, input_tokens=40, output_tokens=2, uncounted=2, cost=1.5)
    told.start(Started(3, Path("run"), tally, priced=True, remote=True))
    told.end()
    assert events[-1] == Noted(
        "3 calls, 0 answers from the store, at least 40 + 2 tokens, 2 replies without full token counts, cost at least 1.50"
    )


def test_what_costs_nothing_is_not_told() -> None:
    events: list[Event] = []
    told = CallEvents(events.append)
    told.start(Started(1, Path("run"), Tally(), priced=False, remote=False))
    told.done(Response(id="1", response="A"))
    told.end()
    assert events == [Began("asking", 1), Advanced(), Ended()]
