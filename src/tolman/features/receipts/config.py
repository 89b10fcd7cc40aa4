"""Settings of `tolman seal`, `verify` and `board`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from tolman.features.config import Setting, setting

Benchmark = Annotated[
    Path | None,
    Setting(
        "Folder of the benchmark, or of a registered benchmark's data. Questions and media are compared with it. "
        "Default: none, they are taken as the receipt has them."
    ),
]
Signers = Annotated[
    Path | None,
    Setting(
        "File of allowed signers, as ssh-keygen reads it: a name, a key type and a public key on each line. Unsigned "
        "runs and other keys are refused. Default: none, any key will do."
    ),
]


@dataclass(frozen=True, kw_only=True)
class SealConfig:
    """Which run gets a receipt, and who signs it."""

    run: Annotated[Path, Setting("Run folder.", positional=True)]
    sign: Path | None = setting(
        "SSH key that signs the receipt: a private key, or the public key of one in an agent. Default: none.",
        metavar="KEY",
    )
    media: Path | None = setting("Folder that the paths of videos and pictures begin in. Default: the run's own.")


@dataclass(frozen=True, kw_only=True)
class VerifyConfig:
    """Which run is verified, and against what."""

    run: Annotated[str, Setting("Run folder, or its address: https://, s3:// or gs://.", positional=True)]
    benchmark: Benchmark = None
    signers: Signers = None


@dataclass(frozen=True, kw_only=True)
class BoardConfig:
    """Which runs are ranked, and where."""

    folder: Annotated[Path, Setting("Folder of sealed run folders, up to three levels down.", positional=True)]
    out: Path = setting("Folder of the pages.", default=Path("board"))
    benchmark: Benchmark = None
    signers: Signers = None
