#!/bin/sh
# Encoding AV1 with PyAV as root turns the whole process into a real-time one.
#
# SVT-AV1, which PyAV's wheels hold, sets the calling thread's scheduling to SCHED_FIFO with priority 99 and leaves it so. The
# thread's children inherit it: a worker that once wrote an AV1 clip, and each browser or server that it starts later, then
# takes whole cores from all ordinary processes. Other users aren't allowed the priority, and keep theirs. Seen with PyAV
# 15.0.0 and 18.1.0. Exits with 1 where a later version behaves otherwise; needs root on Linux.
set -eu
if [ "$(id -u)" != 0 ]; then
    echo "run this as root: others may not have the priority"
    exit 0
fi
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
python3 -m venv "$place/venv"
"$place/venv/bin/pip" install --quiet --disable-pip-version-check av==18.1.0 numpy==2.3.5
cd "$place"
"$place/venv/bin/python" - <<'PYTHON'
import os
import sys

import av
import numpy as np


def written(codec):
    """Encode five grey frames; the scheduling of this thread afterwards."""
    with av.open(f"{codec}.mkv", "w") as file:
        stream = file.add_stream(codec, rate=10)
        stream.width, stream.height, stream.pix_fmt = 128, 128, "yuv420p"
        for _ in range(5):
            file.mux(stream.encode(av.VideoFrame.from_ndarray(np.zeros((128, 128, 3), np.uint8), "rgb24")))
        file.mux(stream.encode())
    return os.sched_getscheduler(0), os.sched_getparam(0).sched_priority


av.logging.set_level(None)
seen = {codec: written(codec) for codec in ("libx264", "libsvtav1")}
os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0))
names = {os.SCHED_OTHER: "SCHED_OTHER", os.SCHED_FIFO: "SCHED_FIFO"}
print(f"PyAV {av.__version__}")
for codec, (kind, priority) in seen.items():
    print(f"after {codec}: {names.get(kind, kind)}, priority {priority}")
sys.exit(seen != {"libx264": (os.SCHED_OTHER, 0), "libsvtav1": (os.SCHED_FIFO, 99)})
PYTHON
