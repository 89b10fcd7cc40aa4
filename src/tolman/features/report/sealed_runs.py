"""Seal runs, verify receipts, and make leaderboards of verified runs.

A run folder to verify is a stranger's. Only files of known names are read, never through links, and a private copy is
what is checked. Nothing in it names a file to open or code to run.
"""

from __future__ import annotations

import json
import math
import os
import shutil
import stat
import subprocess
import tempfile
import urllib.error
import urllib.request
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import tolman
from tolman import protocols
from tolman.benchmarks import names
from tolman.benchmarks.benchmark_folder import (
    FILE as CARD,
    OLD_PROFILE,
    PROFILE,
    PROVENANCE,
    form_differences,
    form_of,
    is_folder,
)
from tolman.errors import InputError, TolmanError, UsageError, counted, first_line
from tolman.features.events import Advanced, Began, Ended, Events, Noted, silent
from tolman.features.report.config import BoardConfig, SealConfig, VerifyConfig
from tolman.files import is_own_report, write_text
from tolman.item_table import data_hash
from tolman.items import Item
from tolman.protocols import ProtocolOptions
from tolman.reports.loaded_runs import LoadedRun, load_runs
from tolman.reports.report_content import Report, build, rank_ranges, with_ranks
from tolman.reports.report_pages import matrix_of, matrix_page, pieces, save_report, write_space_card
from tolman.reports.site.site_media import media_folder
from tolman.reports.table_rows import ReportRow, is_reference
from tolman.runs.places import file_name
from tolman.runs.receipts import (
    FILE,
    RUN,
    SEALED,
    SIGNATURE,
    Receipt,
    ReceiptOrigin,
    against_benchmark,
    check_version,
    differences,
    file_sha,
    media_of_items,
    media_sha,
    public_record,
    read_receipt,
    recompute,
    run_differences,
)
from tolman.runs.run_folder import RunFolder, RunRecord
from tolman.runs.run_items import load
from tolman.scoring.score_table import Column
from tolman.storage import is_url, pull

NAMESPACE = "tolman-receipt"
"""Of SSH signatures: one that was made for another purpose is none of a receipt."""
MOST_BYTES = 4 * 2**30
"""Of one file of a run."""
_LONGEST = 500
"""Characters of a sentence about a run: its ids and names are a stranger's."""
_DEPTH = 3
_SECONDS = 60.0
"""Longest wait for a server, or for ssh-keygen."""


@dataclass(frozen=True)
class SealResult:
    """A sealed run.

    Attributes:
        receipt: that was written.
        path: of its file.
        is_signed: whether a signature is next to it.
        remarks: what it doesn't hold.
    """

    receipt: Receipt
    path: Path
    is_signed: bool
    remarks: tuple[str, ...] = ()


@dataclass(frozen=True)
class VerifyResult:
    """A verified run, or the reasons why it is none.

    Attributes:
        run: as the user named it.
        problems: a sentence for each difference; empty where the run is verified.
        remarks: what wasn't compared.
        receipt: of the run; None where it can't be read.
        signer: the name or the key that signed; empty where the receipt isn't signed.
        checked_questions: whether the questions are known to be those of the benchmark's hash.
    """

    run: str
    problems: tuple[str, ...]
    remarks: tuple[str, ...] = ()
    receipt: Receipt | None = None
    signer: str = ""
    checked_questions: bool = False

    @property
    def is_verified(self) -> bool:
        """Check that nothing differs."""
        return not self.problems


@dataclass(frozen=True)
class BoardResult:
    """A leaderboard.

    Attributes:
        out: its folder.
        runs: all that were looked at.
    """

    out: Path
    runs: tuple[VerifyResult, ...]


