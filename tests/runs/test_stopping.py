"""Signals that end what is asked as Ctrl-C does."""

import signal
import subprocess
import sys
import threading

import pytest

from tolman.runs.stopping import run_until_stopped, stoppable, uninterrupted

SCRIPT = """
import asyncio, sys, time
from tolman.errors import RunInterruptedError
from tolman.runs.stopping import run_until_stopped, stoppable

async def asking():
    print("ready", flush=True)
    try:
        await asyncio.sleep(600)
    finally:
        await asyncio.sleep(0.01)
        print("cleaned up", flush=True)

def inside():
    try:
        with stoppable():
            run_until_stopped(asking())
    except KeyboardInterrupt:
        raise RunInterruptedError("Stopped: 5 of 7.") from None

def outside():
    print("ready", flush=True)
    time.sleep(600)

try:
    with stoppable():
        {"inside": inside, "outside": outside}[sys.argv[1]]()
except RunInterruptedError as error:
    print(error, flush=True)
    sys.exit(error.exit_code)
"""


@pytest.mark.parametrize(("where", "said"), [("inside", "cleaned up\nStopped: 5 of 7.\n"), ("outside", "Stopped; ")])
@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 143), (signal.SIGHUP, 129)])
def test_a_signal_ends_what_is_asked_and_what_is_not(where: str, said: str, number: signal.Signals, code: int) -> None:
    with subprocess.Popen([sys.executable, "-c", SCRIPT, where], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        process.send_signal(number)
        assert process.communicate(timeout=20)[0].startswith(said)
        assert process.returncode == code


def test_handlers_are_put_back_and_other_threads_have_none() -> None:
    before = signal.getsignal(signal.SIGTERM), signal.getsignal(signal.SIGINT)

    def use() -> None:
        with stoppable(), uninterrupted():
            seen.append(signal.getsignal(signal.SIGTERM))

    async def nothing() -> None:
        seen.append(None)

    seen: list[object] = []
    use()
    thread = threading.Thread(target=use)
    thread.start()
    thread.join()
    run_until_stopped(nothing())
    assert seen == [signal.SIG_IGN, before[0], None]
    assert (signal.getsignal(signal.SIGTERM), signal.getsignal(signal.SIGINT)) == before
