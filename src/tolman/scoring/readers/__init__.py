"""Released parsers, a module for each source; `tolman.scoring.reader` has what a reader is, and finds them by name."""
