"""Family: one kind of question, declared in one file.

A module of `generate/families/`, a plugin (`--plugin my_family.py`) or another package's entry point declares it as
`FAMILY`, or several in the tuple `FAMILIES`; nothing else has to be edited. `generate.registry` finds it by its name.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Generic, TypeVar

from pydantic import BaseModel, ConfigDict

from tolman.generate.draft import Draft, Recomputed, Rejected
from tolman.generate.geometry import SceneGeometry
from tolman.generate.taxonomy import TaxonomyPlace

_NAME = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*/[a-z0-9]+(?:-[a-z0-9]+)*")


class FamilySettings(BaseModel):
    """Thresholds of a family: they don't change once made, and an unknown one is an error."""

    model_config = ConfigDict(frozen=True, extra="forbid")


SettingsT = TypeVar("SettingsT", bound=FamilySettings)


@dataclass(frozen=True)
class Family(Generic[SettingsT]):
    """One kind of question.

    Attributes:
        name: the paper or project that it is from, and its own: 'vsi-bench/relative-distance'.
        title: of its documentation, in a few words.
        tasks: its question types.
        settings: its default thresholds; their class declares their names, and with them what a preset may change.
        taxonomy: its place in the taxonomies of the four benchmarks.
        draft: (scene, settings) → questions and rejections.
        recompute: (scene, item, settings, released=…) → what the scene says about a question of that type, by the
            released geometry too if asked for; KeyError where the scene lacks an object, ValueError where the text is
            none of this family's.
        names: patterns whose groups are the categories that such a question names, or lists of them with commas.
        min_shown: share of a picture that a thing takes up in some frame of the video, if it is to be asked about,
            where that is more than `geometry.SEEN` pixels.

    Raises:
        ValueError: the name is none, there is no question type, or the settings are a class and not an instance.
    """

    name: str
    title: str
    tasks: tuple[str, ...]
    settings: SettingsT
    taxonomy: TaxonomyPlace
    draft: Callable[[SceneGeometry, SettingsT], Iterator[Draft | Rejected]]
    recompute: Callable[..., Recomputed]
    names: tuple[re.Pattern[str], ...] = ()
    min_shown: float = 0.0

    def __post_init__(self) -> None:
        if not _NAME.fullmatch(self.name):
            raise ValueError(f"'{self.name}' is no name of a family; write lower-case words as in 'my/object-height'")
        if not self.tasks or isinstance(self.tasks, str):
            raise ValueError(f"the family '{self.name}' needs a tuple of question types in 'tasks'")
        if not isinstance(self.settings, FamilySettings):
            raise ValueError(f"the family '{self.name}' needs an instance of a FamilySettings class in 'settings'")

    @property
    def short_name(self) -> str:
        """Its name without the paper: 'relative-distance'."""
        return self.name.rpartition("/")[2]
