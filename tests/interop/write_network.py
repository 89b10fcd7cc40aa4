"""A Qwen2-VL in miniature with random weights, for videos too: `python write_network.py FOLDER`."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from video_networks import write_network

write_network(Path(sys.argv[1]), "qwen2_vl")
