"""Fuzzing of everything that reads bytes from outside: `python -m tests.fuzz`, and its finds as ordinary tests.

`reader` says what is promised, `readers` what is read and with which files it begins; `structured` changes them so that
checksums and syntax still hold, `worker` runs one reader under atheris (libFuzzer for Python), and `__main__` runs the workers
and writes docs/fuzzing.md. What was found lies in `regressions/<reader>/`, and `test_regressions` reads it again.
"""
