"""Check that a scan's cameras stand upright in it; otherwise the field that would make them.

Up is known by two witnesses: the axis about which the cameras turn, towards their mean up (a camera that is held level
has its x axis level however it is pitched), and the floor: the band in which most things stand and most of the mesh is.
Cameras that look straight down, that never turn or whose pictures lie on their side contradict only where the floor
doesn't speak for the declared up.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from tolman.errors import InputError
from tolman.geometry.agreement import cameras_up, floor_share, path_length
from tolman.geometry.boxes import Boxes, Floats
from tolman.geometry.turning import turned_poses
from tolman.ingest.base import CameraRecording
from tolman.ingest.conventions import Declared, axis_of, invert, oriented_candidates, up_named

UPRIGHT = 0.5
"""Cosine between the cameras' vertical and the declared up from which they agree: 60°."""
FITS = 0.9
"""Cosine from which a proposed convention fits: 26°."""
SAME_UP = 0.8
"""Length of the cameras' mean up from which all of them are held alike."""
SPEAKS = 2.0
"""Least ratio of what stands along one direction to what stands along another for the floor to speak for it."""
MIN_BOXES, MIN_POINTS = 5, 1000
MIN_POSES = 4


@dataclass(frozen=True)
class StandingThings:
    """Things that stand on a scan's floor.

    Attributes:
        surface: points of the mesh, shape (n, 3).
        boxes: of its things.
    """

    surface: Floats
    boxes: Boxes

    def speaks(self, a: Floats, b: Floats) -> int:
        """Tell whether the floor speaks for one direction (1) against another (-1), or for neither (0)."""
        votes = 0
        if len(self.boxes) >= MIN_BOXES:
            corners = self.boxes.vertices()
            shares = [floor_share((corners @ way).min(1)) for way in (a, b)]
            votes += int(shares[0] > SPEAKS * shares[1]) - int(shares[1] > SPEAKS * shares[0])
        # A room's ceiling is as level as its floor.
        if len(self.surface) >= MIN_POINTS and abs(a @ b) < 0.5:
            shares = [max(floor_share(self.surface @ way), floor_share(-self.surface @ way)) for way in (a, b)]
            votes += int(shares[0] > SPEAKS * shares[1]) - int(shares[1] > SPEAKS * shares[0])
        return int(np.sign(votes))


def check_up(
    path: Path, recording: CameraRecording, declared: Declared, standing: StandingThings, shown: str, *, held: bool
) -> list[str]:
    """Hold a camera to the scene's up.

    Args:
        path: of the scan, for what is said.
        recording: with checked poses.
        declared: what it was read under.
        standing: what is on the floor.
        shown: the recording's name, for what is said.
        held: whether masks or depth agree with the recording's axes and direction.

    Returns:
        What is to be said.

    Raises:
        InputError: the camera contradicts the declared up; the sentence names the fields that fit.
    """
    tracked = recording.poses[np.isfinite(recording.poses).all((1, 2))] if len(recording.poses) else recording.poses
    if len(tracked) < MIN_POSES:
        return []
    poses = turned_poses(tracked, recording.turns)
    found = cameras_up(poses)
    length = float(np.linalg.norm(found.mean))
    along = found.vertical if found.vertical is not None else found.mean / max(length, 1e-12)
    cosine = float(along[2])
    turns = _turns(replace(recording, poses=tracked))
    advice = f"turns: {turns} makes its pictures upright"
    if found.vertical is None and length < SAME_UP:
        if not held:
            _check_direction(path, poses, declared, shown)
        if turns is not None and recording.turns:
            raise InputError(path, f"the pictures of the camera{shown} lie on their side", fix=advice)
        return [] if turns is None else [f"the pictures of the camera{shown} lie on their side; {advice}"]
    if cosine >= UPRIGHT:
        return []
    speaks = standing.speaks(np.array([0.0, 0, 1]), along)
    fixed = found.vertical is None and cosine > -UPRIGHT
    fields = [] if held or speaks < 0 else _fields(tracked, recording.turns, declared)
    named = up_named(along, declared.up)
    # A floor can be mistaken for a wall; cameras that turn about an axis without lying on their side can't.
    if named is not None and (speaks <= 0 or turns is None):
        fields.append(f"up: {named} ({_degrees(float(along @ axis_of(named, declared.up)))}°)")
    on_their_side = turns is not None and speaks > 0 and (held or not fields)
    if on_their_side or (fixed and speaks >= 0) or not (fields or turns is not None):
        said = f"the up of the camera{shown} is {_degrees(cosine)}° from the scene's up ({declared.up})"
        return [said if turns is None else f"{said}; {advice}"]
    if turns is not None and speaks >= 0:
        fields.append(f"turns: {turns}")
    raise InputError(
        path,
        f"the cameras{shown} stand {_degrees(cosine)}° from the declared up ({declared.up})",
        fix="they fit with " + " or ".join(fields),
    )


def is_upright(recording: CameraRecording) -> bool:
    """Tell whether a recording's cameras have a common up, which is the scene's."""
    tracked = recording.poses[np.isfinite(recording.poses).all((1, 2))]
    return len(tracked) > 0 and cameras_up(turned_poses(tracked, recording.turns)).mean[2] > SAME_UP


def _check_direction(path: Path, poses: Floats, declared: Declared, shown: str) -> None:
    """Tell cameras without a common up that roll from poses in the other direction.

    Raises:
        InputError: it is the latter.
    """
    other = invert(poses, declared)
    found, mean = cameras_up(other), cameras_up(poses).mean
    if (
        found.vertical is not None
        and found.vertical[2] > FITS
        and found.mean[2] > FITS
        and path_length(other) <= path_length(poses)
    ):
        raise InputError(
            path,
            f"the cameras{shown} have no common up (their mean up is {mean[2]:.2f} along the declared one)",
            fix=f"they fit with direction: {declared.other_direction}: {found.mean[2]:.2f} against {mean[2]:.2f}",
        )


def _fields(poses: Floats, turns: int, declared: Declared) -> list[str]:
    """Other axes and directions under which the cameras stand upright, with degrees from the declared up."""
    fits = []
    for candidate in oriented_candidates(poses, np.ones((len(poses), 4)), declared):
        found = cameras_up(turned_poses(candidate.poses, turns))
        along = found.vertical if found.vertical is not None else found.mean
        if along[2] > FITS:
            fits.append(f"{candidate.name} ({_degrees(float(along[2]))}°)")
    return [fit for fit in fits if " and " not in fit] or fits


def _turns(recording: CameraRecording) -> int | None:
    """The quarter turns under which the pictures are upright, 0 to 3, if they are under any but those declared."""
    for turns in range(4):
        if turns != recording.turns and cameras_up(turned_poses(recording.poses, turns)).mean[2] > SAME_UP:
            return turns
    return None


def _degrees(cosine: float) -> int:
    return round(float(np.degrees(np.arccos(np.clip(cosine, -1, 1)))))
