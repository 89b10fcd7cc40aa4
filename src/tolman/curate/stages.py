"""The stages of a recipe in their order: Tolman's own, each declared in its module, and those of plugins."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from tolman.curate.pipeline import Done, Stage, Work, carry_out
from tolman.curate.recipe import Recipe
from tolman.errors import UsageError
from tolman.names import hint, unknown
from tolman.registry import Registry


def _problem(thing: object) -> str:
    return "" if isinstance(thing, Stage) else "is no Stage of tolman.curate.pipeline"


REGISTRY = Registry(
    "curation stage", "tolman.curate", "STAGE", "tolman.curation_stages", "STAGES", named_by_file=False, check=_problem
)


def stages_of(recipe: Recipe) -> list[Stage]:
    """All stages in the order in which they are carried out, wanted or not.

    Raises:
        UsageError: the recipe has a table for a stage that there isn't, or a stage comes after none that there is.
    """
    known = REGISTRY.all()
    for name in recipe.stages:
        if name not in known or _is_own(known[name]):
            raise unknown("stage of a plugin", name, [one.name for one in known.values() if not _is_own(one)])
    return in_order(list(known.values()))


def in_order(stages: Sequence[Stage]) -> list[Stage]:
    """Each stage behind the one that it comes after. Of several after one, Tolman's own is last, so that what is added
    comes right behind its place; else they go by name.

    Raises:
        UsageError: a stage comes after none of them.
    """
    names = [stage.name for stage in stages]
    for stage in stages:
        if stage.after and stage.after not in names:
            raise UsageError(
                f"the stage '{stage.name}' comes after '{stage.after}', which there isn't; {hint(stage.after, names)}."
            )
    found: list[Stage] = []

    def follow(place: str) -> None:
        for stage in sorted((one for one in stages if one.after == place), key=lambda one: (_is_own(one), one.name)):
            found.append(stage)
            follow(stage.name)

    follow("")
    if len(found) < len(stages):
        lost = ", ".join(f"'{stage.name}'" for stage in stages if stage not in found)
        raise UsageError(f"the stages {lost} come after each other in a circle; give one of them another place.")
    return found


def _is_own(stage: Stage) -> bool:
    return stage.run.__module__.startswith("tolman.curate.")


def curate(recipe: Recipe, pool: Path, work: Work | None = None, until: str | None = None) -> list[Done]:
    """Carry out a recipe; see `carry_out`.

    Raises:
        UsageError: see `stages_of`.
    """
    return carry_out(work or Work(recipe, pool), stages_of(recipe), until)
