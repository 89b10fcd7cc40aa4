"""The modes of work, a module each; `MODES` names them all."""

from __future__ import annotations

from tolman.review.modes.answer import ANSWER
from tolman.review.modes.classify import CLASSIFY
from tolman.review.modes.distractors import DISTRACTORS
from tolman.review.modes.errors import ERRORS
from tolman.review.modes.review import REVIEW_MODE
from tolman.review.modes.routes import ROUTES
from tolman.review.modes.study import STUDY_MODE
from tolman.review.modes.verify.mode import VERIFY
from tolman.review.modes.write import WRITE
from tolman.review.tasks.mode import Mode

MODES: dict[str, Mode] = {
    mode.name: mode for mode in (WRITE, ROUTES, DISTRACTORS, ANSWER, STUDY_MODE, REVIEW_MODE, VERIFY, ERRORS, CLASSIFY)
}
