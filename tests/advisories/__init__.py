"""The kinds of TensorFlow's security advisories, tried on every op and on the public functions.

An advisory of TensorFlow is nearly always one of a few kinds of arguments: a size that is negative, huge, zero or not a number, a
product of sizes that overflows, an empty tensor, a wrong rank, None, an index out of range, a divisor of zero, a wrong type.
Attempts of these kinds are made from the samples of the registry (`ops.py`) and from lists of calls (`calls.py`), and run in a
process with little memory (`worker.py`). Each must give a result or an error with a name, in a second (`promise.py`).
"""
