"""A second oracle: the same calls run through gradtape and through TensorFlow, and everything that differs is told.

`python -m tests.oracle`, from the root of the project, makes the calls and writes docs/coverage.md; see README.md.
It is no part of the normal test run: it needs TensorFlow, which it installs into a folder that it throws away.
"""
