"""What a reader has before a command is typed, and what the command then says.

A key is a page and a command as it stands there, or '*' and the beginning of commands on any page (`docs.exceptions`).
A step is carried out once for each page, before the first command that needs it.
"""

from collections.abc import Callable
from pathlib import Path

from docs.exceptions import Key
from docs.local_networks import make_networks
from docs.nodes import write_programs
from docs.people import make_asked, make_errors, make_labels, make_opinions, make_people, make_study
from docs.question_sets import make_own_set, make_question_sets
from docs.recordings import make_recordings
from docs.scans import make_groups, make_recipe
from docs.tables import make_levels, make_prices, make_scanned, make_squeezed, make_tables, make_unfiltered

Step = Callable[[Path, Path], None]
"""Given the page's folder, and a folder that is kept for other pages."""

NAMED = "tolman run vsi-bench --model openai/NAME --base-url http://localhost:8000/v1"

STEPS: dict[Key, Step] = {
    ("*", "tolman measure "): make_recordings,
    ("docs/ingest/lidar.md", "tolman ingest rig recordings/ --out scenes"): make_recordings,
    ("docs/review/checking.md", "tolman review my-bench --rig yard --rig worlds"): make_recordings,
    ("*", "tolman curate run "): make_question_sets,
    (
        "docs/review/writing.md",
        'tolman ingest media photos --out pool --source "My photos" --groups groups.csv',
    ): make_groups,
    ("docs/curate/index.md", "tolman curate import my-set.toml my-data --out my-pool"): make_own_set,
    ("docs/review/index.md", "tolman review my-bench --runs runs/people"): make_people,
    ("docs/review/studies.md", "tolman review my-bench --runs runs/people"): make_study,
    ("docs/gallery.md", "tolman review my-bench --runs runs/people"): make_asked,
    ("docs/review/operating.md", "tolman review backup my-bench --out review.tar"): make_people,
    ("*", "tolman review my-bench --export"): make_people,
    ("*", "tolman review my-bench --verify"): make_opinions,
    ("docs/review/checking.md", "tolman analyze errors run --labels labels.jsonl --judge openai/JUDGE"): make_labels,
    (
        "docs/analyses/index.md",
        "tolman analyze errors run --judge openai/judge --text-only --reference without --labels people.csv",
    ): make_errors,
    ("*", "tolman analyze correlation "): make_tables,
    ("*", "tolman analyze maps squeezed"): make_squeezed,
    ("docs/construction.md", "tolman audit my-bench --shortcuts --teach other-seeds"): make_unfiltered,
    ("docs/construction.md", "tolman form my-bench --out fresh"): make_scanned,
    ("docs/tolman-2.md", "tolman simulate --config tolman-2/recipe.toml"): make_recipe,
    ("*", "tolman analyze weights runs/"): make_levels,
    ("*", "tolman run vsi-bench --model hf/"): make_networks,
    ("*", "tolman run vsi-bench --model openai/Qwen/Qwen2.5-VL-7B-Instruct --serve "): write_programs,
    ("*", "tolman run vsi-bench --model openai/NAME --serve "): write_programs,
    ("docs/endpoints.md", f"{NAMED} --prices prices.json --max-cost 20"): make_prices,
}
"""Command → what is there before it."""

SNIPPETS: dict[str, Step] = {"docs/measure.md": make_recordings}
"""Page → what is there before its Python snippets are run."""

SAYS: dict[Key, str] = {
    ("*", "tolman measure yard area"): r"area: 0\.",
    ("*", "tolman measure yard span"): r"span: 0\.",
    ("*", "tolman measure yard height"): r"height: 0\.(8[89]|9[012])",
    ("*", "tolman measure yard distance"): r"distance: 2\.(4[5-9]|5[0-5])",
    ("*", "tolman measure recordings/yard area"): r"area: 0\.",
    ("*", "tolman measure worlds size"): r'"value": 0\.(8[89]|9[012])',
    ("*", "tolman measure hall.laz"): r"room-area: 7[0-4]",
    ("*", "tolman curate run "): "Evaluate with 'tolman run ./(pool|POOL)/benchmark'",
    ("*", "tolman curate import "): r"left out: \S*test\.jsonl, row \d",
    ("*", "tolman review my-bench --export"): r"version \d+: my-bench-2 \(\d+ approve",
}
"""Command → a pattern of what it prints, where the page shows no output."""
