"""Right scans pass, and copies of them with one thing wrong are refused by name, or stand in a list that the docs have."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ingest.generic_writer import TO_Y_UP, write_generic
from ingest.mistakes import MISTAKES, write_wrong
from ingest.worlds import small_world
from tolman.errors import InputError
from tolman.ground_truth.scene_arrays import open_collection
from tolman.ingest.build import ScansConfig, SummaryRow, ingest
from tolman.ingest.camera_consistency import boxes_of
from tolman.ingest.camera_conventions import Declared, StandingThings, check_up, invert
from tolman.ingest.scan_format import CameraRecording
from tolman.scenes import Capture, Scene
from tolman.simulate.walks import intrinsics_of, looking

pytest.importorskip("plyfile", reason="scans need the extra 'build'")
pytest.importorskip("av", reason="scans need the extra 'build'")

EVIDENCE: dict[str, dict[str, bool]] = {
    "masks": {"masks": True, "mesh": False, "labels": False},
    "depth": {"depth": True, "mesh": False, "labels": False},
    "mesh": {},
    "neither": {"mesh": False, "labels": False},
}
"""What a copy has beside pictures, boxes and poses."""
AS_DECLARED = "contradict the cameras as they are declared; they fit with"
SAID: dict[str, dict[str, str]] = {
    "axes": {"masks": f"boxes and masks {AS_DECLARED} axes: opengl: 100% against 0%", "depth": f"{AS_DECLARED} axes: opengl: 9", "*": "stand 174° from the declared up (y); they fit with axes: opengl (6°) or turns: 2"},
    "direction": {"masks": "direction: scene_to_camera: 100% against 0%", "depth": "direction: scene_to_camera: 9", "*": "m below everything that is there; they are among it with direction: scene_to_camera"},
    "up: another axis": {"*": "stand 90° from the declared up (z); they fit with up: y (6°)"},
    "up: the other way": {"masks": "they fit with up: y (6°) or turns: 2", "depth": "they fit with up: y (6°) or turns: 2", "*": "they fit with axes: opencv (6°) or up: y (6°) or turns: 2"},
    "focal length ÷ 3": {"masks": "focal lengths 3 times as large (fx 110.1, fy 110.1): 100% against 19%", "depth": "focal lengths 3 times as large"},
    "focal length × 2": {"masks": "focal lengths 0.5 times as large", "depth": "focal lengths 0.5 times as large"},
    "focal length ÷ 30": {"*": "its field of view is 174.7° (fx 3.67, fy 3.67 pixels for pictures of 160×120), not 20° to 140°"},
    "fx far from fy": {"*": "its focal lengths differ, fx is 165.2 and fy 110.1 pixels"},
    "intrinsics of larger pictures": {"*": "its intrinsics are of pictures of about 320×240 pixels, by their middle, and the pictures are 160×120; multiply them by 0.5"},
    "middle of the picture": {"*": "their middle outside the picture"},
    "unit": {"*": "its numbers are in another unit than metres"},
    "unit, near": {"depth": "depths 2.54 times as large, or lengths 0.3937 times as large"},
    "mirrored poses": {"*": "the pose of frame 0 is mirrored: its axes are left-handed"},
    "scaling poses": {"*": "pose 1 is no turn and shift: its axes are 1.5 long"},
    "positions in another unit": {"masks": "positions of the cameras 0.001 times as large: 100% against 0%", "depth": "lengths 0.001 times as large", "*": "the cameras are at least 2,144 m from everything that is there; they are among it with positions of the cameras 0.001 times as large"},
    "poses in reverse order": {"masks": "poses in reverse order: 100%", "depth": "poses in reverse order: 9"},
    "poses three frames late": {"masks": "each pose 3 frames earlier: 9", "depth": "each pose 3 frames earlier: 8"},
    "y and z of boxes exchanged": {"masks": "boxes and masks agree by 2% under the cameras as they are declared, and under no other", "mesh": "7 of 7 boxes hold nothing of the mesh"},
    "numbers of objects exchanged": {"masks": "boxes and masks agree by 0% under the cameras as they are declared", "mesh": "7 of 7 boxes don't hold what bears their number in the mesh"},
    "turns": {"*": "the pictures of the camera lie on their side; turns: 0 makes its pictures upright"},
    "depth_scale": {"depth": "depths 5 times as large"},
}  # fmt: skip
"""What is said of a mistake, by the evidence; '*' where it is another one's. What isn't here can't be seen."""
UNSEEN = {
    "focal length ÷ 3": {"mesh", "neither"},
    "focal length × 2": {"mesh", "neither"},
    "unit, near": {"masks", "mesh", "neither"},
    "poses in reverse order": {"mesh", "neither"},
    "poses three frames late": {"mesh", "neither"},
    "y and z of boxes exchanged": {"depth", "neither"},
    "numbers of objects exchanged": {"depth", "neither"},
    "depth_scale": {"masks", "mesh", "neither"},
}
"""Mistakes that the data don't show; of these, numbers mean nothing without masks or labels, nor does a depth_scale
without depth."""


