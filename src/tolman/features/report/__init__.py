"""Reports and sites of runs and scenes."""
