"""SpatialBench's fifteen tasks over five levels: those that VSI-Bench's families don't make."""
