"""Evaluate models: runs, suites and estimates."""
