"""Names of things in questions, and their habitual places."""

from __future__ import annotations

from typing import Literal

Habit = Literal["wall", "table", "desk", "chair", "seat", "bedside", "surface", "floor", "hung", "never"]
"""
wall      stands with its back to a wall            bedside   stands beside a bed
table     stands free, with chairs around it        surface   stands on a table, a desk, a low cabinet
desk      stands at a wall, with a chair before it  floor     stands anywhere on the floor
chair     belongs to a table or a desk              hung      hangs on a wall
seat      stands near a wall, turned to the room    never     isn't put into rooms
"""

# Categories follow what the models look like, not what their makers call them: the "Bookcase" has closed doors, the
# "Television cabinet" is a chest with open shelves. One look has one name: a question about a "potted plant" would
# leave out the plant in the next pot. A built-in oven has nothing to stand on.
_BY_NAME: dict[str, tuple[str, Habit]] = {
    "apple iphone": ("phone", "surface"),
    "baby bed": ("crib", "wall"),
    "barrel": ("barrel", "floor"),
    "basketball": ("basketball", "floor"),
    "bed": ("bed", "wall"),
    "bedside table": ("nightstand", "bedside"),
    "beer glass": ("glass", "surface"),
    "bench": ("bench", "floor"),
    "bidet": ("bidet", "wall"),
    "bookcase": ("cabinet", "wall"),
    "box": ("crate", "floor"),
    "bread": ("bread", "surface"),
    "briefcase": ("briefcase", "floor"),
    "cactus": ("plant", "surface"),
    "ceiling fan": ("ceiling fan", "never"),
    "chair with cushion": ("chair", "chair"),
    "chicken": ("chicken", "never"),
    "coffee brewer": ("coffee maker", "surface"),
    "coffee cup": ("cup", "surface"),
    "cooktop": ("cooktop", "never"),
    "corner sofa": ("sofa", "wall"),
    "couch": ("sofa", "wall"),
    "crate": ("crate", "floor"),
    "cuckoo clock": ("clock", "hung"),
    "cupboard": ("cabinet", "wall"),
    "decorative plant": ("plant", "floor"),
    "desk": ("desk", "desk"),
    "desk lamp": ("lamp", "surface"),
    "double oven": ("oven", "never"),
    "drawers cabinet": ("cabinet", "wall"),
    "dustbin": ("trash can", "floor"),
    "electric guitar": ("guitar", "floor"),
    "extinguisher": ("fire extinguisher", "floor"),
    "folding chair": ("stool", "floor"),
    "football table": ("foosball table", "floor"),
    "grand piano": ("piano", "floor"),
    "handbag": ("handbag", "floor"),
    "high cabinet": ("cabinet", "wall"),
    "large fridge": ("refrigerator", "wall"),
    "little plant": ("plant", "surface"),
    "lower cabinet": ("cabinet", "wall"),
    "oak chair": ("chair", "chair"),
    "oak table": ("table", "table"),
    "orchids": ("plant", "surface"),
    "osaka chair": ("chair", "chair"),
    "oven": ("oven", "never"),
    "piano bench": ("piano bench", "floor"),
    "plant": ("plant", "floor"),
    "plastic cup": ("cup", "surface"),
    "pool table": ("pool table", "floor"),
    "radiator": ("radiator", "wall"),
    "refrigerator": ("refrigerator", "wall"),
    "rigged fan": ("fan", "surface"),
    "rocking horse": ("rocking horse", "floor"),
    "shelves": ("shelf", "wall"),
    "sofa": ("sofa", "wall"),
    "speaker": ("speaker", "floor"),
    "stool": ("stool", "floor"),
    "stove": ("cooktop", "never"),
    "table": ("table", "table"),
    "table fan": ("fan", "surface"),
    "table with tablecloth": ("table", "table"),
    "teddy bear": ("teddy bear", "floor"),
    "television cabinet": ("shelf", "wall"),
    "toilets unit": ("toilet", "wall"),
    "tv": ("tv", "surface"),
    "vertical shelves": ("shelf", "wall"),
    "wardrobe": ("wardrobe", "wall"),
    "washbasin": ("sink", "wall"),
    "white board": ("whiteboard", "wall"),
    "winchester armchair": ("armchair", "seat"),
    "winchester sofa": ("sofa", "wall"),
}

FLAT_TOPS = frozenset(
    {"table", "desk", "nightstand", "cabinet", "shelf", "sideboard", "chest of drawers", "tv stand", "coffee table"}
)
"""Categories on whose level surfaces things stand."""
TALL = 1.2
"""Metres; what is higher doesn't stand before a window."""
_LOW, _SMALL, _HIGH, _WIDE = 0.6, 0.45, 3.0, 3.0
_HUNG_FROM = 0.05
"""Metres of elevation from which what stands with its back to a wall hangs on it, as radiators do."""
_ELSEWHERE = frozenset({"bathroom", "characters", "exterior", "staircases", "vehicles"})
"""Parts of a catalogue whose unknown models don't belong into living rooms, bedrooms, offices and kitchens."""


def habit_of(name: str, part: str, height: float, widest: float, elevation: float) -> tuple[str, Habit]:
    """The category of a model and where it is put; for an unknown name, by its size in metres.

    Args:
        name: in the catalogue.
        part: of the catalogue in which it stands.
        height, widest: of the model.
        elevation: above the floor at which the catalogue hangs it.
    """
    known = name.lower()
    if known in _BY_NAME:
        category, habit = _BY_NAME[known]
        return category, "hung" if habit == "wall" and elevation >= _HUNG_FROM else habit
    if part.lower() in _ELSEWHERE or height > _HIGH or widest > _WIDE or elevation > 1.0:
        return known, "never"
    if known.endswith("armchair"):
        return "armchair", "seat"
    if known.endswith("chair"):
        return "chair", "chair"
    if elevation > 0.3:
        return known, "hung"
    if widest < 0.1:
        return known, "never"
    return known, "surface" if height < _LOW and widest < _SMALL else "floor"
