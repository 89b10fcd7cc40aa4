"""Published results that can be run again: a TOML file for each in `targets/`."""