def only(folder: Path, out: Path) -> SummaryRow:
    """What became of the one scan of a folder."""
    shutil.rmtree(out, ignore_errors=True)
    (entry,) = ingest(ScansConfig("generic", folder), out, 1).scenes
    return entry


def told_alike(mistake: str, evidence: str) -> bool:
    """Whether a mistake is told by the same sentence with less evidence, or isn't seen with it either."""
    said, unseen = SAID.get(mistake, {}), UNSEEN.get(mistake, set())
    return evidence != "neither" and evidence not in said and ((evidence in unseen) == ("neither" in unseen))


@pytest.fixture(scope="module", params=EVIDENCE)
def copies(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, drawn: tuple) -> Any:  # type: ignore[type-arg]
    """A right scan with some evidence: what it is, its folder, what its scene.json holds with poses inline."""
    folder = tmp_path_factory.mktemp("copies") / "room"
    content = write_generic(folder, small_world(), drawn, **EVIDENCE[request.param])
    lines = (folder / "poses.txt").read_text().splitlines()
    content["cameras"][0]["poses"] = [[float(word) for word in line.split()] for line in lines]
    for i, entry in enumerate(content["objects"]):
        entry["number"] = i + 1
    return request.param, folder, content


def test_the_right_scan_passes(copies: Any, tmp_path: Path) -> None:
    _, folder, content = copies
    write_wrong(folder, content, None)
    entry = only(folder, tmp_path / "out")
    assert (entry.state, entry.reason, entry.repaired) == ("new", None, ())
    assert not [note for note in entry.notes if "shows when isn't known" not in note]


CASES = [
    pytest.param(evidence, mistake, marks=pytest.mark.full if told_alike(mistake, evidence) else ())
    for evidence in EVIDENCE
    for mistake in MISTAKES
]


@pytest.mark.parametrize(("copies", "mistake"), CASES, indirect=["copies"])
def test_one_thing_wrong_is_refused_by_name_or_known_to_be_unseen(copies: Any, tmp_path: Path, mistake: str) -> None:
    evidence, folder, content = copies
    write_wrong(folder, content, MISTAKES[mistake])
    entry = only(folder, tmp_path / "out")
    said = SAID.get(mistake, {})
    expected = said.get(evidence, said.get("*"))
    assert (expected is None) == (evidence in UNSEEN.get(mistake, ())), "a mistake is either told or listed as unseen"
    if expected is None:
        assert entry.state == "new"
    else:
        assert entry.state == "refused"
        assert entry.reason is not None
        assert expected in entry.reason
        assert str(folder) in entry.reason


def test_the_page_lists_what_cannot_be_seen() -> None:
    page = (Path(__file__).parents[2] / "docs" / "ingest" / "index.md").read_text(encoding="utf-8")
    section = page.split("## Undetected mistakes")[1].split("\n## ")[0]
    rows = [line for line in section.splitlines() if line.startswith("| ")][1:]
    listed = {}
    for row in rows:
        name, where = (cell.strip() for cell in row.strip("| ").split("|")[:2])
        listed[name] = {word.strip() for word in where.split(",")}
    assert listed == UNSEEN


