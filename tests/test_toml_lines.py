"""Lines of TOML files."""

import pytest

from tolman.toml_catalogue import line_of

TEXT = """\
a = 1
[one]
b = 2  # c = 3
"quoted key" = 4
[one.two]
d = { e = 5 }
[[many]]
f = 6
[[many]]
f = 7
g.h = 8
[many.inside]
i = 9
[[many.more]]
j = 10
[[many.more]]
j = 11
"""


@pytest.mark.parametrize(
    ("keys", "line"),
    [
        (("a",), 1),
        (("one",), 2),
        (("one", "b"), 3),
        (("one", "c"), 2),
        (("one", "quoted key"), 4),
        (("one", "two", "d"), 6),
        (("one", "two", "d", "e"), 6),
        (("many", 0, "f"), 8),
        (("many", 1, "f"), 10),
        (("many", 1, "g", "h"), 11),
        (("many", 1, "none"), 9),
        (("many", 1, "inside", "i"), 13),
        (("many", 1, "more", 0, "j"), 15),
        (("many", 1, "more", 1, "j"), 17),
        (("none",), None),
    ],
)
def test_the_line_of_a_key(keys: tuple[str | int, ...], line: int | None) -> None:
    assert line_of(TEXT, keys) == line