def seal(config: SealConfig, events: Events = silent) -> SealResult:
    """Write a run's receipt into its folder, and sign it if a key is given.

    Raises:
        InputError: the folder is no run's, or its scores don't follow from its outputs under this version.
        RunConflictError: a run is at work in it.
        UsageError: the receipt can't be signed.
    """
    folder = RunFolder(config.run)
    opened = folder.record()
    if config.sign is not None:
        _ssh_keygen("signing a receipt")
    with folder.sole_writer(), tempfile.TemporaryDirectory() as name:
        copy = Path(name)
        _copy(config.run, copy, (RUN, *SEALED))
        home = Path(opened.settings.benchmark)
        of_folder = is_folder(opened.settings.benchmark)
        if of_folder:
            home = pull(opened.settings.benchmark)
        items = RunFolder(copy).items()
        remarks: list[str] = []
        media = _sealed_media(LoadedRun(folder, opened, {}), items, config.media, remarks, events)
        origin = ReceiptOrigin(
            _card_of(home) if of_folder else {"name": opened.settings.benchmark},
            _sha_or_none(home / PROVENANCE) if of_folder else None,
            media,
        )
        record = _with_benchmark(_raw_record(copy), str(home.absolute()) if of_folder else None)
        with _named_as(copy, config.run):
            made = recompute(copy, record, origin)
        if made.receipt is None or made.problems:
            raise InputError(
                config.run, f"can't be sealed: {made.problems[0].rstrip('.')}", fix=f"run 'tolman score {config.run}'"
            )
        path, text = config.run / FILE, made.receipt.text()
        signature = None if config.sign is None else _sign(text, config.sign)
        (config.run / SIGNATURE).unlink(missing_ok=True)
        write_text(path, text)
        if signature is not None:
            write_text(config.run / SIGNATURE, signature)
    return SealResult(made.receipt, path, config.sign is not None, tuple(remarks))


def _sealed_media(
    run: LoadedRun, items: Sequence[Item], given: Path | None, remarks: list[str], events: Events
) -> dict[str, str] | None:
    """The hashes of the media that questions name; None with a remark where some aren't there."""
    named = media_of_items(items)
    folder = media_folder([run], given) if named else Path()
    if isinstance(folder, str):
        remarks.append(f"The receipt has no hashes of media: {folder}.")
        return None
    events(Began("hashing media", len(named)))
    found: dict[str, str] = {}
    for name in named:
        digest = media_sha(folder, name)
        if digest is None:
            remarks.append(f"The receipt has no hashes of media: {name} isn't in {folder}; name it with --media.")
            break
        found[name] = digest
        events(Advanced())
    events(Ended())
    return found if len(found) == len(named) else None


def verify(config: VerifyConfig, events: Events = silent) -> VerifyResult:
    """Recompute every score of a run from its outputs, and compare all with its receipt.

    Raises:
        UsageError: signers are named and ssh-keygen isn't here, or the address can't be read.
        InputError: the file of signers or the benchmark's folder isn't there.
    """
    _check_given(config.benchmark, config.signers)
    if config.commitment is not None:
        return _verified_form(Path(config.run), config.commitment, config.benchmark)
    with tempfile.TemporaryDirectory() as name:
        return _verified(config.run, Path(name) / "run", config.benchmark, config.signers)[0]


def _verified_form(folder: Path, commitment: Path, benchmark: Path | None) -> VerifyResult:
    """Compare a fresh form with its commitment, and the benchmark that it names with the given one."""
    problems = form_differences(folder, commitment)
    if benchmark is not None and data_hash(load(str(benchmark), None, None).items) != form_of(folder).get("benchmark"):
        problems.append(f"It is a form of another benchmark than {benchmark}.")
    return VerifyResult(str(folder), tuple(problems))


def _check_given(benchmark: Path | None, signers: Path | None) -> None:
    if benchmark is not None and not benchmark.exists():
        raise InputError(benchmark, "does not exist", fix="give the benchmark's folder with --benchmark")
    if signers is not None:
        _ssh_keygen("checking signatures")
        if not signers.is_file():
            raise InputError(signers, "does not exist", fix="give a file of allowed signers with --signers")


def _verified(
    run: str | Path, copy: Path, benchmark: Path | None, signers: Path | None
) -> tuple[VerifyResult, RunRecord | None]:
    """Verify a run in a private copy of its files.

    Args:
        run: folder or address.
        copy: folder for the copy, which is made.
        benchmark, signers: as in the config.

    Returns:
        The result, and the run's record without paths but for that of the benchmark; None where it is refused.
    """
    found = _Verification(str(run), copy, benchmark, signers)
    try:
        record = found.check()
    except InputError as error:  # its advice is for a run of one's own
        found.refuse(str(InputError(error.path, error.what, row=error.row, field=error.field)))
        record = None
    except TolmanError as error:
        found.refuse(str(error))
        record = None
    except Exception as error:  # a stranger's files may break any reader, and a board goes on with the next run
        found.refuse(f"its files can't be scored ({type(error).__name__}: {first_line(error)}).")
        record = None
    return found.result(), None if found.problems else record


