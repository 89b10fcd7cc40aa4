"""Tolman's own metrics, one module each; `metric` has what a metric is, `metrics_by_name` finds them."""
