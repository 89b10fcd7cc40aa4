"""Homes: rooms that don't overlap, doorways that meet in both walls, and a floor that hangs together for who walks."""

from functools import cache

import numpy as np
import pytest

pytest.importorskip("embreex", reason="furniture needs the extra 'worlds'")

import shapely

from simulate.holding import HUNG, faults, overlaps
from tolman.simulate.furniture import Library
from tolman.simulate.interior import build_interior, draw_plan, scene_of
from tolman.simulate.made.kind import MadeLibrary
from tolman.simulate.placing import BODY
from tolman.simulate.room_contents import home_types, room_types
from tolman.simulate.room_shells import INNER, LEAST_SIDE, MOST_ROOMS, Shell, draw_home


@cache
def homes() -> list[Shell]:
    return [draw_home(np.random.default_rng(number)) for number in range(60)]


def test_a_home_has_two_to_six_rooms_of_human_size() -> None:
    drawn = homes()
    assert {len(home.rooms) for home in drawn} == set(range(2, MOST_ROOMS + 1))
    for home in drawn:
        for one, room in enumerate(home.rooms):
            low_x, low_y, high_x, high_y = room.polygon.bounds
            assert min(high_x - low_x, high_y - low_y) >= LEAST_SIDE
            assert all(not room.polygon.intersects(other.polygon) for other in home.rooms[one + 1 :])


def test_a_walker_gets_from_each_room_to_each() -> None:
    for home in homes():
        walkable = home.floor.buffer(-BODY)
        assert isinstance(walkable, shapely.Polygon)
        assert all(walkable.intersects(room.polygon.buffer(-2 * BODY)) for room in home.rooms)


def test_doorways_meet_in_both_walls() -> None:
    for home in homes():
        walls = [wall for room in home.rooms for wall in room.walls]
        ways = [(wall, o) for wall in walls for o in wall.openings if o.kind == "passage"]
        ends = [(wall.point(o.start, -INNER / 2), wall.point(o.end, -INNER / 2), o.high) for wall, o in ways]
        assert len(ends) == 2 * len(home.passages)
        for start, end, head in ends:
            partners = [there for a, b, there in ends if np.allclose((a, b), (end, start), atol=1e-6)]
            assert partners == [head]


def test_windows_and_the_one_door_lead_out() -> None:
    for home in homes():
        hull = shapely.box(*home.floor.bounds)
        doors = 0
        for wall in (wall for room in home.rooms for wall in room.walls):
            for opening in wall.openings:
                if opening.kind != "passage":
                    middle = shapely.Point(wall.point((opening.start + opening.end) / 2))
                    assert hull.boundary.distance(middle) < 1e-6
                doors += opening.kind == "door"
        assert doors == 1


def test_the_same_seed_gives_the_same_home() -> None:
    assert [draw_home(np.random.default_rng(number)) for number in range(3)] == homes()[:3]
    assert homes()[0] != homes()[1]


def test_the_front_door_opens_into_the_room_with_most_doorways() -> None:
    for home in homes():
        kinds = [[opening.kind for wall in room.walls for opening in wall.openings] for room in home.rooms]
        (entrance,) = (own for own in kinds if "door" in own)
        assert entrance.count("passage") == max(own.count("passage") for own in kinds)


def test_rooms_of_a_home_have_different_types_and_no_way_leads_through_a_bathroom() -> None:
    bathrooms = 0
    for number, home in enumerate(homes()):
        areas, ends = [room.polygon.area for room in home.rooms], [room.is_end for room in home.rooms]
        names = [kind.name for kind in home_types(areas, ends, room_types(), np.random.default_rng(number))]
        assert len(set(names)) == len(areas)
        assert names[int(np.argmax(areas))] == "living room"
        assert "kitchen" in names or len(areas) < 4
        bathrooms += "bathroom" in names
        if "bathroom" in names:
            assert ends[names.index("bathroom")]
    assert bathrooms > 30


def test_a_floor_has_the_walls_that_rooms_lie_around_as_holes() -> None:
    plan = draw_plan("t/1", "home", "0:1", MadeLibrary("0:1"))
    assert plan.shell.floor.interiors
    scene = scene_of(plan)
    assert shapely.Polygon(scene.floor[0], scene.floor[1:]).area == pytest.approx(scene.room_area)


@pytest.mark.parametrize("number", [0, *(pytest.param(n, marks=pytest.mark.full) for n in range(1, 5))])
def test_furnished_homes_stand(library: Library, number: int) -> None:
    both = MadeLibrary(str(number), library)
    plan = draw_plan("t/1", "home", f"home:{number}", both)
    world = build_interior(plan, both)
    assert len(plan.theme) == len(plan.shell.rooms) == len(plan.lamps)
    assert faults(world, hung=HUNG, allowed=0.005) == []
    assert overlaps(world, 0.005) == []
    # What a category's things are is one room's matter: each stands in one room only.
    for category in {thing.category for thing in plan.placed} - {"door", "window", "rug"}:
        own = [thing.footprint for thing in plan.placed if thing.category == category]
        assert sum(any(room.polygon.intersects(print_) for print_ in own) for room in plan.shell.rooms) == 1


def test_kitchens_of_homes_have_counters_with_appliances_in_a_row(library: Library) -> None:
    counters, rows = 0, 0
    for number in range(3):
        plan = draw_plan("t/1", "home", f"kitchen:{number}", MadeLibrary(str(number)))
        tops = [thing.footprint for thing in plan.placed if thing.category == "kitchen counter"]
        fitted = [p.footprint for p in plan.placed if p.category in ("stove", "dishwasher", "refrigerator")]
        assert not tops or "kitchen" in plan.theme
        counters += bool(tops)
        rows += any(top.distance(other) < 0.03 for top in tops for other in fitted)
    assert counters >= 2
    assert rows >= 1
