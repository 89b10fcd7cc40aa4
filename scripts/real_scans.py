"""Gets small public scans from their addresses, ingests each, and prints the scenes and questions that come out.

python scripts/real_scans.py --out FOLDER [--mirror FOLDER] [--only NAME,NAME]

With --mirror, repositories are taken from clones named OWNER+NAME in that folder, in place of github.com. The data are
under their owners' licences and only read. USDZ needs the package usd-core, Aria's recordings projectaria-tools.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import tolman as package
from tolman.scene_table import read_collection

URL = "https://github.com/{}.git"


@dataclass(frozen=True)
class Sample:
    """A public scan: its repository, the folder or file in it, its preset of questions, a file to put above it, and the
    options of `ingest` that it needs."""

    name: str
    repository: str
    path: str
    preset: str = "posed-video"
    above: str = ""
    options: tuple[str, ...] = ()


FEET = ("--scale", "0.3048")
SAMPLES = (
    Sample("instant-ngp's fox", "NVlabs/instant-ngp", "data/nerf/fox"),
    Sample("COLMAP, undistorted", "bartoszek/test_colmap", "dense/0"),
    Sample("3D Scanner App", "laanlabs/3dScannerApp_samples", "chair_scan"),
    *(
        Sample(f"RoomPlan USDZ {i}", "pressanykeyplease/RoomPlan-Sandbox", f"Room Plan/Resources/Scans/room_{i}.usdz",
               preset="vsi-paper")
        for i in (1, 2, 3, 4)
    ),
    Sample("7-Scenes, RedKitchen", "andyzeng/tsdf-fusion-python", "data"),
    Sample("E57 of a pump", "davidcaron/pye57", "tests/test_data/pumpAVisualReferenceImage.e57", preset="vsi-paper"),
    Sample("E57, moved", "davidcaron/pye57", "tests/test_data/translationWithoutRotation.e57", preset="vsi-paper"),
    Sample("E57 with normals", "davidcaron/pye57", "tests/test_data/testWithNormals.e57", preset="vsi-paper"),
    Sample("LAS 1.4", "laspy/laspy", "tests/data/simple1_4.las", preset="vsi-paper"),
    Sample("LAZ in feet", "laspy/laspy", "tests/data/autzen_trim.laz", preset="vsi-paper", options=FEET),
    Sample("COPC", "laspy/laspy", "tests/data/simple.copc.laz", preset="vsi-paper", options=FEET),
    Sample("LAS in feet", "laspy/laspy", "tests/data/autzen_geo_proj.las", preset="vsi-paper", options=FEET),
    Sample("LAS of plants", "laspy/laspy", "tests/data/vegetation_1_3.las", preset="vsi-paper"),
    Sample("ProcTHOR house", "zhiyuan-gao/procthor", "house_100.json", preset="vsi-paper",
           above="procthor/databases/asset-database.json"),
    Sample("Aria Digital Twin", "facebookresearch/projectaria_tools", "data/gen1/aria_digital_twin_test_data",
           preset="vsi-paper"),
)  # fmt: skip


def files_of(sample: Sample, folder: Path, mirror: Path | None) -> Path:
    """The sample's part of its repository, written to a folder."""
    owner = sample.repository.replace("/", "+")
    place = folder / owner
    clone = place.with_suffix(".git")
    if mirror is not None:
        repo = mirror / owner / "repo"
        clone = repo / ".git" if (repo / ".git").is_dir() else repo
    elif not clone.exists():
        address = URL.format(sample.repository)
        subprocess.run(["git", "clone", "--quiet", "--bare", "--depth=1", address, str(clone)], check=True)
    git = ["git", f"--git-dir={clone}"]
    listed = subprocess.run([*git, "ls-tree", "-r", "-z", "HEAD"], check=True, capture_output=True).stdout
    wanted, above = Path(sample.path), Path(sample.above or sample.path)
    for line in filter(None, listed.split(b"\0")):
        kind, _, name = line.decode().partition("\t")
        to = place / above.name if Path(name) == above and sample.above else place / name
        if not (Path(name).is_relative_to(wanted) or Path(name) == above) or to.exists():
            continue
        blob = subprocess.run([*git, "cat-file", "blob", kind.split()[2]], capture_output=True, check=False)
        if blob.returncode:  # mirrors may lack the largest files
            print(f"  without {name}")
            continue
        to.parent.mkdir(parents=True, exist_ok=True)
        to.write_bytes(blob.stdout)
    return place / wanted


def tolman(*words: str) -> str:
    """What the command prints."""
    done = subprocess.run([sys.executable, "-m", "tolman", *words], capture_output=True, text=True, check=False)
    return done.stdout + done.stderr


def main() -> None:
    """Print a paragraph for each sample."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--mirror", type=Path)
    parser.add_argument("--only", default="", help="parts of names, separated by commas")
    asked = parser.parse_args()
    for i, sample in enumerate(SAMPLES):
        if not any(part in sample.name for part in asked.only.split(",")):
            continue
        print(f"{sample.name}: {sample.repository}, {sample.path}", flush=True)
        path = files_of(sample, asked.out / "samples", asked.mirror)
        begun, scenes, bench = time.monotonic(), asked.out / f"scenes-{i}", asked.out / f"bench-{i}"
        said = tolman("ingest", "auto", str(path), "--out", str(scenes), *sample.options)
        for line in said.splitlines():
            if line.startswith(("Note:", "tolman:", str(path))):
                print(f"  {line}")
        if not any(scenes.glob("scenes-*.parquet")):
            print("  no scene")
            continue
        for part in read_collection(scenes):
            poses = sum(pose is not None for one in part.captures for pose in one.poses)
            area = "no area" if part.scene.room_area is None else f"{part.scene.room_area:.1f} m²"
            print(f"  {part.scene.id}: {len(part.scene.objects)} boxes, {poses} poses, {area}")
        said = tolman("generate", str(scenes), "--preset", sample.preset, "--out", str(bench))
        if not (bench / "benchmark.json").exists():
            print(f"  no question: {said.strip()[-200:]}")
            continue
        types = Counter(item.task for item in package.load(bench))
        print(f"  questions: {dict(types)}, {time.monotonic() - begun:.0f} s", flush=True)


if __name__ == "__main__":
    main()
