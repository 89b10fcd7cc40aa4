"""Near-duplicates: the same question about the same media, whatever its wording; never a template with another word."""

import io
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from tolman.analyze.duplicates import (
    QuestionText,
    comparable,
    leaks,
    media_names,
    near_duplicates,
    near_pictures,
    picture_hash,
    say_the_same,
    without_repeats,
)
from tolman.items import Media
from tolman.media.frame_store import FrameStore


def ask(
    number: int, text: str, media: str = "room", answer: str = "x", origin: str = "a", options: tuple[str, ...] = ()
) -> QuestionText:
    return QuestionText.of(str(number), origin, text, media, answer, options)


def groups(*questions: QuestionText) -> list[tuple[int, ...]]:
    return [group.members for group in near_duplicates(questions)]


def test_wordings_of_one_question() -> None:
    texts = ("Which of the followings has the least quantity?", "Which of the following has the least quantity",
             "which of the following has  the LEAST quantity?!")  # fmt: skip
    elsewhere = ask(3, "Which of the following has the least quantity?", media="hall")
    assert groups(*(ask(number, text) for number, text in enumerate(texts)), elsewhere) == [(0, 1, 2)]


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("How many chairs are in this large room of the house?", "How many tables are in this large room of the house?"),
        ("If I stand by the stove facing the sofa, where is the tv?", "If I stand by the sofa facing the stove, where is the tv?"),
        ("What is left of the wardrobe in the picture?", "What is right of the wardrobe in the picture?"),
        ("What do you see at 0:08 from the building entrance?", "What do you see at 0:09 from the building entrance?"),
    ],
)  # fmt: skip
def test_a_template_with_other_words_or_order_is_another_question(first: str, second: str) -> None:
    assert groups(ask(0, first), ask(1, second)) == []


def test_options_or_answer_must_agree() -> None:
    text = "Which of these statements about the room is true?"
    one = ask(0, text, answer="a", options=("a", "b"))
    assert groups(one, ask(1, text, answer="c", options=("c", "d"))) == []
    assert groups(one, ask(1, text, answer="a", options=("a", "d"))) == [(0, 1)]
    (group,) = near_duplicates([one, ask(1, text, answer="b", options=("b", "a"))])
    assert group.conflict


def test_leaks_and_what_is_left_out() -> None:
    text = "Where is the red lamp"
    questions = [ask(0, f"{text}?"), ask(1, text), ask(2, f"{text}?", origin="b")]
    found = near_duplicates(questions)
    assert [(mine.id, theirs.id) for mine, theirs in leaks(found, questions)] == [("0", "2"), ("1", "2")]
    assert without_repeats(found[:1], ["p", "q", "r"]) == {"q": "p", "r": "p"}
    assert near_duplicates([]) == []


WORDS = st.lists(st.text("abcdefgh", min_size=3, max_size=9), min_size=6, max_size=25)


@settings(max_examples=40)
@given(WORDS, st.integers(0, 10**6))
def test_exact_copies_are_always_found(words: list[str], seed: int) -> None:
    generator = np.random.default_rng(seed)
    texts = [" ".join(generator.permutation(words)) + f" {i}" for i in range(12)]
    questions = [ask(i, text) for i, text in enumerate(texts)] + [ask(12, f"the {texts[5].upper()}?")]
    assert (5, 12) in groups(*questions)


@given(st.text(max_size=60), st.text(max_size=60))
def test_saying_the_same_is_symmetric(first: str, second: str) -> None:
    a, b = comparable(first), comparable(second)
    assert say_the_same(a, a)
    assert say_the_same(a, b) == say_the_same(b, a)


@settings(max_examples=30)
@given(
    st.lists(st.integers(0, 2**64 - 1), min_size=1, max_size=30),
    st.sets(st.integers(0, 63), max_size=7),
    st.integers(0, 7),
)
def test_all_pictures_within_so_many_bits_are_linked(hashes: list[int], flipped: set[int], bits: int) -> None:
    changed = hashes[0]
    for place in flipped:
        changed ^= 1 << place
    numbers = near_pictures(np.array([*hashes, changed], dtype=np.uint64), bits)
    if len(flipped) <= bits:
        assert numbers[0] == numbers[-1]
    for i, a in enumerate(hashes):  # whatever has no near neighbour stands alone
        if all((a ^ b).bit_count() > bits for j, b in enumerate([*hashes, changed]) if j != i):
            assert numbers.count(numbers[i]) == 1


def drawing(seed: int, size: tuple[int, int] = (160, 120), quality: int = 90) -> bytes:
    pillow = pytest.importorskip("PIL.Image")
    small = np.random.default_rng(seed).integers(0, 255, (6, 8, 3), dtype=np.uint8)
    out = io.BytesIO()
    pillow.fromarray(small).resize((320, 240), 3).resize(size).save(out, "JPEG", quality=quality)
    return out.getvalue()


def test_a_picture_is_known_again_after_scaling_and_compression() -> None:
    for seed in range(8):
        kept, again = picture_hash(drawing(seed)), picture_hash(drawing(seed, (96, 72), quality=40))
        assert (kept ^ again).bit_count() <= 4
    different = [picture_hash(drawing(seed)) for seed in range(8)]
    assert min((a ^ b).bit_count() for i, a in enumerate(different) for b in different[:i]) > 10


def test_media_are_the_same_by_what_they_show_and_else_by_their_names(tmp_path: Path) -> None:
    (tmp_path / "one.jpg").write_bytes(drawing(1))
    (tmp_path / "copy.jpg").write_bytes(drawing(1, (120, 90), quality=50))
    (tmp_path / "two.jpg").write_bytes(drawing(2))
    (tmp_path / "broken.jpg").write_bytes(b"no picture")
    paths = ["one.jpg", "copy.jpg", "two.jpg", "far/away.mp4", "other/AWAY.webm", "broken.jpg"]
    media = [[Media(kind="video" if path.endswith(("mp4", "webm")) else "image", path=path)] for path in paths]
    names, looked_at = media_names(media, tmp_path, FrameStore(tmp_path / "frames"))
    assert looked_at == 3
    assert names[0] == names[1] != names[2]
    assert names[3] == names[4] == "away"
    assert names[5] == "broken"
    assert media_names([[]], tmp_path, None) == ([""], 0)
    assert media_names(media, tmp_path, FrameStore(tmp_path / "others"), workers=2) == (names, looked_at)
