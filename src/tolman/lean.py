"""Lean: the base of models of which a run holds a hundred thousand."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel

_SHARED: dict[frozenset[str], set[str]] = {}


class Lean(BaseModel):
    """A model that shares with others of its kind what pydantic would keep for each.

    That is the set of the fields that were given, which takes more memory than most of them (728 bytes from five fields
    on). Who writes into it, as `model_copy` does, copies it first. For frozen models only.
    """

    def model_post_init(self, context: Any) -> None:
        """Take the set of an earlier instance with the same fields."""
        given = self.__pydantic_fields_set__
        object.__setattr__(self, "__pydantic_fields_set__", _SHARED.setdefault(frozenset(given), given))
