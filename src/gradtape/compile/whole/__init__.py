"""Small programs as one native function: a whole-program group is recorded as steps on memory, which become machine code.

    group.py            which instructions become one function
    recording.py        instructions as steps: kernels run on stand-ins (stand_in.py) and say what they do; by_hand.py,
                        positions.py and callbacks.py have the ops whose kernels cannot
    numpy_functions.py  NumPy's functions on stand-ins
    steps.py            the steps, and the memory they read and write
    scheduling.py       their order, which of them are one loop, where values lie
    texts.py, own.py    elementwise functions as instructions of LLVM, those of `jit_compile=True`
    memory.py, elementwise.py, reductions.py, matrices.py, rows.py, ordering.py
                        steps as text of LLVM
    state.py            variables as arguments and results
    native_function.py  the whole as a function that Python calls (entry.py, variables.py, objects.py)
    identity.py, known.py, origins.py
                        functions that an earlier process has compiled, found by their steps before any text is written

docs/design/compiler.md follows one program through all of it.
"""
