"""Taxonomies: the categories that questions are sorted into, with the names and solved examples of the prompt."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field

from tolman.curate.mapping import ASK, NO
from tolman.errors import UsageError
from tolman.shelf import TomlShelf


class Category(BaseModel):
    """One category: the label that questions get, its name in the prompt, and what belongs to it."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    key: str
    prompt: str
    description: str = ""


class Example(BaseModel):
    """A solved example of the prompt."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    input: str
    output: str


class Taxonomy(BaseModel):
    """Categories with the prompt's examples.

    Attributes:
        name: of the taxonomy.
        categories: at least two.
        unsure: the name for what is spatial but of no certain category.
        examples: solved; outputs in the form that is asked for.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    categories: tuple[Category, ...] = Field(min_length=2)
    unsure: str = "Other spatial category can not be sure"
    examples: tuple[Example, ...] = ()

    @property
    def keys(self) -> tuple[str, ...]:
        """The labels."""
        return tuple(category.key for category in self.categories)

    def check(self, labels: set[str], where: str) -> None:
        """Make sure that labels are of this taxonomy.

        Raises:
            UsageError: one is not; the sentence names it and those there are.
        """
        unknown = sorted(labels - {*self.keys, ASK, NO})
        if unknown:
            raise UsageError(
                f"{where} has the category '{unknown[0]}', which the taxonomy {self.name} doesn't know; known: "
                f"{', '.join(self.keys)}, {ASK}, {NO}."
            )


_SHELF = TomlShelf("taxonomy", Taxonomy, "tolman.curate", "taxonomies")


def open_taxonomy(name: str) -> Taxonomy:
    """The taxonomy of the package (`site`), or one of the user's by the path of its TOML file.

    Raises:
        UsageError, InputError: there is none, or the file is none.
    """
    return _SHELF.open(name)