class _Verification:
    """The steps of verifying one run, with the problems found so far."""

    def __init__(self, run: str, copy: Path, benchmark: Path | None, signers: Path | None) -> None:
        self.problems: list[str] = []
        self._remarks: list[str] = []
        self._run, self._copy, self._benchmark, self._signers = run, copy, benchmark, signers
        self._receipt: Receipt | None = None
        self._signer, self._checked = "", False

    def refuse(self, sentence: str) -> None:
        """Add a problem; the copy's files are named as those of the run."""
        sentence = sentence.replace(f"{self._copy}/", "").replace(str(self._copy), "the run")
        if self._benchmark is not None:
            sentence = sentence.replace(str(self._benchmark.absolute()), "the benchmark")
        self.problems.append(sentence if len(sentence) <= _LONGEST else f"{sentence[:_LONGEST]} …")

    def result(self) -> VerifyResult:
        """The result so far."""
        return VerifyResult(
            self._run,
            tuple(dict.fromkeys(self.problems)),
            tuple(self._remarks),
            self._receipt,
            self._signer,
            self._checked,
        )

    def check(self) -> RunRecord | None:
        """Carry out all steps; see `_verified`."""
        self._copy.mkdir(parents=True)
        source = pull(self._run) if is_url(self._run) else self._run
        _copy(source, self._copy, (FILE, SIGNATURE, RUN, *SEALED))
        content = self._read(FILE, "has no receipt; seal it with 'tolman seal'")
        self._receipt = receipt = read_receipt(content)
        self._check_signature(content)
        if other := check_version(receipt):
            self.refuse(other)
            return None
        record = self._record(receipt)
        if record is None:
            return None
        for problem in run_differences(
            receipt, public_record(record, of_folder=ReceiptOrigin(receipt.benchmark).is_folder)
        ):
            self.refuse(problem)
        origin = ReceiptOrigin(receipt.benchmark, receipt.recipe, receipt.media)
        made = recompute(self._copy, record, origin)
        for problem in made.problems:
            self.refuse(problem)
        for problem in [] if made.receipt is None else differences(receipt, made.receipt):
            self.refuse(problem)
        if receipt.media is not None and {*receipt.media} != {*media_of_items(made.items)} and made.receipt is not None:
            self.refuse(f"{FILE}: its media aren't those that the questions name.")
        settings = record.settings
        self._checked = settings.selection.is_all and protocols.keeps_items(settings.protocol)
        if self._benchmark is not None:
            self._compare(self._benchmark, receipt, record, made.items)
        elif not self._checked:
            self._remarks.append(
                "The questions weren't compared with the benchmark's; name its folder with --benchmark."
            )
        elif receipt.media:
            self._remarks.append("Media weren't compared; name the benchmark's folder with --benchmark.")
        return record

    def _read(self, name: str, lacking: str) -> bytes:
        path = self._copy / name
        if not path.exists():
            raise InputError("the run", lacking)
        return path.read_bytes()

    def _check_signature(self, content: bytes) -> None:
        path = self._copy / SIGNATURE
        if not path.exists():
            if self._signers is not None:
                self.refuse(f"{SIGNATURE}: is missing, and --signers asks for a signature.")
            return
        if shutil.which("ssh-keygen") is None:
            self._remarks.append("The signature wasn't checked, as ssh-keygen isn't installed.")
            return
        # The fingerprint of the key that signed the content; None where the signature isn't of it.
        status, said, _ = _ask(["-Y", "check-novalidate", "-n", NAMESPACE, "-s", path], content, "checking signatures")
        key = said.split()[-1] if status == 0 and said.split() else None
        if key is None:
            self.refuse(f"{SIGNATURE}: isn't a signature of this receipt.")
        elif self._signers is None:
            self._signer = key
            self._remarks.append(f"Signed by the key {key}, which was compared with no list; name one with --signers.")
        else:
            self._signer = _signer(content, path, self._signers)
            if not self._signer:
                self.refuse(f"{SIGNATURE}: is of the key {key}, which isn't one of {self._signers.name}.")

    def _record(self, receipt: Receipt) -> RunRecord | None:
        """The run's record with a benchmark that can be opened; None where there is none."""
        self._read(RUN, f"has no {RUN}")
        raw = _raw_record(self._copy)
        origin = ReceiptOrigin(receipt.benchmark)
        if not origin.is_folder:
            name = receipt.benchmark["name"]
            if name not in names():
                self.refuse(f"{FILE}: there is no benchmark '{name}' here.")
                return None
            if raw.settings.benchmark != name:
                self.refuse(f"{RUN}: its benchmark is {raw.settings.benchmark}, and the receipt's is {name}.")
                return None
            return _written(self._copy, public_record(raw, of_folder=False))
        public = public_record(raw, of_folder=True)
        if self._benchmark is not None:
            return _written(self._copy, _with_benchmark(public, str(self._benchmark.absolute())))
        if not raw.settings.selection.is_all and not receipt.benchmark.get(PROFILE):
            self.refuse(
                "the run is of a part of a benchmark's folder, whose table isn't known; give --benchmark FOLDER."
            )
            return None
        return _written(self._copy, _with_benchmark(public, str(_stand_in(self._copy, receipt))))

    def _compare(self, benchmark: Path, receipt: Receipt, record: RunRecord, items: Sequence[Item]) -> None:
        """Compare questions, media and recipe with the benchmark's."""
        settings = record.settings
        name = receipt.benchmark.get("name")
        if name is None:
            for problem in _card_differences(receipt, _card_of(benchmark)):
                self.refuse(problem)
            if receipt.recipe != _sha_or_none(benchmark / PROVENANCE):
                self.refuse(f"{FILE}: its 'recipe' isn't the hash of the benchmark's {PROVENANCE}.")
            loaded = load(str(benchmark.absolute()), None, settings.subset)
        else:
            loaded = load(name, benchmark, settings.subset)
        protocol = protocols.get(settings.protocol, ProtocolOptions(seed=settings.seed, data=loaded.folder))
        asked = protocol.present(loaded.benchmark, settings.selection.apply(loaded.items))
        for problem in against_benchmark(items, asked):
            self.refuse(problem)
        from_benchmark = data_hash(loaded.items)
        if settings.data_hash != from_benchmark:
            self.refuse(
                f"{RUN}: its questions have the hash {settings.data_hash}, and the benchmark's {from_benchmark}."
            )
        self._checked = True
        where = media_of_items(items)
        for path, digest in (receipt.media or {}).items():
            here = media_sha(loaded.folder, path)
            if here != digest:
                of = ", ".join(where.get(path, ())[:5])
                what = "isn't in the benchmark's folder" if here is None else "isn't the sealed file"
                self.refuse(f"{path}: {what} (items {of}).")
        if receipt.media is None and where:
            self._remarks.append("The receipt has no hashes of media, so they weren't compared.")


