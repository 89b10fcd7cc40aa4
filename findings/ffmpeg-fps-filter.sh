#!/bin/sh
# `ffmpeg -i walk.mp4 -vf fps=1 %03d.png` shows 0.47, 1.47, 2.47 … s of a 30 fps video, not 0, 1, 2 … s.
#
# The filter rounds each frame's time to the nearest whole second and keeps the last frame of each, so every picture is
# half a step late (14 frames here), and a pose or an answer that belongs to second n is joined with another view.
# `-r 1` chooses other pictures again. `fps=1:round=up` gives the frame of each second.
# Exits with 1 where a later version behaves otherwise.
set -eu
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
python3 -m venv "$place/venv"
"$place/venv/bin/pip" install --quiet --disable-pip-version-check imageio-ffmpeg==0.8.1 numpy==2.3.5
cd "$place"
"$place/venv/bin/python" - <<'PYTHON'
import subprocess
import sys
from pathlib import Path

import numpy as np
from imageio_ffmpeg import get_ffmpeg_exe, get_ffmpeg_version

FFMPEG = [get_ffmpeg_exe(), "-v", "error", "-y"]
FRAMES, BITS = 150, np.arange(8)

# Frame i shows its number in binary: eight bars, black for 0 and white for 1.
bars = np.repeat(np.arange(FRAMES)[:, None] >> BITS & 1, 8, axis=1).astype(np.uint8) * 255
raw = np.repeat(bars[:, None], 48, axis=1).tobytes()
subprocess.run([*FFMPEG, "-f", "rawvideo", "-pix_fmt", "gray", "-s", "64x48", "-r", "30", "-i", "-",
                "-c:v", "libx264", "-pix_fmt", "yuv420p", "walk.mp4"], input=raw, check=True)

shown = {}
for options in ("-vf fps=1", "-r 1", "-vf fps=1:round=up"):
    for old in Path(".").glob("*.pgm"):
        old.unlink()
    subprocess.run([*FFMPEG, "-i", "walk.mp4", *options.split(), "%03d.pgm"], check=True)
    pictures = [path.read_bytes()[-64 * 48 :] for path in sorted(Path(".").glob("*.pgm"))]
    rows = [np.frombuffer(picture, np.uint8).reshape(48, 64)[24] for picture in pictures]
    shown[options] = [int(((row[4::8] > 128) << BITS).sum()) for row in rows]
    print(f"{options:20} pictures of", ", ".join(f"{number / 30:.2f}" for number in shown[options]), "s")
print("imageio-ffmpeg 0.8.1, FFmpeg", get_ffmpeg_version())
late, wanted = shown["-vf fps=1"], shown["-vf fps=1:round=up"]
sys.exit(0 if late == [14, 44, 74, 104, 134] and wanted == [0, 30, 60, 90, 120] else 1)
PYTHON
