"""Questions that count as one: a group's rows joined."""

from __future__ import annotations

import math
from collections.abc import Sequence

import polars as pl

from tolman.items import Item
from tolman.scoring.aggregate import column_of
from tolman.scoring.metric import Metric
from tolman.scoring.rules import RuleSet


def join_groups(
    scores: pl.DataFrame, items: Sequence[Item], rule_sets: Sequence[RuleSet], metrics: Sequence[Metric] = ()
) -> pl.DataFrame:
    """Let the first item of each group of a rule set stand for the group, with the least of its scores; where all are
    answered and a judgement of one failed, the group is without a judgement. A group counts as unread where its unread
    items decide: all that were read are right."""
    named = ((rules.name, item.id, rules.group(item)) for item in items for rules in rule_sets)
    groups = [one for one in named if one[2] is not None]
    if not groups:
        return scores
    names = pl.DataFrame(groups, schema={"rule_set": pl.String, "id": pl.String, "group": pl.String}, orient="row")
    columns = scores.columns
    scores = scores.join(names.unique(), on=["rule_set", "id"], how="left", maintain_order="left")
    key = [pl.col("rule_set"), pl.col("repeat"), pl.coalesce("group", "id")]
    first = pl.int_range(pl.len()).over(key) == 0
    whole = pl.col("score").is_not_null().all().over(key)
    unjudged = pl.col("status") == "unjudged"
    lost = (unjudged.any() & ~pl.col("status").is_in(["failed", "missing"]).any()).over(key)
    reason = pl.col("note").filter(unjudged).first().over(key)
    status = (
        pl.when(first & whole)
        .then(pl.lit("scored"))
        .when(first & lost)
        .then(pl.lit("unjudged"))
        .when(first & (pl.col("status") == "scored"))
        .then(pl.lit("missing"))
        .when(first)
        .then(pl.col("status"))
        .otherwise(pl.lit("left out"))
    )
    least = [pl.when(first & whole).then(pl.col(name).min().over(key)).alias(name) for name in ("score", "expected")]
    note = pl.when(first & lost).then(reason).otherwise(pl.col("note"))
    return scores.with_columns(
        *least,
        status.alias("status"),
        note.alias("note"),
        *_group_states(key, first=first & whole),
        *(_worst(metric, key, first=first & whole) for metric in metrics),
    ).select(columns)


def _worst(metric: Metric, key: list[pl.Expr], *, first: pl.Expr) -> pl.Expr:
    """A group's worst value; nan where one of its items has none, or values can't be compared."""
    name = column_of(metric)
    value = pl.col(name)
    worst = {"higher": value.min(), "lower": value.max(), "zero": value.sort_by(value.abs()).last()}[metric.direction]
    lacking = value.is_nan().any() if metric.ordered else value.is_not_null().any()
    return (
        pl.when(first).then(pl.when(lacking.over(key)).then(math.nan).otherwise(worst.over(key))).otherwise(None)
    ).alias(name)


def _group_states(key: list[pl.Expr], *, first: pl.Expr) -> list[pl.Expr]:
    """The state of a group and its score with unread items at chance: the least score of those that were read times
    the chances of the others, which are drawn independently."""
    unread = pl.col("state").is_in(["none", "cut off"]).fill_null(False)
    least_read = pl.when(~unread).then(pl.col("score")).otherwise(1.0).min()
    guessed_right = pl.when(unread).then(pl.col("at_chance")).otherwise(1.0).product()
    state = (
        pl.when(pl.col("state").is_null().all())
        .then(None)
        .when(~unread.any() | (least_read == 0))
        .then(pl.lit("read"))
        .when((pl.col("state") == "cut off").any())
        .then(pl.lit("cut off"))
        .otherwise(pl.lit("none"))
    )
    return [
        pl.when(first).then(state.over(key)).otherwise(pl.col("state")).alias("state"),
        pl.when(first).then((least_read * guessed_right).over(key)).alias("at_chance"),
    ]