@pytest.fixture(scope="module")
def simulated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Rooms and a street with fixed cameras and moving things, with masks and depth."""
    pytest.importorskip("moderngl", reason="rendering needs the extra 'worlds'")
    return simulate_some(tmp_path_factory.mktemp("worlds") / "a", seed=11, scenes=2, shapes=("two-rooms", "street"))


def simulate_some(out: Path, seed: int, scenes: int, shapes: tuple[str, ...]) -> Path:
    from tolman.errors import NoDisplayError
    from tolman.simulate.collection import simulate
    from tolman.simulate.simulated_places import WorldsConfig

    try:
        simulate(
            WorldsConfig(
                scenes,
                seed,
                shapes,
                objects=16,
                seconds=5.0,
                rate=3,
                size=(96, 72),
                depth=True,
                actors=1,
                exo=1,
                quality="fast",
            ),
            out,
            1,
        )
    except NoDisplayError as error:
        pytest.skip(str(error))
    return out


def written(folder: Path, collection: Path, scene: Scene, capture: Capture, evidence: str) -> None:
    """A simulated recording in the generic format: cm, y up, cameras as OpenGL has them."""
    folder.mkdir(parents=True)
    name = Path(str(capture.media)).stem
    shutil.copy(collection / str(capture.media), folder / "v.mp4")
    layers = {"masks": "instances", "depth": "depth"}
    if evidence in layers:
        shutil.copytree(collection / layers[evidence] / name, folder / evidence)
    objects = [
        {
            "id": thing.id, "label": thing.category, "number": number, "box": {
                "center": (100 * TO_Y_UP @ thing.box.center).tolist(),
                "extents": (100 * np.array(thing.box.extents)).tolist(),
                "axes": (np.array(thing.box.axes) @ TO_Y_UP.T).tolist(),
            },
        }
        for number, thing in enumerate(scene.objects, start=1) if not thing.track
    ]  # fmt: skip
    poses = []
    for row in capture.poses:
        pose = np.array(row).reshape(4, 4) * [1, -1, -1, 1]
        pose[:3] = TO_Y_UP @ pose[:3]
        pose[:3, 3] *= 100
        poses.append(pose[:3].ravel().tolist())
    camera = {
        "name": capture.role or "ego", "video": "v.mp4", "axes": "opengl", "poses": poses, "as_it_is": True,
        "intrinsics": list(capture.intrinsics[0]), **({evidence: evidence} if evidence in layers else {}),
    }  # fmt: skip
    content = {
        "tolman_scene": 1, "unit": "cm", "up": "y", "objects": objects, "cameras": [camera],
        "outdoors": scene.room_area is None,
    }  # fmt: skip
    (folder / "scene.json").write_text(json.dumps(content))


def hold_all(collection: Path, place: Path) -> int:
    """Every camera of a collection, with each evidence, passes without a word; how many there were."""
    count = 0
    for got in open_collection(collection):
        for capture in got.captures:
            for evidence in ("masks", "depth", "neither"):
                folder = place / f"{count}"
                written(folder, collection, got.scene, capture, evidence)
                entry = only(folder, place / "out")
                assert (entry.state, entry.reason) == ("new", None), (capture.id, evidence)
                assert not [note for note in entry.notes if "shows when" not in note], (capture.id, evidence)
                count += 1
    return count


@pytest.mark.full
def test_simulated_worlds_pass(simulated: Path, tmp_path: Path) -> None:
    assert hold_all(simulated, tmp_path) >= 12


@pytest.mark.full
@pytest.mark.parametrize("seed", [20, 21])
def test_more_simulated_worlds_pass(tmp_path: Path, seed: int) -> None:
    pytest.importorskip("moderngl", reason="rendering needs the extra 'worlds'")
    shapes = ("rectangle", "l-shape", "two-rooms", "street", "parking-lot")
    assert hold_all(simulate_some(tmp_path / "worlds", seed, 5, shapes), tmp_path / "scans") >= 15


# Cameras in a room with ten things on its floor, tilted in every way that right recordings are.
PLACES = np.column_stack([2 + np.cos(np.linspace(0, 5, 20)), 2 + np.sin(np.linspace(0, 5, 20)), np.full(20, 1.6)])
YAW = np.linspace(0, 5, 20)
DECLARED = Declared("opencv", "camera_to_scene", "z")


def standing(things: int = 10) -> StandingThings:
    from ingest.worlds import box_of

    draw = np.random.default_rng(3)
    heights = draw.uniform(0.4, 1.8, things)
    boxes = [
        box_of(np.array([*draw.uniform(0, 4, 2), high / 2]), np.eye(3), (*draw.uniform(0.3, 1, 2), high))
        for high in heights
    ]
    return StandingThings(np.empty((0, 3)), boxes_of(boxes))


def recording(poses: np.ndarray, turns: int = 0) -> CameraRecording:
    size = (160, 120)
    return CameraRecording("ego", np.arange(len(poses)) / 4, poses, np.array([intrinsics_of(size)]), size, turns=turns)


def walk(pitch: float = -0.2, roll: float = 0.0, yaw: np.ndarray = YAW) -> np.ndarray:
    wobble = 0.1 * np.sin(3 * np.arange(len(yaw)))
    return looking(PLACES[: len(yaw)], yaw, np.full(len(yaw), pitch) + wobble, roll + wobble)


@pytest.mark.parametrize(
    "poses",
    [
        walk(),
        walk(pitch=-1.0),
        walk(pitch=-1.5),
        walk(pitch=0.9),
        walk(roll=0.5),
        walk(yaw=np.full(20, 0.7)),
        np.repeat(walk(pitch=-1.57)[:1], 20, axis=0),
        np.repeat(walk(pitch=-1.2)[3:4], 20, axis=0),
    ],
    ids=["level", "head down", "straight down", "up", "rolled", "no yaw", "ceiling", "tilted exo"],
)  # fmt: skip
def test_tilted_cameras_are_right(poses: np.ndarray) -> None:
    assert not [
        note for note in check_up(Path("x"), recording(poses), DECLARED, standing(), "", held=False) if "turns" in note
    ]


def test_pictures_on_their_side_are_told() -> None:
    """A phone held upright whose pictures weren't turned: the scan is right, its pictures are hard to look at."""
    sideways = walk(roll=np.pi / 2)
    (note,) = check_up(Path("x"), recording(sideways), DECLARED, standing(), "", held=True)
    assert "lie on their side; turns: 1 makes its pictures upright" in note
    few = walk(roll=np.pi / 2, yaw=0.5 * np.sin(np.arange(20.0)))
    assert any("turns: 1" in note for note in check_up(Path("x"), recording(few), DECLARED, standing(), "", held=True))
    assert not check_up(Path("x"), recording(sideways, turns=1), DECLARED, standing(), "", held=True)


