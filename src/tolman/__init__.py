"""Tolman builds, runs and dissects spatial-intelligence benchmarks for multimodal models."""

__version__ = "0.1.0"
