"""`tolman review`."""

from __future__ import annotations

from pathlib import Path

import typer

from tolman.commands.configured import configured
from tolman.commands.options import Json, console, show
from tolman.workflows.review import ReviewConfig

app = typer.Typer()


@app.command()
@configured(ReviewConfig)
def review(config: ReviewConfig, as_json: Json = False) -> Path | None:
    """Serve the web application in which people answer and check a benchmark's questions, or write what came of it.

    Example:  tolman review my-bench --port 8000

    Example:  tolman review new-bench --pool my-pool --uploads 50

    Example:  tolman review my-bench --runs runs/people

    Example:  tolman review vsi-bench --errors-of runs/vsi-bench-full/my-model-cot

    Example:  tolman review my-bench --verify pool/verify/review.jsonl --rig yard

    Example:  tolman review my-bench --export my-bench-2
    """
    from tolman.commands.show.review import show_exported, show_listening, show_marked
    from tolman.workflows.review import check, export_review_runs, export_reviewed, serve_review

    check(config)
    if config.runs is not None:
        written = export_review_runs(config)
        if not as_json:
            show_marked(console(), written)
        show(*written.folders, as_json=as_json)
        return written.out
    if config.export is not None:
        exported = export_reviewed(config)
        show_exported(console(), exported, as_json=as_json)
        return exported.out
    serve_review(config, lambda listening: show_listening(console(), listening))
    return None
