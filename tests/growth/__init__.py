"""How cost grows: time and memory of every op, of its gradient and of what is built on them, from n to 8 n elements.

`samples.py` makes calls of any size from the samples of the registry, `programs.py` has what is no op, `measure.py` measures, and
`declared.py` says what may grow faster than its input, and why. `python -m tests.growth` measures all and writes docs/growth.md.
"""
