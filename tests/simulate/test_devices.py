"""Which device draws."""

import os
import subprocess
import sys

import pytest

from tolman.simulate.render import DrawingDevice, drawing_devices, order

CARDS = [DrawingDevice(0, cuda=0), DrawingDevice(1, cuda=1), DrawingDevice(2, software=True), DrawingDevice(3, cuda=2)]


@pytest.mark.parametrize(
    ("devices", "visible", "process", "expected"),
    [
        ([], None, 7, [0]),
        (CARDS[2:3], None, 7, [2]),
        (CARDS, None, 0, [0, 1, 3, 2]),  # the processor last
        (CARDS, None, 4, [1, 3, 0, 2]),  # another process begins with another card
        (CARDS, "2", 4, [3, 0, 1, 2]),  # what a cluster gave this task
        (CARDS, "1,2", 1, [3, 1, 0, 2]),
        (CARDS, "GPU-7f3a", 0, [0, 1, 3, 2]),
        (CARDS, "", 2, [3, 0, 1, 2]),
        ([DrawingDevice(0), DrawingDevice(1, software=True)], "0", 5, [0, 1]),  # a card that isn't CUDA's
    ],
)
def test_cards_come_first_and_are_shared(
    devices: list[DrawingDevice], visible: str | None, process: int, expected: list[int]
) -> None:
    assert order(devices, visible, process) == expected


def test_the_devices_of_this_machine_are_found() -> None:
    pytest.importorskip("moderngl", reason="rendering needs the extra 'worlds'")
    devices = drawing_devices()
    if not devices:
        pytest.skip("EGL can't be asked here")
    assert [one.index for one in devices] == list(range(len(devices)))
    code = (
        "import moderngl; from tolman.simulate.render import devices_to_try; "
        "print(moderngl.create_context(standalone=True, backend='egl', device_index=devices_to_try()[0]).info['GL_RENDERER'])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env=os.environ | {"EGL_LOG_LEVEL": "fatal"}
    )
    assert done.returncode == 0, done.stderr
    assert ("llvmpipe" in done.stdout) == all(one.software for one in devices)
