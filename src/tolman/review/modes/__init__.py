"""The modes of work, a module each; `MODES` names them all."""

from __future__ import annotations

from tolman.review.modes.answer import ANSWER
from tolman.review.modes.base import Mode
from tolman.review.modes.errors import ERRORS

MODES: dict[str, Mode] = {mode.name: mode for mode in (ANSWER, ERRORS)}
