#!/bin/sh
# An MP4 with B-frames and a variable frame rate says that it is shorter than the time of its last frame.
#
# FFmpeg's muxer adds up differences of decoding times, which run behind the times at which frames are shown. Players
# that trust the header, browsers among them, never reach the last frames; frames over the average rate come out wrong.
# Exits with 1 where a later version behaves otherwise.
set -eu
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
python3 -m venv "$place/venv"
"$place/venv/bin/pip" install --quiet --disable-pip-version-check av==18.1.0 numpy==2.3.5
cd "$place"
"$place/venv/bin/python" - <<'PYTHON'
import sys
from fractions import Fraction

import av
import numpy as np

millisecond = Fraction(1, 1000)
times = [round(1000 * i / 30) for i in range(30)] + [1000 * second for second in range(1, 11)]
said = {}
for b_frames in (0, 3):
    path = f"{b_frames}.mp4"
    with av.open(path, "w") as container:
        stream = container.add_stream("libx264", rate=30)
        stream.width, stream.height, stream.pix_fmt = 64, 48, "yuv420p"
        stream.options = {"bf": str(b_frames)}
        stream.codec_context.time_base = millisecond
        for i, time in enumerate(times):
            frame = av.VideoFrame.from_ndarray(np.full((48, 64, 3), i * 6, np.uint8), "rgb24")
            frame.pts, frame.time_base = time, millisecond
            container.mux(stream.encode(frame))
        container.mux(stream.encode())
    with av.open(path) as container:
        stream = container.streams.video[0]
        header = float(stream.duration * stream.time_base)
        rate = stream.average_rate
        shown = [float(p.pts * p.time_base) for p in container.demux(stream) if p.pts is not None]
    said[b_frames] = header, max(shown)
    print(f"{b_frames} B-frames: the header says {header:.2f} s, {len(shown)} frames at {float(rate):.3f} a second; "
          f"the last frame is shown at {max(shown):.2f} s")
print("PyAV", av.__version__, "libavformat", ".".join(map(str, av.library_versions["libavformat"])))
sys.exit(0 if said[0][0] > said[0][1] and said[3][0] < said[3][1] - 1 else 1)
PYTHON
