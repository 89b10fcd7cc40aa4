"""Gallery: a scene's pictures as viewpoints: the place of each, its objects, and those shared by two.

The rules (`ViewSettings` holds their numbers) count an object

- *seen* in a picture with any pixel of it: the cues of one picture alone include it;
- *clear* where it shows enough pixels, where most of its box's outline is inside the picture, and where it isn't
  hidden for the most part: only clear objects are named;
- *shared* by two pictures where both show enough of it to be matched. Two pictures overlap where they share enough
  objects, at least one of them with an unambiguous name.

The thresholds of MMSI-Bench's families are here too: the paper has its questions written by people and prints none.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np

from tolman.extras import shapely
from tolman.generate.family import FamilySettings, Shot
from tolman.generate.share_sampling import draws_of
from tolman.geometry.boxes import Boxes, Floats
from tolman.geometry.camera_geometry import project
from tolman.ground_truth.scene_arrays import SceneGeometry
from tolman.scenes import Capture


class ViewSettings(FamilySettings):
    """Questions about pictures from several viewpoints.

    Attributes:
        frames: pictures that are looked at of each moving camera, evenly over its time.
        tilt: degrees that a camera may look up or down.
        clear: share of a picture that an object shows to be named.
        inside: share of its box's outline that is inside the picture.
        bare: least share of that outline that it must fill, relative to its best view: a hidden object fills less.
        shared: share of each of two pictures that an object shows to be matched between them.
        overlap: objects that two pictures must share.
        glimpse: share of a picture from which on another object with a like name forbids a name.
        turn: degrees, and
        apart: metres; two viewpoints differ by at least one of the two.
        margin: degrees that a direction must be away from the next quadrant.
        bend: the same for the bend of a line, and for the path of a moving object.
        within: share of the target's outline that must be in the right quadrant.
        nearest: metres that the ends of a direction or distance are apart at least, and
        spread: the same as a share of the sum of their half diagonals.
        step: metres that a camera moves forward or backward at least.
        sideways: by how much less it moves to the side, as a share of that.
        metres: the options of distances, rising.
        near: how many times as long or as short as an option a distance may be.
        way: metres that something moves at least.
        longest: pictures of a chain at most.
        chains: that are tried in a scene.
        of_pair, of_scene: the most questions of a family about the same pictures, and of a scene.
    """

    frames: int = 28
    tilt: float = 35.0
    clear: float = 0.008
    inside: float = 0.6
    bare: float = 0.6
    shared: float = 0.003
    overlap: int = 3
    glimpse: float = 0.0003
    turn: float = 30.0
    apart: float = 0.8
    margin: float = 30.0
    bend: float = 25.0
    within: float = 0.8
    nearest: float = 0.8
    spread: float = 0.75
    step: float = 0.7
    sideways: float = 1.5
    metres: tuple[float, ...] = (1.2, 2.0, 3.3, 5.4)
    near: float = 1.15
    way: float = 1.0
    longest: int = 10
    chains: int = 600
    of_pair: int = 3
    of_scene: int = 200


LOOK_ALIKE: tuple[frozenset[str], ...] = tuple(
    frozenset(group)
    for group in (
        ("chair", "armchair", "stool", "bench", "piano bench"),
        ("sofa", "armchair", "bed"),
        ("table", "desk", "pool table", "foosball table", "picnic table"),
        ("cabinet", "cupboard", "wardrobe", "bookcase", "shelf", "tv cabinet", "nightstand", "desk"),
        ("wardrobe", "refrigerator", "door"),
        ("refrigerator", "oven"),
        ("plant", "potted plant"),
        ("bush", "flower pot"),
        ("crate", "box", "parcel", "barrel", "briefcase", "handbag", "suitcase", "toolbox", "speaker"),
        ("window", "whiteboard"),
        ("toilet", "bidet", "sink"),
        ("cup", "glass"),
        ("car", "van"),
        ("bollard", "parking meter", "fire hydrant", "traffic cone"),
        ("mailbox", "utility box", "trash can"),
        ("lamp post", "stop sign", "parking meter"),
    )
)
"""Categories that people may take for one another in a small picture."""
_SAID_OF_ALL: dict[str, frozenset[str]] = {"person": frozenset({"person with the orange helmet"})}
"""Names that fit another category as well, whose own name tells it from theirs."""
_OTHERS: dict[str, frozenset[str]] = dict(_SAID_OF_ALL)
for _group in LOOK_ALIKE:
    for _name in _group:
        _OTHERS[_name] = _OTHERS.get(_name, frozenset()) | _group


def confusable(category: str) -> frozenset[str]:
    """The categories that a name might be taken for, itself among them."""
    return _OTHERS.get(category, frozenset((category,))) | {category}


def listed(names: Sequence[str]) -> str:
    """'the sofa, the door and the bed'."""
    texts = [f"the {name}" for name in names]
    return texts[0] if len(texts) == 1 else f"{', '.join(texts[:-1])} and {texts[-1]}"


_ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")


def ordinal(number: int) -> str:
    """'first' for 0."""
    return _ORDINALS[number]


_PLACES = 3000
"""Places that are drawn in a floor's bounds."""


