"""The command line: `gradtape demo`, `run`, `plot`, `trace`, `cache`."""
