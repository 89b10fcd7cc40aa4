"""Benchmarks out of existing question sets."""
