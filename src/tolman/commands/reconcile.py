"""`tolman reconcile`."""

from __future__ import annotations

import typer

from tolman.commands.configured import configured
from tolman.commands.options import Json, console
from tolman.workflows.reconcile import ReconcileConfig

app = typer.Typer()


@app.command()
@configured(ReconcileConfig)
def reconcile(config: ReconcileConfig, as_json: Json = False) -> None:
    """Say why two runs or logs of one benchmark have different scores: causes by item, in pieces that add up.

    Each piece is the mean, over all orders in which the causes could be switched from A to B, of what its cause adds to
    the figure (Shapley value). Causes that the logs can't tell apart are one piece, such as 'prompt or frames'.
    'unexplained' counts texts that differ although nothing that both sides record does.

    Example:  tolman reconcile runs/vsi-bench-full/my-model-direct logs/my-model_samples_vsibench.jsonl

    Example:  tolman reconcile runs/mmsi-bench-full/model-direct runs/mmsi-bench-full/model-direct --scorer-b careful

    Example:  tolman reconcile ours.jsonl theirs.xlsx --benchmark mmsi-bench --out why.html
    """
    from tolman.commands.show.reconcile import show_reconciliation
    from tolman.workflows.reconcile import reconcile as carry_out

    show_reconciliation(console(), carry_out(config), as_json=as_json)
