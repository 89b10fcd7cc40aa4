"""Asking is a library's work: signals are the command's."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import pytest

from curate.test_pipeline import COMMAND, prepare
from curator import Curator
from loopback import serving
from tolman.curate.asking import AskedModel, Asker, ModelTask
from tolman.curate.candidates import Candidate
from tolman.messages import Message


def test_handlers_of_signals_stay_while_a_model_is_asked(tmp_path: Path) -> None:
    seen = []

    def messages(group: Sequence[Candidate]) -> tuple[Message, ...]:
        seen.append(signal.getsignal(signal.SIGTERM))
        return (Message(parts=("Which?",)),)

    one = Candidate(id="s/1", source="s", question="How many lamps?", kind="text", answer="two", task="t")
    with (
        serving(Curator()) as url,
        Asker(AskedModel(model="openai/m", base_url=url), tmp_path / "s", tmp_path) as asker,
    ):
        replies = asker.ask([one], ModelTask("t", messages, lambda text, candidate: text))
    assert replies[one.id].value
    assert set(seen) == {signal.SIG_DFL}


@pytest.mark.full
@pytest.mark.parametrize(("how", "code"), [(signal.SIGTERM, 143), (signal.SIGHUP, 129)])
def test_the_command_ends_by_a_batch_systems_signal_with_what_was_answered(
    tmp_path: Path, how: signal.Signals, code: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TOLMAN_CACHE", str(tmp_path / "cache"))
    with serving(server := Curator(latency=0.05)) as url:
        prepare(tmp_path, url, classify="batch = 1")
        command = (sys.executable, "-m", "tolman", *COMMAND)
        with subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.PIPE, text=True) as process:
            deadline = time.monotonic() + 60
            while server.requests < 10 and time.monotonic() < deadline:
                time.sleep(0.005)
            process.send_signal(how)
            _, errors = process.communicate(timeout=60)
    assert process.returncode == code
    assert errors == "tolman: Stopped: all answers so far are kept; run the same command again to resume.\n"
