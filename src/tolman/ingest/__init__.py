"""Data set formats in, Scenes and Captures out: a module for each format."""
