"""Rules: what the settings of all families have in common."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict


class Rules(BaseModel):
    """The thresholds of a family: they don't change once made, and an unknown one is an error."""

    model_config = ConfigDict(frozen=True, extra="forbid")
