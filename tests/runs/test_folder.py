"""Names of runs in tables."""

import pytest

from tolman.runs.run_folder import RunSettings


@pytest.mark.parametrize(
    ("model", "protocol", "name"),
    [
        ("baseline/best-constant", "blind", "baseline/best-constant"),
        ("baseline/detector", "direct", "baseline/detector"),
        ("baseline/detector", "blind", "baseline/detector (blind)"),
        ("openai/m", "blind", "openai/m (blind)"),
    ],
)
def test_blind_is_said_of_what_can_see(model: str, protocol: str, name: str) -> None:
    settings = RunSettings(benchmark="b", subset="s", data_hash="0", model=model, protocol=protocol, preset="p")
    assert settings.named() == name
