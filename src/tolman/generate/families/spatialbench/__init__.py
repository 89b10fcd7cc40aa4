"""SpatialBench's question families: its fifteen tasks over five levels."""
