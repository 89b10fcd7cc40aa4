"""Signals that end what is asked as Ctrl-C does."""

import asyncio
import contextvars
import signal
import subprocess
import sys
import threading

import pytest

from tolman.runtime import run_blocking, run_until_stopped, stoppable, uninterrupted

SCRIPT = """
import asyncio, sys, time
from tolman.errors import RunInterruptedError
from tolman.runtime import run_until_stopped, stoppable

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


@pytest.mark.parametrize(
    ("where", "said"),
    [("inside", "cleaned up\nStopped: 5 of 7.\n"), ("outside", "Stopped.\n")],
)
@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 143), (signal.SIGHUP, 129)])
def test_a_signal_ends_what_is_asked_and_what_is_not(where: str, said: str, number: signal.Signals, code: int) -> None:
    with subprocess.Popen([sys.executable, "-c", SCRIPT, where], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        process.send_signal(number)
        assert process.communicate(timeout=120)[0].startswith(said)
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


NOTE: contextvars.ContextVar[str] = contextvars.ContextVar("note", default="")


async def _told(value: str) -> tuple[str, str]:
    await asyncio.sleep(0.01)
    return value, NOTE.get()


def test_a_coroutine_runs_to_its_end_wherever_the_caller_is() -> None:
    async def inside() -> tuple[str, str]:
        NOTE.set("kept")
        return run_blocking(_told("in a loop"))

    found: list[tuple[str, str]] = []
    thread = threading.Thread(target=lambda: found.append(run_blocking(_told("in a thread"))))
    thread.start()
    thread.join()
    assert run_blocking(_told("in a script")) == ("in a script", "")
    assert asyncio.run(inside()) == ("in a loop", "kept")
    assert found == [("in a thread", "")]


def test_what_a_coroutine_raises_reaches_the_caller_in_a_loop_too() -> None:
    async def failing() -> None:
        raise ZeroDivisionError

    async def inside() -> None:
        run_blocking(failing())

    with pytest.raises(ZeroDivisionError):
        asyncio.run(inside())


def test_an_interrupted_wait_cancels_the_coroutine() -> None:
    code = """
import asyncio, os, signal, threading
from tolman.runtime import run_blocking

async def asking():
    threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT)).start()
    try:
        await asyncio.sleep(600)
    finally:
        print("cleaned up", flush=True)

async def notebook():
    signal.signal(signal.SIGINT, signal.default_int_handler)  # as a notebook's kernel has it
    try:
        run_blocking(asking())
    except KeyboardInterrupt:
        print("interrupted", flush=True)

asyncio.run(notebook())
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=30, check=False)
    assert done.stdout == "cleaned up\ninterrupted\n", done.stderr


def test_a_signal_ends_what_the_main_thread_asks_whatever_others_ask_meanwhile() -> None:
    code = """
import asyncio, os, signal, threading
from tolman.errors import RunInterruptedError
from tolman.runtime import run_until_stopped, stoppable

other = threading.Event()

async def beside():
    other.set()
    await asyncio.sleep(0.5)
    print("the other went on", flush=True)

async def asking():
    thread.start()
    other.wait()
    threading.Timer(0.1, os.kill, (os.getpid(), signal.SIGTERM)).start()
    try:
        await asyncio.sleep(600)
    finally:
        print("cleaned up", flush=True)

thread = threading.Thread(target=lambda: run_until_stopped(beside()))
try:
    with stoppable():
        run_until_stopped(asking())
except RunInterruptedError as error:
    print(error.exit_code, flush=True)
thread.join()
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=30, check=False)
    assert done.stdout == "cleaned up\n143\nthe other went on\n", done.stderr


def test_what_a_coroutine_returns_reaches_the_caller() -> None:
    assert run_until_stopped(_told("back")) == ("back", "")
