"""Events in a terminal, and where there is none."""

import io
import time

import pytest
from rich.console import Console

from tolman.features.events import Advanced, Began, Ended, Events, Noted
from tolman.features.printing import progress


def tell(events: Events) -> None:
    events(Began("reading [scenes]"))
    events(Noted("skipped: a [b]: no box", "warning"))
    events(Began("choosing questions", 3))
    events(Advanced(2, "4k tokens"))
    events(Advanced())
    events(Ended())
    events(Noted("7 calls"))


def test_a_terminal_shows_the_step_its_count_and_its_state(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")  # a dumb one shows nothing that moves
    file = io.StringIO()
    with progress(Console(file=file, force_terminal=True, width=200)) as events:
        events(Began("choosing [questions]", 3))
        events(Advanced(2, "4k tokens"))
    shown = file.getvalue()
    assert "choosing [questions]" in shown
    assert "2/3" in shown
    assert "4k tokens" in shown


def test_elsewhere_notes_alone_stand_on_standard_error(capsys: pytest.CaptureFixture[str]) -> None:
    with progress() as events:
        tell(events)
    shown = capsys.readouterr()
    assert shown.out == ""
    assert shown.err == "skipped: a [b]: no box\n7 calls\n"


def test_elsewhere_a_long_step_has_a_line_now_and_then_even_before_anything_is_done(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tolman.features.printing.SECONDS_APART", 0.1)
    shown = ""
    with progress() as events:
        events(Began("drawing [scenes]", 3))
        for line in ("drawing [scenes]: 0 of 3 after 0 s\n", "drawing [scenes]: 1 of 3 after 0 s\n"):
            for _ in range(200):
                shown += capsys.readouterr().err
                if line in shown:
                    break
                time.sleep(0.05)
            assert line in shown
            events(Advanced())


def test_what_advances_before_anything_began_is_passed_over(capsys: pytest.CaptureFixture[str]) -> None:
    with progress() as events:
        events(Advanced())
        events(Ended())
    assert capsys.readouterr() == ("", "")
