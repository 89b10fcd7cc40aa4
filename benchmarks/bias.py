"""What the bias analysis of VSI-Bench costs, and whether its pruned subset is as hard to guess as the released one.

python benchmarks/bias.py [--shared ../shared] [--seed 0]
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

TOLMAN = str(Path(sys.executable).with_name("tolman"))
LIMIT = 300.0
KEEP = "2362"


def run(data: Path, out: str, *options: str) -> float:
    """Seconds of one whole process."""
    started = time.monotonic()
    command = [TOLMAN, "analyze", "bias", "vsi-bench", "--data", str(data), "--out", out, *options]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return time.monotonic() - started


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--shared", type=Path, default=Path("../shared"))
    parser.add_argument("--seed", default="0")
    options = parser.parse_args()
    data = options.shared / "data" / "vsi-bench"
    with tempfile.TemporaryDirectory() as out:
        alone = run(data, out, "--seed", options.seed)
        removed = str(data / "removed_ids.txt")
        whole = run(data, out, "--seed", options.seed, "--prune", KEEP, "--against", removed)
        rows = json.loads((Path(out) / "bias.json").read_text(encoding="utf-8"))["rows"]
    print(f"blind scores of 5,130 questions: {alone:.0f} s (limit {LIMIT:.0f} s); with pruning: {whole:.0f} s")
    worse = 0
    found = {(row["subset"], row["trained_on"], row["learner"]): row["columns"] for row in rows}
    for learner in ("random-forest", "gradient-boosting"):
        for trained in ("all items", "the subset"):
            for column in ("average", "all_items"):
                own, released = (found[s, trained, learner][column]["value"] for s in ("pruned", "given"))
                worse += own > released
                print(f"{learner}, trained on {trained}, {column}: pruned {own:.2f}, released {released:.2f}")
    return int(alone > LIMIT or worse > 0)


if __name__ == "__main__":
    sys.exit(main())
