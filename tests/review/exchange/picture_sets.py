"""Projects at random, as they go to another annotation program."""

from typing import Any

from hypothesis import strategies as st

from tolman.review.exchange import (
    AnnotatedPicture,
    Choices,
    ExchangeError,
    NamedPicture,
    PictureSet,
    Receiver,
    Returned,
    Shape,
)

CONTROLS = (
    Choices("category", "Category", ("counting & existence", "movement <1 m>"), several=False),
    Choices("errors", "Errors", ("logic", "perception", "none"), several=True),
)
_NAMES = st.sampled_from(("chair", '<b> & "x"', "a = b", "Stühle", "椅子", "x" * 80))
_NOTES = st.sampled_from(("", "the lamp", "<i>left</i> & right", "ü 椅子"))


@st.composite
def picture_sets(draw: st.DrawFn) -> PictureSet:
    """Up to four pictures of any size, with points and lines of two people and boxes of objects."""
    pictures = []
    for number in range(draw(st.integers(0, 4))):
        size = draw(st.tuples(st.integers(1, 9000), st.integers(1, 9000)))
        x, y = (st.integers(0, 10 * length).map(lambda tenths: tenths / 10) for length in size)
        place = st.tuples(x, y)
        lines = st.tuples(place, place).filter(lambda ends: ends[0] != ends[1])
        person = st.sampled_from(("Ann", "Bob"))
        points = st.builds(Shape, st.just("point"), st.tuples(place), person, _NOTES)
        marks = st.one_of(points, st.builds(Shape, st.just("line"), lines, person, _NOTES))
        rectangle = st.builds(Shape, st.just("box"), lines.map(_corners), name=_NAMES)
        shapes = (*draw(st.lists(marks, max_size=6)), *draw(st.lists(rectangle, max_size=3)))
        chosen = draw(st.sampled_from([(), (("Ann", {"category": ["movement <1 m>"], "errors": ["logic", "none"]}),)]))
        picture = NamedPicture(f"t{number:06d}-m01", draw(_NAMES), size)
        pictures.append(AnnotatedPicture(picture, shapes, chosen))
    return PictureSet(draw(_NAMES), "3-folder", tuple(pictures), CONTROLS)


def _corners(ends: tuple[Any, Any]) -> tuple[Any, Any]:
    (a, b), (c, d) = ends
    return (min(a, c), min(b, d)), (max(a, c), max(b, d))


def receiver(project: PictureSet, person: str) -> Receiver:
    """Takes what is a person's on the pictures of a project."""
    known = {one.picture.key: one.picture for one in project.pictures}

    def find(key: str) -> NamedPicture:
        if key not in known:
            raise ExchangeError(f"there is no picture '{key}' in this project")
        return known[key]

    return Receiver(person, ("Ann", "Bob"), find, project.controls)


def marks(project: PictureSet, person: str) -> dict[str, list[Shape]]:
    """Key → what a person drew on the picture, as it comes back: without a name."""
    return {
        one.picture.key: [
            Shape(shape.kind, shape.points, note=shape.note)
            for shape in one.shapes
            if shape.person == person and shape.kind != "box"
        ]
        for one in project.pictures
    }


def shapes(found: dict[str, Returned]) -> dict[str, list[Shape]]:
    """Key → what came back."""
    return {key: one.shapes for key, one in found.items()}


PICTURE = NamedPicture("t000001-m01", "Where is it?", (640, 480))
ONE = PictureSet(
    "One",
    "3-one",
    (
        AnnotatedPicture(
            PICTURE,
            (
                Shape("point", ((320.0, 120.0),), "Ann", "the lamp"),
                Shape("line", ((0.0, 0.0), (640.0, 480.0)), "Ann"),
                Shape("box", ((64.0, 48.0), (128.0, 96.0)), name="chair"),
            ),
            (("Ann", {"category": ["movement <1 m>"], "errors": ["logic", "perception"]}),),
        ),
    ),
    CONTROLS,
)
"""A picture with one of each."""
