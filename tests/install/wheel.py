"""Install the wheel into empty environments, one for the core and one for each extra, and try each of them.

    python tests/install/wheel.py [--package dist/tolman-0.2.0-py3-none-any.whl] [--only core,media] [--python python3.12]

`make test-wheel` builds the wheel and calls this with the packages of `dev`, which make what is tried out. It downloads
packages, takes minutes, prints a table, and ends with exit code 1 if anything fails. The extra `local`, some gigabytes, is
tried only where `--only` names it.
"""

import argparse
import re
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.request import urlopen

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import bare
from materials import make_materials

HELP_LIMIT = 0.35
"""Seconds of the processor for `tolman --help`, which are those of the clock where nothing else goes on."""
HELP_REPEATS = 7
WHEEL_LIMIT = 10_000_000
"""Bytes of the wheel."""
EXTRACT = str(bare.ROOT / "tests" / "extracts" / "vsi_bench_extract.jsonl")
VSI = ("vsi-bench", "--data", EXTRACT)
LARGE = ("local",)


class TrialError(Exception):
    """What was tried doesn't work."""


@dataclass(frozen=True)
class Environment:
    """A virtual environment, and the folder in which commands are typed."""

    folder: Path
    place: Path

    def tolman(self, *arguments: str, code: int = 0, says: str = "", **variables: str) -> str:
        """Type a command that must end with an exit code and say something; what it said."""
        command = [str(self.folder / "bin" / "tolman"), *arguments]
        done = subprocess.run(command, cwd=self.place, env=self.variables | variables, capture_output=True, text=True)
        said = done.stdout + done.stderr
        if done.returncode != code or says not in said:
            raise TrialError(f"tolman {' '.join(arguments)}: exit code {done.returncode}: {said.strip()[-500:]}")
        return said

    @property
    def variables(self) -> dict[str, str]:
        """Nothing of the calling environment but where programs are."""
        keys = {"OPENAI_API_KEY": "none", "GEMINI_API_KEY": "none", "ANTHROPIC_API_KEY": "none"}
        return {"PATH": "/usr/bin:/bin", "HOME": str(self.place), "TOLMAN_CACHE": str(self.place / "cache"), **keys}

    @contextmanager
    def started(self, *command: str, saying: str) -> Iterator[str]:
        """A server that runs meanwhile; gives what of its output fits a pattern."""
        process = subprocess.Popen(
            [str(self.folder / "bin" / command[0]), *command[1:]], cwd=self.place, env=self.variables | {"PYTHONUNBUFFERED": "1"},
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        )  # fmt: skip
        assert process.stdout is not None
        seen = ""
        try:
            for line in process.stdout:
                seen += line
                if found := re.search(saying, line):
                    yield found[0]
                    break
            else:
                raise TrialError(f"{' '.join(command)}: {seen.strip()[-500:]}")
        finally:
            process.terminate()
            process.communicate(timeout=60)


def core(own: Environment) -> str:
    """A baseline, responses of somebody else's, a report, a sentence in place of a traceback, and the start time."""
    own.tolman(
        "run", *VSI, "--protocol", "blind", "--model", "baseline/best-constant", "--out", "run", says="VSI-Bench"
    )
    own.tolman("score", "answers.jsonl", "--benchmark", *VSI, "--name", "mine", "--out", "mine", says="mine")
    own.tolman("report", "run", "--out", "table.html", says="Written")
    own.tolman("analyze", "diversity", *VSI)
    own.tolman("generate", "rooms", "--out", "made", code=2, says="pip install 'tolman[build]'")
    clock, processor = zip(*(_timed_help(own) for _ in range(HELP_REPEATS)), strict=True)
    median, spent = statistics.median(clock), statistics.median(processor)
    told = f"--help {median:.2f} s, of the processor {spent:.2f} s (limit {HELP_LIMIT} s)"
    if spent > HELP_LIMIT:
        raise TrialError(told)
    return f"baseline, score, report; {told}"


