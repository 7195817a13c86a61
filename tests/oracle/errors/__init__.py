"""Bad arguments in both libraries: who raises, and which class.

`python -m tests.oracle.errors`, from the root of the project, makes the calls and writes docs/errors.md; see README.md of
the folder above.
"""
