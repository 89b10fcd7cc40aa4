"""The thresholds of SITE's families. The paper lets people choose the frames and prints none of them."""

from __future__ import annotations

from tolman.generate.rules import Rules


class RigSettings(Rules):
    """When two moments can be told apart, and what must be seen for that.

    Attributes:
        every: seconds between the moments that are looked at.
        moments: how many at most; longer recordings are looked at less often.
        together: seconds by which two cameras' frames may differ and still be of one moment.
        moved: metres that the wearer, or a thing, must have gone between two moments.
        part: the same as a share of its distance from the camera that shows it: what is far away must go farther.
        turned: degrees that the wearer must have turned instead.
        facing: share of the picture that the wearer takes up at least if their turning is to be seen.
        shown: share of the picture that the wearer, or a thing that moves, takes up if it is to count as shown.
        landmark: the same for a thing at rest.
        landmarks: things at rest that both views' pictures show, so that one sees where the egocentric one was taken.
        largest: share of the egocentric picture that a thing at rest takes up at most.
        margin: share of the picture's width and height from its edge within which the wearer is not counted on.
        near, far: metres from a camera within which the wearer is looked for, where sightings aren't known.
    """

    every: float = 0.5
    moments: int = 120
    together: float = 0.05
    moved: float = 1.5
    part: float = 0.3
    turned: float = 90.0
    facing: float = 0.02
    shown: float = 0.006
    landmark: float = 0.002
    landmarks: int = 3
    largest: float = 0.4
    margin: float = 0.06
    near: float = 1.0
    far: float = 8.0


class AssociationSettings(RigSettings):
    """View association.

    Attributes:
        within: seconds from the right moment within which the other options lie, if that can be.
        questions: for each exocentric camera, at most.
    """

    within: float = 6.0
    questions: int = 6


class ReorderingSettings(RigSettings):
    """Frame reordering between views.

    Attributes:
        step: metres that what moves must have come on between two pictures in a row.
        shortest, longest: seconds of a clip.
        questions: for each exocentric camera, at most.
    """

    landmarks: int = 2
    largest: float = 0.5
    step: float = 0.6
    shortest: float = 2.0
    longest: float = 15.0
    questions: int = 4
