"""What `tolman analyze NAME` reads, prints and writes: a module for each analysis, named as its core in `analyze`."""