@dataclass(frozen=True, eq=False)
class View:
    """One picture.

    Attributes:
        shot: which.
        role: of its recording.
        seconds: when it was taken, on the scene's time line.
        pose: camera → scene, shape (4, 4).
        intrinsics, size: of the camera.
        pixels: by an object's number in the scene, the share of the picture that shows it; only objects that are seen.
    """

    shot: Shot
    role: str
    seconds: float
    pose: Floats
    intrinsics: tuple[float, float, float, float]
    size: tuple[int, int]
    pixels: dict[int, float]

    @property
    def place(self) -> Floats:
        """On the floor plan, metres, shape (2,)."""
        return np.asarray(self.pose[:2, 3])

    @property
    def heading(self) -> float:
        """The direction of view on the floor plan, degrees counter-clockwise from +x."""
        return math.degrees(math.atan2(self.pose[1, 2], self.pose[0, 2]))

    @property
    def half_angle(self) -> float:
        """Half the horizontal angle of view in degrees."""
        return math.degrees(math.atan(self.size[0] / 2 / self.intrinsics[0]))

    @property
    def tilt(self) -> float:
        """Degrees below the horizon."""
        return -math.degrees(math.asin(max(-1.0, min(1.0, float(self.pose[2, 2])))))

    def sees(self, objects: Iterable[int]) -> bool:
        """Check whether any of these shows a pixel."""
        return any(number in self.pixels for number in objects)


