"""gradtape against its peers: the same programs, side by side: `python -m benchmarks`."""
