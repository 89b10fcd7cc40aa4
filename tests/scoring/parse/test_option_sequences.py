"""Options that are routes or orders."""

import pytest

from tolman.scoring.parse.language_detection import detected
from tolman.scoring.parse.option_sequences import routes_of


@pytest.mark.parametrize("options", [("front left", "front right"), ("left", "right"), ("左前", "右前")])
def test_a_direction_is_no_route(options: tuple[str, ...]) -> None:
    assert routes_of(options, detected("\n".join(options), "")) == ()
