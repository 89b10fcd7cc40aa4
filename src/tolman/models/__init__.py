"""Models by name: 'family/name', a module for each family.

`baseline/random` is made by `create` in `tolman.models.baseline`. Other packages add families through the entry
point group `tolman.models`, each naming a `create` function.
"""

from __future__ import annotations

import pkgutil
from collections.abc import Callable
from importlib import import_module
from importlib.metadata import entry_points

from tolman.errors import UsageError
from tolman.models.base import Model, ModelOptions

GROUP = "tolman.models"
_NOT_FAMILIES = {"base"}


def families() -> list[str]:
    """All families that can be named."""
    own = {info.name for info in pkgutil.iter_modules(__path__)} - _NOT_FAMILIES
    return sorted(own | {point.name for point in entry_points(group=GROUP)})


def create(name: str, options: ModelOptions) -> Model:
    """The model of a name such as 'baseline/random'.

    Raises:
        UsageError: there is no such family, or the family knows no such model.
    """
    family, _, rest = name.partition("/")
    own = {info.name for info in pkgutil.iter_modules(__path__)} - _NOT_FAMILIES
    if family in own:
        maker: Callable[[str, ModelOptions], Model] = import_module(f"{__name__}.{family}").create
    else:
        points = [point for point in entry_points(group=GROUP) if point.name == family]
        if not points:
            raise UsageError(f"there is no model family '{family}'; known: {', '.join(f'{f}/…' for f in families())}.")
        maker = points[0].load()
    if not rest:
        raise UsageError(f"'{name}' names a family but no model; write {family}/NAME.")
    return maker(rest, options)