class Gallery:
    """The views of a scene that questions may show.

    Args:
        geometry: of the scene, with its recordings.
        settings: the rules.
    """

    def __init__(self, geometry: SceneGeometry, settings: ViewSettings) -> None:
        self.geometry = geometry
        self.settings = settings
        self.scene = geometry.scene
        self.still = frozenset(i for i, thing in enumerate(self.scene.objects) if not thing.track)
        self.cameras = {c.id: c for c in geometry.captures if c.sensor == "camera" and c.media and c.poses and c.size}
        self._numbers = {thing.id: i for i, thing in enumerate(self.scene.objects)}
        self._seen: dict[str, dict[int, dict[int, float]]] = {}
        self._views: dict[Shot, View] = {}
        self._clear: dict[Shot, frozenset[int]] = {}
        self._shared: dict[tuple[Shot, Shot], tuple[int, ...]] = {}

    def view(self, capture: str, frame: int) -> View:
        """One picture.

        Raises:
            KeyError: there is no such recording, or its cameras are not known.
        """
        shot = Shot(capture, frame)
        if shot not in self._views:
            camera = self.cameras[capture]
            rows = camera.intrinsics
            self._views[shot] = View(
                shot,
                camera.role,
                camera.scene_time(frame),
                camera.pose(frame),
                rows[0] if len(rows) == 1 else rows[frame],
                camera.size or (0, 0),
                self._sightings(camera).get(frame, {}),
            )
        return self._views[shot]

    def _sightings(self, camera: Capture) -> dict[int, dict[int, float]]:
        if camera.id not in self._seen:
            found: dict[int, dict[int, float]] = {}
            width, height = camera.size or (1, 1)
            for one in camera.sightings:
                if one.pixels > 0:
                    found.setdefault(one.frame, {})[self._numbers[one.object]] = one.pixels / (width * height)
            self._seen[camera.id] = found
        return self._seen[camera.id]

    @cached_property
    def lack(self) -> str:
        """Return the first thing that the recordings lack for questions about pictures; empty if they lack nothing."""
        recordings = [c for c in self.geometry.captures if c.sensor == "camera"]
        cameras = list(self.cameras.values())
        steps = (
            (recordings, "no camera's recording"),
            ([c for c in recordings if c.media], "no recording with a video"),
            (cameras, "no recording with known poses and picture size"),
            ([c for c in cameras if c.intrinsics], "no recording with known intrinsics"),
            (self.scene.objects, "no object with a box"),
            ([c for c in cameras if c.sightings], "no recording says which objects its frames show"),
        )
        return next((reason for found, reason in steps if not found), "")

    @cached_property
    def lack_of_pairs(self) -> str:
        """Why there are no two overlapping pictures to ask about; empty where there are."""
        if self.lack or not self.views:
            return self.lack or "no picture shows two objects clearly"
        return "" if any(self.neighbours.values()) else "no two pictures overlap and differ enough"

    @cached_property
    def views(self) -> list[View]:
        """The pictures that questions are drawn from: level enough, with at least two clear objects."""
        return [view for view in self._sampled if abs(view.tilt) <= self.settings.tilt and len(self.clear(view)) >= 2]

    @cached_property
    def standing_places(self) -> Floats:
        """Return places all over the floor, or the hull of the objects on it, metres, shape (n, 2)."""
        rings = self.scene.floor
        corners = np.array(rings[0]) if rings else np.array(self.geometry.boxes.centers[:, :2])
        outline = shapely.Polygon(rings[0], rings[1:]) if rings else shapely.convex_hull(shapely.multipoints(corners))
        generator = np.random.default_rng(0)
        drawn = generator.uniform(corners.min(0), corners.max(0), size=(_PLACES, 2))
        inside = shapely.contains_xy(outline, drawn[:, 0], drawn[:, 1])
        return np.asarray(drawn[inside] if inside.any() else drawn)

    def clear(self, view: View) -> frozenset[int]:
        """The still objects that a picture shows clearly."""
        if view.shot not in self._clear:
            settings = self.settings
            self._clear[view.shot] = frozenset(
                number
                for number, (inside, fill) in self._fills(view).items()
                if inside >= settings.inside and fill >= settings.bare * self._fullest.get(number, 0.0)
            )
        return self._clear[view.shot]

    def _fills(self, view: View) -> dict[int, tuple[float, float]]:
        """The share of each object's outline inside a picture, and of that part the share that shows the object."""
        enough = [i for i, share in view.pixels.items() if share >= self.settings.clear and i in self.still]
        inside, whole = outlines(self.geometry.boxes.take(np.array(enough, dtype=int)), view)
        total = view.size[0] * view.size[1]
        return {
            i: (kept / all_of_it, view.pixels[i] * total / kept)
            for i, kept, all_of_it in zip(enough, inside, whole, strict=True)
            if kept > 0
        }

    @cached_property
    def _sampled(self) -> list[View]:
        """Some pictures of each recording, evenly over its time; of a fixed camera one."""
        found = []
        for camera in self.cameras.values():
            if not camera.intrinsics or not camera.sightings:
                continue
            total = len(camera.times)
            fixed = np.ptp(np.array(camera.poses), axis=0).max() < 1e-6
            count = 1 if fixed else min(total, self.settings.frames)
            frames = sorted({round((n + 0.5) * total / count - 0.5) for n in range(count)})
            found += [self.view(camera.id, frame) for frame in frames]
        return found

    @cached_property
    def _fullest(self) -> dict[int, float]:
        """How much of its outline each object fills in the picture that shows it best."""
        found: dict[int, float] = {}
        for view in self._sampled:
            for number, (inside, fill) in self._fills(view).items():
                if inside >= self.settings.inside:
                    found[number] = max(found.get(number, 0.0), min(fill, 1.0))
        return found

    def shared(self, a: View, b: View) -> tuple[int, ...]:
        """The still objects that two pictures share, those with most pixels in the poorer picture first."""
        key = (a.shot, b.shot)
        if key not in self._shared:
            both = [
                i
                for i in a.pixels.keys() & b.pixels.keys()
                if i in self.still and min(a.pixels[i], b.pixels[i]) >= self.settings.shared
            ]
            self._shared[key] = tuple(sorted(both, key=lambda i: (-min(a.pixels[i], b.pixels[i]), i)))
        return self._shared[key]

    def anchors(self, a: View, b: View, among: Sequence[View] = ()) -> list[int]:
        """The shared objects that can be named in both pictures."""
        shown = among or (a, b)
        both = self.clear(a) | self.clear(b)
        return [i for i in self.shared(a, b) if i in both and self.nameable(i, shown)]

    def overlap(self, a: View, b: View) -> bool:
        """Check whether two pictures share enough to be put together."""
        return len(self.shared(a, b)) >= self.settings.overlap and bool(self.anchors(a, b))

    def nameable(self, number: int, shown: Iterable[View]) -> bool:
        """Check whether an object's category means it alone in all pictures that are shown."""
        mistaken = confusable(self.scene.objects[number].category)
        glimpse = self.settings.glimpse
        return not any(
            other != number and share >= glimpse and self.scene.objects[other].category in mistaken
            for view in shown
            for other, share in view.pixels.items()
        )

    def named(self, view: View, shown: Sequence[View]) -> list[int]:
        """The objects that are clear in a picture and can be named."""
        return sorted(i for i in self.clear(view) if self.nameable(i, shown))

    def only_in(self, view: View, shown: Sequence[View]) -> list[int]:
        """Those of them that no other picture that is shown sees at all."""
        others = [other for other in shown if other is not view]
        return [i for i in self.named(view, shown) if not any(other.sees((i,)) for other in others)]

    def find(self, name: str, shown: Sequence[View]) -> int:
        """The one object of a name that is shown clearly.

        Raises:
            KeyError: there is none, or several.
        """
        found = {
            i
            for view in shown
            for i in self.clear(view)
            if self.scene.objects[i].category == name and self.nameable(i, shown)
        }
        if len(found) != 1:
            raise KeyError(name)
        return found.pop()

    def category(self, number: int) -> str:
        """Return an object's category."""
        return self.scene.objects[number].category

    def center(self, number: int) -> Floats:
        """An object's middle on the floor plan, shape (2,)."""
        return np.asarray(self.geometry.boxes.centers[number][:2])

    def outline(self, number: int) -> Floats:
        """The corners of an object's box on the floor plan, shape (8, 2)."""
        return np.asarray(self.geometry.boxes.take(np.array([number])).vertices()[0][:, :2])

    @cached_property
    def neighbours(self) -> dict[Shot, list[View]]:
        """For each view those that overlap with it and differ enough."""
        return {
            a.shot: [b for b in self.views if b is not a and self.differ(a, b) and self.overlap(a, b)]
            for a in self.views
        }

    def pairs(self, key: str) -> Iterator[tuple[View, View]]:
        """Ordered pairs of pictures that overlap and differ enough, in a drawn order."""
        found = [(a, b) for a in self.views for b in self.neighbours[a.shot]]
        # Of twins, pictures from the same places come in the same order.
        own = len(self.scene.id)
        shots = {(a.shot.capture[own:], a.shot.frame, b.shot.capture[own:], b.shot.frame): (a, b) for a, b in found}
        names = list(shots)
        draws_of(self.scene, key).shuffle(names)
        return iter([shots[name] for name in names])

    def differ(self, a: View, b: View) -> bool:
        """Check whether two pictures were taken from different places or in different directions."""
        turn = abs((a.heading - b.heading + 180) % 360 - 180)
        apart = float(np.linalg.norm(a.place - b.place))
        return turn >= self.settings.turn or apart >= self.settings.apart


@lru_cache(maxsize=2)
def gallery(geometry: SceneGeometry, settings: ViewSettings) -> Gallery:
    """The gallery of a scene, which several families look at."""
    return Gallery(geometry, settings)


def outlines(boxes: Boxes, view: View) -> tuple[list[float], list[float]]:
    """Pixels that each box's outline covers, inside the picture and without its borders; 0 where it isn't in front."""
    if not len(boxes):
        return [], []
    pixels, depth = project(boxes.vertices(), view.pose, view.intrinsics)
    picture = shapely.box(0, 0, *view.size)
    inside, whole = [], []
    for corners, depths in zip(pixels, depth, strict=True):
        if (depths > 0.05).all():
            outline = shapely.convex_hull(shapely.multipoints(corners))
            inside.append(float(shapely.area(shapely.intersection(outline, picture))))
            whole.append(float(shapely.area(outline)))
        else:
            inside.append(0.0)
            whole.append(0.0)
    return inside, whole
