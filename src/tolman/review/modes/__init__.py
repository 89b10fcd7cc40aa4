"""The modes of work; `MODES` names them all."""

from __future__ import annotations

from tolman.review.modes.answering import ANSWER_MODE, STUDY_MODE
from tolman.review.modes.frame_distractors import DISTRACTORS
from tolman.review.modes.item_review import REVIEW_MODE
from tolman.review.modes.labelling import CLASSIFY, ERRORS
from tolman.review.modes.question_writing import WRITE
from tolman.review.modes.route_planning import ROUTES
from tolman.review.modes.verification import VERIFY
from tolman.review.tasks import Mode

MODES: dict[str, Mode] = {
    mode.name: mode
    for mode in (WRITE, ROUTES, DISTRACTORS, ANSWER_MODE, STUDY_MODE, REVIEW_MODE, VERIFY, ERRORS, CLASSIFY)
}