def _timed_help(own: Environment) -> tuple[float, float]:
    """Seconds by the clock and of the processor; beside other work only the latter tells something."""
    start, before = time.perf_counter(), resource.getrusage(resource.RUSAGE_CHILDREN)
    own.tolman("--help")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.perf_counter() - start, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def _answered(own: Environment, out: str, *more: str) -> None:
    """Six questions about videos and images, answered by a server on loopback."""
    with own.started("python", str(bare.ROOT / "tests" / "loopback.py"), saying=r"http://\S+") as url:
        own.tolman("run", "./bench", "--model", "openai/m", "--base-url", url, "--out", out, *more, says="bench")


def media(own: Environment) -> str:
    """Frames and images reach an endpoint, matched points of two images too, and the codec works."""
    _answered(own, "run")
    _answered(own, "matched", "--protocol", "correspondence", "--ids", "which")
    own.tolman("doctor", "--extra", "media", says="H.264 in MP4 written and read")
    return "6 questions on videos and images, points of 2 images matched"


def build(own: Environment) -> str:
    """Questions of four papers out of three rooms, an oracle that reads their answers off the scenes, scans, clouds."""
    own.tolman("generate", "rooms", "--out", "made", "--preset", "all")
    own.tolman(
        "run", "./made", "--model", "baseline/oracle", "--scenes", "rooms", "--protocol", "blind", "--out", "run"
    )
    own.tolman("audit", "./made", "--scenes", "rooms")
    own.tolman("curate", "duplicates", "./bench", says="looked at")
    own.tolman("ingest", "generic", "scans", "--out", "scenes", says="1")
    own.tolman("ingest", "media", "bench/images", "--out", "pool", "--source", "Rooms")
    for name in ("cloud.laz", "cloud.pcd", "cloud.ply"):
        own.tolman("measure", name, "size", "--box", "-0.57,-0.37,-0.1,0.57,0.37,0.57")
    own.tolman("measure", "cloud.laz", "diameter", "--shape", "cylinder", "--box", "1.2,1.2,-0.1,2.2,2.2,1.2")
    return "generate --preset all, oracle, audit, duplicates, a scan, a media pool, 3 clouds measured"


def analyze(own: Environment) -> str:
    """Weights and blind learners, pages with figures, and a result file that is an Excel sheet."""
    own.tolman("analyze", "weights", "--published", "spatialbench", "--counts", "318,527,291,98,113")
    own.tolman("analyze", "bias", *VSI, "--folds", "3")
    own.tolman("score", "answers.xlsx", "--benchmark", *VSI, "--out", "scored", says="VSI-Bench")
    own.tolman("run", *VSI, "--protocol", "blind", "--model", "baseline/best-constant", "--out", "run")
    own.tolman("scenes", "rooms", "--out", "scenes.html")
    for page in ("run/report.html", "scenes.html"):
        if "<svg" not in (own.place / page).read_text(encoding="utf-8"):
            raise TrialError(f"{page} has no figure")
    return "weights, bias, a VLMEvalKit sheet, figure of a run, floor plans"


def worlds(own: Environment) -> str:
    """A room on video."""
    own.tolman(
        "simulate", "--scenes", "1", "--seconds", "2", "--shapes", "rectangle", "--quality", "fast", "--out", "worlds"
    )
    own.tolman("doctor", "--extra", "worlds", says="drawn by")
    return "1 room, 2 s of video"


def review(own: Environment) -> str:
    """The application answers."""
    with (
        own.started("tolman", "review", "./bench", "--port", "0", saying=r"http://localhost:\d+\S*") as url,
        urlopen(url, timeout=30) as page,
    ):
        if page.status != 200:
            raise TrialError(f"{url} answers {page.status}")
    own.tolman("doctor", "--extra", "review", says="psycopg")
    return "the start page"


