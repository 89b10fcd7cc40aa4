"""The thresholds of MMSI-Bench's families. The paper has its questions written by people and prints none of them."""

from __future__ import annotations

from tolman.generate.family import FamilySettings


class ViewSettings(FamilySettings):
    """Questions about pictures from several viewpoints.

    Attributes:
        frames: pictures that are looked at of each moving camera, evenly over its time.
        tilt: degrees that a camera may look up or down.
        clear: share of a picture that an object shows to be named.
        inside: share of its box's outline that lies inside the picture.
        bare: share of what it fills of that outline where it is seen best that it must show: what is hidden shows less.
        shared: share of each of two pictures that an object shows to be matched between them.
        overlap: objects that two pictures must share.
        glimpse: share of a picture from which on another object with a like name forbids a name.
        turn: degrees, and
        apart: metres, one of which two viewpoints differ by at least.
        margin: degrees that a direction must be away from the next quadrant.
        bend: the same for the bend of a line, and for the way of what moves.
        within: share of the outline of what is asked for that must lie in the right quadrant.
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