def _raw_record(copy: Path) -> RunRecord:
    try:
        return RunRecord.model_validate_json((copy / RUN).read_bytes())
    except ValueError as error:
        raise InputError(RUN, f"is not a run's ({first_line(error)})") from None


def _written(copy: Path, record: RunRecord) -> RunRecord:
    """Put a record in the place of the copy's."""
    write_text(copy / RUN, record.model_dump_json(indent=2) + "\n")
    return record


def _with_benchmark(record: RunRecord, benchmark: str | None) -> RunRecord:
    if benchmark is None:
        return record
    return record.model_copy(update={"settings": record.settings.model_copy(update={"benchmark": benchmark})})


_CARD_FIELDS = ("title", PROFILE, "paper", "licence")


def _card_of(folder: Path) -> dict[str, str | None]:
    """The fields of a folder's benchmark.json that a receipt has."""
    try:
        card = json.loads((folder / CARD).read_text(encoding="utf-8-sig"))
        card[PROFILE] = card.get(PROFILE) or card.get(OLD_PROFILE)
        return {name: None if card.get(name) is None else str(card[name]) for name in _CARD_FIELDS}
    except (OSError, ValueError, AttributeError, TypeError):
        raise InputError(folder / CARD, "is no benchmark's") from None


def _card_differences(receipt: Receipt, card: dict[str, str | None]) -> Iterator[str]:
    for name in _CARD_FIELDS:
        own = receipt.benchmark.get(name)
        if own != card[name]:
            yield f"{FILE}: the benchmark's {name} is {own!r}, and that of --benchmark {card[name]!r}."


