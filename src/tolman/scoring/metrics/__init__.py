"""Tolman's own metrics, one module each; `tolman.scoring.metric` has what a metric is, and finds them by name."""
