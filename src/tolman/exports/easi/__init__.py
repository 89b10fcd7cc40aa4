"""EASI: results as a submission to its leaderboard, `easi_results.json` and `easi_results.zip`. Nothing is sent.

Source: EvolvingLMMs-Lab/EASI@0c1a41e, scripts/submissions (`build_payload`, `build_results_archive`,
`validate_payload_for_submit`) and docs/Submit_results.md.
"""

from __future__ import annotations

from tolman.exports.easi.writing import SETTINGS, write
from tolman.exports.export import RunsExport

EXPORT = RunsExport(title="submission to EASI's leaderboard", write=write, settings=SETTINGS)