def _stand_in(copy: Path, receipt: Receipt) -> Path:
    """A benchmark's folder made of a receipt's fields and a run's questions, for one that isn't here."""
    folder = copy / "benchmark"
    folder.mkdir()
    write_text(folder / CARD, json.dumps({name: receipt.benchmark.get(name) for name in _CARD_FIELDS}))
    shutil.copyfile(copy / SEALED[0], folder / SEALED[0])
    return folder


def _sha_or_none(path: Path) -> str | None:
    return file_sha(path) if path.is_file() else None


@contextmanager
def _named_as(copy: Path, run: Path) -> Iterator[None]:
    """Name a run's files in errors, not those of its copy."""
    try:
        yield
    except InputError as error:
        path = error.path.replace(str(copy), str(run))
        raise InputError(path, error.what, row=error.row, field=error.field, fix=error.fix) from None


def _copy(source: str | Path, copy: Path, wanted: Sequence[str]) -> None:
    """Copy a run's files of known names; those that aren't there are left out.

    Raises:
        InputError: there is no such folder, or a file is a link or none at all.
        UsageError: the address can't be read.
    """
    remote = str(source)
    if "://" in remote:
        for name in wanted:
            _download(f"{remote.rstrip('/')}/{name}", copy / name)
        return
    if not Path(source).is_dir():
        raise InputError(source, "is no folder", fix="give the folder of a run")
    for name in wanted:
        _copy_file(Path(source) / name, copy / name)


def _copy_file(path: Path, to: Path) -> None:
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    if path.is_symlink():
        raise InputError(path.name, "is a link, and links aren't followed")
    try:
        number = os.open(path, flags)
    except FileNotFoundError:
        return
    except OSError as error:
        raise InputError(path.name, f"can't be read ({error.strerror})") from None
    found = os.fstat(number)
    if not stat.S_ISREG(found.st_mode):
        os.close(number)
        raise InputError(path.name, "is no file")
    with os.fdopen(number, "rb") as file, to.open("wb") as out:
        if found.st_size > MOST_BYTES:
            raise InputError(path.name, f"has more than {MOST_BYTES:,} bytes")
        shutil.copyfileobj(file, out)


def _download(address: str, to: Path) -> None:
    if not address.startswith(("https://", "http://")):
        raise UsageError(f"{address} is no address of a run; it begins with https://, s3:// or gs://.")
    try:
        with urllib.request.urlopen(address, timeout=_SECONDS) as reply, to.open("wb") as out:
            taken = 0
            while part := reply.read(2**20):
                taken += len(part)
                if taken > MOST_BYTES:
                    raise InputError(to.name, f"has more than {MOST_BYTES:,} bytes")
                out.write(part)
    except urllib.error.HTTPError as error:
        if error.code not in (404, 410):
            raise UsageError(f"{address} can't be read (HTTP {error.code}).") from None
    except (OSError, ValueError) as error:
        raise UsageError(f"{address} can't be read ({first_line(error)}).") from None


def _ssh_keygen(purpose: str) -> str:
    """The program's path.

    Raises:
        UsageError: it isn't installed.
    """
    found = shutil.which("ssh-keygen")
    if found is None:
        raise UsageError(f"{purpose} needs ssh-keygen of OpenSSH 8.2 or later, which isn't installed.")
    return found


def _ask(arguments: Sequence[str | Path], content: bytes, purpose: str) -> tuple[int, str, str]:
    """Run ssh-keygen without a shell; status, output and errors."""
    done = subprocess.run(
        [_ssh_keygen(purpose), *map(str, arguments)],
        input=content,
        capture_output=True,
        check=False,
        env={**os.environ, "LC_ALL": "C"},
    )
    return done.returncode, done.stdout.decode(errors="replace"), done.stderr.decode(errors="replace")


