"""Generate questions from scenes, and audit benchmarks."""
