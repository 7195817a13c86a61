"""How far results are from the true ones: every elementwise op and every reduction against mpmath in 50 digits.

`python -m tests.accuracy` measures them all and writes docs/accuracy.md; `test_accuracy.py` measures a part of each.
"""