def _sign(text: str, key: Path) -> str:
    if not key.is_file():
        raise InputError(key, "does not exist", fix="give the file of an SSH key with --sign")
    status, signature, said = _ask(
        ["-Y", "sign", "-f", key.absolute(), "-n", NAMESPACE], text.encode(), "signing a receipt"
    )
    if status or "BEGIN SSH SIGNATURE" not in signature:
        why = (said.strip().splitlines() or ["no reason given"])[-1]
        raise InputError(key, f"can't sign the receipt ({why.rstrip('.')})", fix="give an SSH key with --sign")
    return signature


def _signer(content: bytes, signature: Path, signers: Path) -> str:
    """The name of the allowed signer that signed the content; empty where there is none."""
    files: list[str | Path] = ["-f", signers.absolute(), "-s", signature]
    _, listed, _ = _ask(["-Y", "find-principals", *files], b"", "checking signatures")
    for name in listed.splitlines():
        status, _, _ = _ask(["-Y", "verify", *files, "-I", name, "-n", NAMESPACE], content, "checking signatures")
        if status == 0:
            return name
    return ""


RANGE, SIGNED_BY = "Rank range", "Signed by"
INDEX = "index.html"
_TITLE = "Leaderboard of verified runs"
_MOST_LARGE = 3
"""Best models whose figure is printed large above the table."""
_PAGES = "board-*.html"


def board(config: BoardConfig, events: Events = silent) -> BoardResult:
    """Verify all runs below a folder, and write the leaderboard of those that pass.

    Raises:
        InputError: the folder holds no run.
        UsageError: signers are named and ssh-keygen isn't here.
    """
    _check_given(config.benchmark, config.signers)
    folders = list(_runs_below(config.folder, config.out))
    if not folders:
        raise InputError(config.folder, "holds no run", fix="give a folder of sealed run folders")
    groups: dict[str, list[tuple[VerifyResult, Path]]] = {}
    results: list[VerifyResult] = []
    with tempfile.TemporaryDirectory() as name:
        events(Began("verifying runs", len(folders)))
        for folder in folders:
            inside = folder.relative_to(config.folder)
            copy = Path(name) / "runs" / inside
            found, record = _verified(folder, copy, config.benchmark, config.signers)
            found = replace(found, run=inside.as_posix() if inside.parts else folder.resolve().name)
            results.append(found)
            if record is not None and found.receipt is not None:
                receipt = found.receipt
                presented = record.presented_items  # by a protocol that asks more questions
                key = json.dumps([receipt.benchmark, receipt.subset, receipt.data, presented], sort_keys=True)
                groups.setdefault(key, []).append((found, copy))
            events(Advanced())
        events(Ended())
        _write_board(config.out, list(groups.values()), [one for one in results if not one.is_verified])
    for one in results:
        if not one.is_verified:
            events(Noted(_refusal(one), "warning"))
    return BoardResult(config.out, tuple(results))


def _runs_below(folder: Path, out: Path) -> Iterator[Path]:
    """The run folders below a folder, sealed or not, in the order of their names; links aren't followed."""
    for place, inside, found in os.walk(folder, followlinks=False):
        path = Path(place)
        inside.sort()
        if {FILE, RUN} & {*found}:
            inside.clear()
            yield path
        elif len(path.relative_to(folder).parts) >= _DEPTH or path.resolve() == out.resolve():
            inside.clear()


def _refusal(one: VerifyResult) -> str:
    more = len(one.problems) - 1
    return f"{one.run}: {one.problems[0]}" + (f" {counted(more, 'more difference')}." if more else "")


def _write_board(
    out: Path, groups: Sequence[Sequence[tuple[VerifyResult, Path]]], refused: Sequence[VerifyResult]
) -> None:
    refusals = [_refusal(one) for one in refused]
    pages: dict[str, tuple[Report, list[LoadedRun]]] = {}
    for number, group in enumerate(groups, start=1):
        receipt = group[0][0].receipt
        assert receipt is not None
        name = INDEX
        if len(groups) > 1:
            name = f"board-{number}-{file_name(receipt.benchmark_name)[:60]}.html"
        pages[name] = _ranked(group, refusals if len(groups) == 1 else [])
    out.mkdir(parents=True, exist_ok=True)
    for name, (report, runs) in pages.items():
        save_report(out / name, pieces(report, runs, with_items=False), "html")
    if len(groups) != 1:
        matrix = matrix_of([report for report, _ in pages.values()])
        left_out = [f"LEFT OUT: {sentence}" for sentence in refusals]
        save_report(out / INDEX, matrix_page(_TITLE, matrix, list(pages), left_out), "html")
    write_space_card(out, _TITLE)
    for earlier in out.glob(_PAGES):
        if earlier.name not in pages and is_own_report(earlier):
            earlier.unlink()


