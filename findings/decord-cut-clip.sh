#!/bin/sh
# In a clip cut by `ffmpeg -ss … -c copy`, decord's frame for an index depends on the other indices of the batch.
#
# Such a clip begins at the key frame before the cut, and its edit list hides the frames in between. decord skips them
# while it reads on, and counts them when it jumps. A batch of every tenth frame, as models are shown, is 13 frames early
# and steps back in time (55, then 52); a batch of all frames repeats the last one. There is no error or warning.
# Exits with 1 where a later version behaves otherwise.
set -eu
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
python3 -m venv "$place/venv"
"$place/venv/bin/pip" install --quiet --disable-pip-version-check decord==0.6.0 imageio-ffmpeg==0.8.1 numpy==2.3.5
cd "$place"
"$place/venv/bin/python" - <<'PYTHON'
import subprocess
import sys

import decord
import numpy as np
from imageio_ffmpeg import get_ffmpeg_exe

FFMPEG = [get_ffmpeg_exe(), "-v", "error", "-y"]
FRAMES, BITS = 150, np.arange(8)


def numbers(pictures):
    """The number that each picture shows in binary: eight bars, black for 0 and white for 1."""
    return [int(((row > 128) << BITS).sum()) for row in pictures[:, 24, 4::8]]


bars = np.repeat(np.arange(FRAMES)[:, None] >> BITS & 1, 8, axis=1).astype(np.uint8) * 255
raw = np.repeat(bars[:, None], 48, axis=1).tobytes()
subprocess.run([*FFMPEG, "-f", "rawvideo", "-pix_fmt", "gray", "-s", "64x48", "-r", "30", "-i", "-",
                "-c:v", "libx264", "-g", "30", "-pix_fmt", "yuv420p", "whole.mp4"], input=raw, check=True)
subprocess.run([*FFMPEG, "-ss", "1.5", "-i", "whole.mp4", "-c", "copy", "clip.mp4"], check=True)

decoded = subprocess.run([*FFMPEG, "-i", "clip.mp4", "-f", "rawvideo", "-pix_fmt", "gray", "-"],
                         check=True, capture_output=True).stdout
truth = numbers(np.frombuffer(decoded, np.uint8).reshape(-1, 48, 64))
length = len(decord.VideoReader("clip.mp4"))
print(f"FFmpeg shows {len(truth)} frames, {truth[0]} to {truth[-1]}; decord counts {length}")

read = {}
for step in (1, 10):
    indices = list(range(0, length, step))
    batch = decord.VideoReader("clip.mp4").get_batch(indices).asnumpy()[..., 0]
    read[step] = dict(zip(indices, numbers(batch)))
print("index of decord          ", *(f"{index:4}" for index in read[10]))
print("in a batch of all frames ", *(f"{read[1][index]:4}" for index in read[10]))
print("in a batch of every tenth", *(f"{number:4}" for number in read[10].values()))
print(f"the last {sum(number == truth[-1] for number in read[1].values())} of the batch of all are frame {truth[-1]}")
print("decord", decord.__version__)
right = truth == list(range(45, 150)) and [read[1][index] for index in (0, 10, 20, 117)] == [45, 55, 65, 149]
sys.exit(0 if right and length == 118 and list(read[10].values()) == [45, 55, *range(52, 143, 10)] else 1)
PYTHON
