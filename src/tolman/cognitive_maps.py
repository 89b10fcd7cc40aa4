"""Cognitive maps: where the objects of a scene are on a grid, as a model draws them and as they are.

Source: VSI-Bench paper, section 6 and Appendix B.4. The true map follows its authors' recipe: z is left out, and the
objects' centres are normalised to the grid.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from tolman.scenes import Scene

Place = tuple[float, float]

MAX_CHARS = 50_000
"""A longer text is read from its last so many characters."""
MAX_PLACES = 1_000
_NUMBER = r"[+-]?\d{1,9}(?:\.\d{1,9})?"
_POINT = re.compile(rf"[(\[]\s*({_NUMBER})\s*,\s*({_NUMBER})\s*(?:,\s*{_NUMBER}\s*)?,?\s*[)\]]")
_OBJECT_POINT = re.compile(
    rf"\{{\s*[\"']?x[\"']?\s*:\s*({_NUMBER})\s*,\s*[\"']?y[\"']?\s*:\s*({_NUMBER})[^{{}}]{{0,40}}\}}", re.I
)
_KEY = re.compile(
    r"\"([^\"\n]{1,80})\"\s*:|'([^\n\"]{1,80}?)'\s*:|(?<![\w\"'])([A-Za-z][\w ()/-]{0,60}?)\s*:\s*(?=[\[({])"
)
_FENCE = re.compile(r"```[a-zA-Z]*[ \t]*\n(.*?)(?:```|\Z)", re.DOTALL)
_QUOTES = str.maketrans({"“": '"', "”": '"', "„": '"', "‘": "'", "’": "'", "`": "'", "（": "(", "）": ")", "，": ","})
_THOUGHT = re.compile(r"\A.*</(?:think|thinking|thought|reasoning)>", re.DOTALL | re.IGNORECASE)


@dataclass(frozen=True)
class CognitiveMap:
    """Objects on a grid, seen from above.

    Attributes:
        grid: cells along each side; places are between 0 and this.
        places: category → the centre (x, y) of each of its objects. x and y have the unit of one cell and are as in
            the scene: y grows a quarter turn counter-clockwise from x.
    """

    grid: int
    places: Mapping[str, tuple[Place, ...]]

    def text(self) -> str:
        """In the format that the released prompt asks for, with two decimals where they are needed."""
        listed = (
            f'"{category}": [{", ".join(f"({_short(x)}, {_short(y)})" for x, y in places)}]'
            for category, places in self.places.items()
        )
        return "{" + ", ".join(listed) + "}"


@dataclass(frozen=True)
class MapReading:
    """The places of things according to a text.

    Attributes:
        map: the map; None where the text holds no place at all.
        problems: unusable parts, each as a phrase: 'no map', '2 places outside the grid', "'lamp' was not asked for" …
    """

    map: CognitiveMap | None
    problems: tuple[str, ...] = ()


def read_map(text: str, *, grid: int = 10, categories: Sequence[str] = ()) -> MapReading:
    """Read the map that a response draws.

    JSON is read as models write it: in code fences or prose, with single or typographic quotes or none, trailing
    commas, points in round or square brackets or as {"x": …, "y": …}, one point instead of a list, a third coordinate
    (left out), numbered instances ("chair 1", "chair_2"). If there are several maps, the last that places anything
    counts.

    Args:
        text: the response, hostile or not. Never raises; the time is bounded by `MAX_CHARS`.
        grid: cells along each side. Places outside 0 … grid are left out.
        categories: those requested, which name their places; others are left out. All that the text names where empty.
    """
    text = conclusion(text)
    for candidate in json_candidates(text):
        found = _entries(candidate)
        if any(found.values()):
            return _reading(found, grid, categories)
    return MapReading(None, ("no map",))


def true_map(
    scene: Scene, *, grid: int = 10, categories: Iterable[str] | None = None, stretch: bool = False
) -> CognitiveMap:
    """Return the places of a scene's objects, from their boxes.

    Args:
        scene: with boxes in metres.
        grid: cells along each side.
        categories: those to be placed; all of the scene's with a box where None.
        stretch: let the objects' extent fill the grid along x and y separately; else both axes keep one scale, the
            longer fills the grid and the shorter is centred, so that directions and distances are those of the scene.

    Raises:
        KeyError: the scene has no object of a category.
    """
    centers = np.array([thing.box.center[:2] for thing in scene.objects], dtype=np.float64)
    low, high = centers.min(axis=0), centers.max(axis=0)
    span = high - low if stretch else np.full(2, (high - low).max())
    span[span < 1e-9] = 1.0  # one object, or all in one line: in the middle of that axis
    scaled = (centers - (low + high) / 2) / span * grid + grid / 2
    placed: dict[str, list[Place]] = {}
    for thing, (x, y) in zip(scene.objects, scaled, strict=True):
        placed.setdefault(thing.category, []).append((float(x), float(y)))
    wanted = list(placed) if categories is None else list(categories)
    return CognitiveMap(grid, {category: tuple(placed[category]) for category in wanted})


def conclusion(text: str) -> str:
    """The last `MAX_CHARS` characters of a response, without marked thoughts and with ASCII quotes."""
    return _THOUGHT.sub("", text[-MAX_CHARS:]).translate(_QUOTES)


def json_candidates(text: str) -> list[str]:
    """Return the texts that may hold JSON, the likeliest first: the bodies of code fences and outermost braces from
    the last to the first, then the whole text."""
    fenced = [match[1] for match in _FENCE.finditer(text)]
    spans, depth, start = [], 0, 0
    for i, character in enumerate(text):
        if character == "{":
            start = i if depth == 0 else start
            depth += 1
        elif character == "}" and depth:
            depth -= 1
            if depth == 0:
                spans.append(text[start : i + 1])
    if depth:  # cut off before its end
        spans.append(text[start:])
    whole = [span for span in reversed(spans) if not _OBJECT_POINT.fullmatch(span)]
    return [*whole, *reversed(fenced), text]


def _entries(text: str) -> dict[str, list[Place]]:
    """Return each key with the points before the next key."""
    text = _OBJECT_POINT.sub(r"(\1, \2)", text)
    keys = list(_KEY.finditer(text))
    found: dict[str, list[Place]] = {}
    for i, match in enumerate(keys):
        end = keys[i + 1].start() if i + 1 < len(keys) else len(text)
        name = (match[1] or match[2] or match[3]).strip()
        points = [(float(x), float(y)) for x, y in _POINT.findall(text[match.end() : end])]
        found.setdefault(name, []).extend(points[:MAX_PLACES])
        if len(found) > MAX_PLACES:
            break
    return found


def _reading(found: Mapping[str, list[Place]], grid: int, categories: Sequence[str]) -> MapReading:
    known = {plain_category(category): category for category in categories}
    placed: dict[str, list[Place]] = {}
    problems, outside = [], 0
    for name, points in found.items():
        category = match_category(name, known) if known else name
        if category is None:
            problems.append(f"'{name}' was not asked for")
            continue
        inside = [(x, y) for x, y in points if 0 <= x <= grid and 0 <= y <= grid]
        outside += len(points) - len(inside)
        if inside:
            placed.setdefault(category, []).extend(inside)
    if outside:
        problems.append(f"{outside} {'place' if outside == 1 else 'places'} outside the grid")
    problems += [f"'{category}' is not placed" for category in categories if category not in placed]
    if not placed:
        return MapReading(None, ("no map", *problems))
    return MapReading(CognitiveMap(grid, {name: tuple(points) for name, points in placed.items()}), tuple(problems))


def plain_category(name: str) -> str:
    """A name in lower case, without underscores, hyphens and "(s)"."""
    return " ".join(re.sub(r"[_\-]+", " ", name.casefold()).replace("(s)", "").split())


def match_category(name: str, known: Mapping[str, str]) -> str | None:
    """The category that is meant by a name: itself, its plural or singular, or one numbered instance of it.

    Args:
        name: as a model wrote it.
        known: `plain_category` of each category → the category.
    """
    plain = plain_category(name)
    numberless = re.sub(r"\s*[#(]?\d+\)?\Z", "", plain)
    for form in (plain, numberless):
        for candidate in (form, form.removesuffix("s"), form.removesuffix("es"), f"{form}s", f"{form}es"):
            if candidate in known:
                return known[candidate]
    return None


def _short(value: float) -> str:
    return f"{value:.2f}".rstrip("0").rstrip(".")