def _ranked(group: Sequence[tuple[VerifyResult, Path]], refusals: Sequence[str]) -> tuple[Report, list[LoadedRun]]:
    """The report of verified runs of one question set, sorted, and the runs without addresses and paths."""
    runs = _with_own_names(load_runs([copy for _, copy in group]), {copy: found.run for found, copy in group})
    by_copy = {copy: found for found, copy in group}
    found_of = {run.name: by_copy[run.folder.path] for run in runs}
    made = build(runs, "baselines", refusals)
    kept = [
        replace(
            row, ranked=row.ranked and not row.part and not is_reference(row) and found_of[row.name].checked_questions
        )
        if row.name in found_of
        else replace(row, ranked=False)
        for row in made.rows
        if row.headline or is_reference(row)
    ]
    columns = made.columns
    headline = made.benchmark.table.column(made.benchmark.table.headline)
    rows = with_ranks(kept, columns)
    ranges = rank_ranges(rows, headline)
    signers = {name: found.signer or "–" for name, found in found_of.items()}
    rows = [
        replace(
            row,
            headline=_rank(row, headline) <= _MOST_LARGE,
            values=(span, "–" if row.rules == "published" else signers.get(row.name, "–")),
        )
        for row, span in zip(rows, ranges, strict=True)
    ]

    def place(row: ReportRow) -> tuple[bool, float, float, str]:
        figure = row.figures.get(headline.key)
        return is_reference(row), _rank(row, headline), -figure.value if figure is not None else 0.0, row.name

    receipt = group[0][0].receipt
    assert receipt is not None
    places = [run.record.settings.benchmark for run in runs]
    notes = [_without_paths(note, places, receipt.benchmark_name) for note in made.notes]
    about = (
        f"Every score of a run follows from its outputs, recomputed by tolman {tolman.__version__}. {RANGE}: the ranks "
        "that the 95 % intervals of the headline allow. An unsigned receipt doesn't show which model answered."
    )
    report = replace(made, rows=sorted(rows, key=place), in_rows=(RANGE, SIGNED_BY), notes=[about, *notes])
    return report, [_shown_run(run, receipt.benchmark_name) for run in runs]


def _with_own_names(runs: Sequence[LoadedRun], places: Mapping[Path, str]) -> list[LoadedRun]:
    """The runs, each with a name of its own: a model may be called as another run is in the table.

    Raises:
        InputError: two names are equal with their folders too.
    """
    counts = Counter(run.name for run in runs)
    own = [replace(run, place=places[run.folder.path]) if counts[run.name] > 1 else run for run in runs]
    twice = next((name for name, count in Counter(run.name for run in own).items() if count > 1), None)
    if twice is not None:
        raise InputError(places[own[0].folder.path], f"two runs would be called {twice!r}", fix="rename a folder")
    return own


def _rank(row: ReportRow, column: Column) -> float:
    """The rank of a row in a column; infinite where it has none."""
    figure = row.figures.get(column.key)
    return math.inf if figure is None or figure.rank is None else figure.rank


def _without_paths(text: str, paths: Sequence[str], name: str) -> str:
    for path in paths:
        text = text.replace(path, name)
    return text


def _shown_run(run: LoadedRun, benchmark: str) -> LoadedRun:
    """The run with the settings that a page prints: no addresses, and nothing of the machine that asked."""
    settings = run.record.settings
    model = {name: value for name, value in settings.model_settings.items() if name != "base_url"}
    settings = settings.model_copy(update={"benchmark": benchmark, "model_settings": model})
    record = run.record.model_copy(update={"settings": settings, "endpoint": {}, "environment": {}})
    return replace(run, record=record)