def providers(own: Environment) -> str:
    """A call to nobody ends in a sentence."""
    for model in ("gemini/m", "anthropic/m"):
        own.tolman(
            "run", *VSI, "--protocol", "blind", "--limit", "2", "--retries", "0", "--model", model, "--base-url",
            "http://127.0.0.1:9", "--out", model.partition("/")[0], code=2, says="can't be reached",
        )  # fmt: skip
    return "calls to nobody end in a sentence"


def _imported(extra: str) -> Callable[[Environment], str]:
    """The packages can be imported (clusters and networks are tried by `make test-full`)."""

    def trial(own: Environment) -> str:
        own.tolman("doctor", "--extra", extra)
        return "imported"

    return trial


TRIALS: dict[str, Callable[[Environment], str]] = {
    "core": core, "media": media, "analyze": analyze, "build": build, "worlds": worlds, "review": review,
    "providers": providers, "local": _imported("local"), "cluster": _imported("cluster"),
}  # fmt: skip


def main() -> None:
    """Install and try, one after the other."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--package", help="default: the newest wheel in dist/")
    parser.add_argument("--only", help=f"default: {', '.join(name for name in TRIALS if name not in LARGE)}")
    parser.add_argument("--python", default=sys.executable)
    options = parser.parse_args()
    wheels = sorted((bare.ROOT / "dist").glob("tolman-*.whl"), key=lambda path: path.stat().st_mtime)
    if options.package is None and not wheels:
        sys.exit("no wheel in dist/: build it with 'make dist', or name one with --package.")
    package = options.package or str(wheels[-1])
    if package.endswith(".whl") and (size := Path(package).stat().st_size) > WHEEL_LIMIT:
        sys.exit(f"{package} has {size:,} bytes, more than {WHEEL_LIMIT:,}.")
    names = options.only.split(",") if options.only else [name for name in TRIALS if name not in LARGE]
    print("| installed | packages | MB | install | tried | result |\n|---|---:|---:|---:|---|---|", flush=True)
    failed = 0
    with tempfile.TemporaryDirectory(prefix="tolman-wheel-") as folder:
        materials = make_materials(Path(folder) / "materials")
        for name in names:
            try:
                row = _tried(name, package, options.python, Path(folder) / name, materials)
            except (TrialError, subprocess.CalledProcessError) as error:
                failed += 1
                row = f"| | | | **failed**: {' '.join(str(error).split())} |"
            print(f"| `{name}` {row}", flush=True)
            shutil.rmtree(Path(folder) / name, ignore_errors=True)
    sys.exit(bool(failed))


def _tried(name: str, package: str, python: str, folder: Path, materials: Path) -> str:
    environment = folder / "environment"
    subprocess.run([python, "-m", "venv", str(environment)], check=True)
    site = next(environment.glob("lib/python*/site-packages"))
    before, start = _megabytes(site), time.perf_counter()
    wanted = package if name == "core" else _with_extra(package, name)
    pip = [str(environment / "bin" / "python"), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    done = subprocess.run([*pip, wanted], capture_output=True, text=True)
    if done.returncode:
        raise TrialError(f"pip install {wanted}: {done.stderr.strip()[-500:]}")
    seconds, size = time.perf_counter() - start, _megabytes(site) - before
    count = len(list(site.glob("*.dist-info"))) - 2  # pip and setuptools, which the environment begins with
    shutil.copytree(materials, folder / "place", symlinks=True)
    tried = TRIALS[name](Environment(environment, folder / "place"))
    return f"| {count} | {size:.0f} | {seconds:.0f} s | {tried} | works |"


def _with_extra(package: str, extra: str) -> str:
    """'tolman==0.2.0' or a wheel's path, with an extra."""
    if package.endswith(".whl"):
        return f"{package}[{extra}]"
    name, _, version = package.partition("==")
    return f"{name}[{extra}]" + (f"=={version}" if version else "")


def _megabytes(folder: Path) -> float:
    return sum(p.stat().st_blocks * 512 for p in folder.rglob("*") if p.is_file() and not p.is_symlink()) / 2**20


if __name__ == "__main__":
    main()
