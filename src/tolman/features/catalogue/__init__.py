"""Benchmarks, protocols, recipes and stores: list, fetch, export."""
