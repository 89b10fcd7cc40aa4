"""The stages of a recipe in their order."""

from __future__ import annotations

from pathlib import Path

from tolman.curate.collecting import duplicates_stage, import_settings, import_stage
from tolman.curate.converting import convert_stage
from tolman.curate.filtering import classify_settings, classify_stage
from tolman.curate.pipeline import Done, Stage, Work, carry_out
from tolman.curate.publishing import publish_settings, publish_stage
from tolman.curate.recipe import Recipe
from tolman.curate.stratifying import stratify_stage
from tolman.curate.verify import verify_stage

STAGES = [
    Stage("import", import_stage, import_settings),
    Stage("duplicates", duplicates_stage, lambda w: w.recipe.duplicates, lambda r: r.duplicates is not None),
    Stage("classify", classify_stage, classify_settings, lambda r: r.classify is not None),
    Stage("convert", convert_stage, lambda w: [w.recipe.convert.model_dump(mode="json"), w.recipe.seed]),
    Stage(
        "stratify",
        stratify_stage,
        lambda w: [w.recipe.stratify and w.recipe.stratify.model_dump(mode="json"), w.recipe.seed],
        lambda r: r.stratify is not None,
    ),
    Stage(
        "verify",
        verify_stage,
        lambda w: [w.recipe.verify and w.recipe.verify.model_dump(mode="json"), w.recipe.seed],
        lambda r: r.verify is not None,
    ),
    Stage("benchmark", publish_stage, publish_settings),
]


def curate(recipe: Recipe, pool: Path, work: Work | None = None, until: str | None = None) -> list[Done]:
    """Carry out a recipe; see `carry_out`."""
    return carry_out(work or Work(recipe, pool), STAGES, until)
