"""What a page marks in a response's text."""

from hypothesis import given, strategies as st

from tolman.reports.page_items import marked_parts


def sliced(text: str, start: int, end: int) -> str:
    """What JavaScript's `slice` gives."""
    return text.encode("utf-16-le")[2 * start : 2 * end].decode("utf-16-le")


def test_a_span_is_a_part() -> None:
    assert marked_parts("The answer is B.", [("careful", 14, 15)]) == [(14, 15, "careful")]


def test_characters_outside_the_basic_plane_count_twice() -> None:
    text = "🪑🪑 B 🪑"
    ((start, end, _),) = marked_parts(text, [("careful", 3, 4)])
    assert sliced(text, start, end) == "B"


def test_overlapping_spans_become_parts_with_all_their_names() -> None:
    assert marked_parts("0123456789", [("official", 1, 5), ("careful", 3, 8)]) == [
        (1, 3, "official"),
        (3, 5, "official, careful"),
        (5, 8, "careful"),
    ]
    assert marked_parts("0123456789", [("a", 1, 2), ("b", 6, 7)]) == [(1, 2, "a"), (6, 7, "b")]


def test_a_span_that_is_none_is_left_out() -> None:
    spans = [("x", -1, 2), ("x", 2, 2), ("x", 3, 1), ("x", 2, 99), ("x", 99, 100)]
    assert marked_parts("0123", spans) == []
    assert marked_parts("", [("x", 0, 1)]) == []


@given(
    st.text(max_size=30),
    st.lists(st.tuples(st.sampled_from("ab"), st.integers(-5, 40), st.integers(-5, 40)), max_size=6),
)
def test_parts_are_disjoint_in_order_and_cover_what_was_read(text: str, spans: list[tuple[str, int, int]]) -> None:
    parts = marked_parts(text, spans)
    edges = [edge for start, end, _ in parts for edge in (start, end)]
    assert edges == sorted(edges)
    covered = {i for _, start, end in spans if 0 <= start < end <= len(text) for i in range(start, end)}
    assert "".join(sliced(text, start, end) for start, end, _ in parts) == "".join(text[i] for i in sorted(covered))
