"""Licences by the names that programs know; what holds for a part isn't taken for the whole."""

import pytest

from tolman.benchmarks.benchmark_folder import SPDX, card_lines, licence_url, spdx_of


@pytest.mark.parametrize(
    ("text", "spdx"),
    [
        ("CC-BY-4.0 (data card)", "CC-BY-4.0"), ("CC BY NC 4.0", "CC-BY-NC-4.0"), ("apache-2.0", "Apache-2.0"),
        ("odc-by", "ODC-By-1.0"), ("CC-BY-NC-4.0 (repository)", "CC-BY-NC-4.0"), ("Apache-2.0 (questions)", None),
        ("CC-BY-4.0 and others", None), ("", None), ("ScanNet's terms of use", None),
    ],
)  # fmt: skip
def test_texts_and_identifiers(text: str, spdx: str | None) -> None:
    assert spdx_of(text) == spdx


def test_every_identifier_is_its_own() -> None:
    assert [spdx_of(name) for name in SPDX] == list(SPDX)
    assert licence_url("MIT") == "https://spdx.org/licenses/MIT.html"


def test_lines_of_a_card() -> None:
    assert card_lines("ODbL-1.0") == "license: odbl\n"
    assert card_lines("") == "license: unknown\n"
    assert card_lines('Apache-2.0 ("questions")') == "license: other\nlicense_name: \"Apache-2.0 ('questions')\"\n"
