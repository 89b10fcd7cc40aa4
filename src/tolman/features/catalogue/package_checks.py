"""Small real uses of the packages that Tolman's extras install, each tried in a process of its own.

`python -m tolman.features.catalogue.package_checks NAME [ARGUMENT]` carries one out and prints its findings as JSON. A
library that ends its process, or that hangs, is thereby found out like one that raises.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Callable
from importlib import import_module
from importlib.metadata import version
from pathlib import Path

from tolman.errors import TolmanError
from tolman.extras import declared, module_of
from tolman.registry import later

TIMEOUT = 120.0
"""Seconds after which a probe counts as hanging; importing torch for the first time takes up to 60."""

COLOUR_TOLERANCE = 12.0
"""Levels of 255 by which H.264 may change a plain picture."""


class ProbeError(TolmanError):
    """A probe failed; the text says why."""


def attempt(name: str, argument: str = "") -> str:
    """Carry out a probe in a process of its own.

    Args:
        name: of `PROBES`.
        argument: the probe's, where it takes one.

    Returns:
        Its findings, such as versions.

    Raises:
        ProbeError: it failed, was ended, or hangs.
    """
    command = [sys.executable, "-m", __name__, name, argument]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT, check=False)
    except subprocess.TimeoutExpired:
        raise ProbeError(f"hangs: no result within {TIMEOUT:g} s") from None
    try:
        result = json.loads(done.stdout.splitlines()[-1])
    except (IndexError, ValueError):
        said = (done.stderr.strip().splitlines() or ["without a word"])[-1]
        ending = f"ended by signal {-done.returncode}" if done.returncode < 0 else f"exit code {done.returncode}"
        raise ProbeError(f"{ending}: {said}") from None
    if "problem" in result:
        raise ProbeError(str(result["problem"]))
    return str(result["found"])


def import_extra(extra: str) -> str:
    """Import every package of an extra; their versions."""
    for package in declared()[extra]:
        import_module(module_of(package))
    return ", ".join(f"{package} {version(package)}" for package in declared()[extra])


def code_video() -> str:
    """Write an H.264 MP4 and read it back; the versions of PyAV and its FFmpeg.

    Raises:
        ProbeError: other pictures come back.
    """
    import av
    import numpy as np

    from tolman.media.video import VideoWriter, read_frames, read_index

    levels = [40, 90, 140, 190]
    with tempfile.TemporaryDirectory(prefix="tolman-doctor-") as folder:
        path = Path(folder) / "grey.mp4"
        with VideoWriter(path, (64, 48), 4.0, "media") as writer:
            for level in levels:
                writer.add(np.full((48, 64, 3), level, dtype=np.uint8))
        index = read_index(path)
        seen = [float(np.asarray(image).mean()) for _, image in read_frames(path, index, range(len(index.times)))]
    if len(seen) != len(levels) or max(abs(a - b) for a, b in zip(seen, levels, strict=True)) > COLOUR_TOLERANCE:
        raise ProbeError(f"of pictures of the grey levels {levels} it reads {[round(level) for level in seen]}")
    ffmpeg = ".".join(str(part) for part in av.library_versions["libavcodec"])
    return f"H.264 in MP4 written and read by PyAV {version('av')}, libavcodec {ffmpeg}"


PROBES: dict[str, Callable[..., str]] = {
    "import": import_extra,
    "rendering": later("tolman.simulate.render:draw_cube"),
    "video": code_video,
}
"""By the name on the command line."""


def main() -> None:
    """Carry out the probe that the command line names."""
    name, argument = sys.argv[1], sys.argv[2]
    try:
        found = PROBES[name](*([argument] if argument else []))
    except Exception as error:  # whatever a broken library raises is what this is there to find
        print(
            json.dumps(
                {"problem": str(error) if isinstance(error, TolmanError) else f"{type(error).__name__}: {error}"}
            )
        )
    else:
        print(json.dumps({"found": found}))


if __name__ == "__main__":
    main()