def test_poses_in_the_other_direction_are_told_by_their_up_alone() -> None:
    right = walk(yaw=np.linspace(0, 3, 20))
    wrong = invert(right, DECLARED)
    assert np.allclose(invert(wrong, DECLARED), right)
    with pytest.raises(InputError, match="they fit with direction: scene_to_camera"):
        check_up(Path("x"), recording(wrong), DECLARED, standing(0), "", held=False)


def test_a_static_camera_that_looks_down_is_refused_only_where_the_floor_contradicts() -> None:
    poses = np.repeat(walk(pitch=-1.57)[:1], 20, axis=0)
    (note,) = check_up(Path("x"), recording(poses), DECLARED, standing(0), "", held=False)
    assert "90° from the scene's up (z)" in note


def test_coordinates_of_a_survey(tmp_path: Path, drawn: tuple) -> None:  # type: ignore[type-arg]
    """UTM coordinates are refused with an offset offered, and taken with it."""
    folder = tmp_path / "room"
    right = write_generic(folder, small_world(), drawn, mesh=False, labels=False, masks=True)
    lines = (folder / "poses.txt").read_text().splitlines()
    shift = np.array([44_800_000.0, 30_000.0, -541_200_000.0])
    poses = []
    for line in lines:
        pose = np.linalg.inv(np.vstack([np.reshape([float(word) for word in line.split()], (3, 4)), [0, 0, 0, 1]]))
        pose[:3, 3] += shift
        poses.append(pose[:3].ravel().tolist())
    right["cameras"][0] |= {"poses": poses, "direction": "camera_to_scene"}
    for entry in right["objects"]:
        entry["box"]["center"] = (np.array(entry["box"]["center"]) + shift).tolist()
    (folder / "scene.json").write_text(json.dumps(right))
    refused = only(folder, tmp_path / "out")
    assert refused.reason is not None
    assert "its centre is 5,41" in refused.reason
    assert "subtract one offset from every position" in refused.reason
    assert "in scene.json: 'origin'" in refused.reason
    (folder / "scene.json").write_text(json.dumps({**right, "origin": shift.tolist()}))
    taken = only(folder, tmp_path / "out")
    assert (taken.state, taken.reason) == ("new", None)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda pose: pose * [[1], [1], [1], [1]] + [[0] * 4, [0] * 4, [0] * 4, [0.1, 0, 0, 0]], "pose 1 has another last row than 0 0 0 1"),
        (lambda pose: pose.T, "pose 1 has another last row than 0 0 0 1: it is written column by column"),
        (lambda pose: pose @ np.array([[1, 0.4, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]]), "pose 1 is no turn and shift: its axes aren't at right angles"),
    ],
)  # fmt: skip
def test_what_is_no_pose(
    tmp_path: Path, drawn: tuple, change: Callable[[np.ndarray], np.ndarray], said: str  # type: ignore[type-arg]
) -> None:  # fmt: skip
    folder = tmp_path / "room"
    content = write_generic(folder, small_world(), drawn)
    poses = [change(pose).ravel().tolist() for pose in small_world().poses]
    content["cameras"][0] |= {"poses": poses, "direction": "camera_to_scene"}
    (folder / "scene.json").write_text(json.dumps(content))
    entry = only(folder, tmp_path / "out")
    assert entry.reason is not None
    assert said in entry.reason
