"""Kernels as machine code, written with llvmlite while the program runs (the extra `native`).

    abi.py         what is relied on inside of CPython and NumPy, tried before it is used
    callables.py   objects that Python calls in machine code
    engine.py      from LLVM's language to addresses of functions
    object_cache.py  machine code on disk, for the processes that follow
    language.py    numbers, vectors, loops and memory, with Python's operators
    functions.py   exp, log, tanh, erf ... on vectors
    ufuncs.py      an elementwise text as a ufunc of one pass
    texts.py       texts that are compiled for the types they meet
    thresholds.py  the size at which each faster way starts to be used
    choice.py      the two ways to compute an op, and the choice between them
    pool.py        threads that run the parts of a kernel
    workers.py     the machine code of these threads; layout.py, pool_words.py  the memory that they share with Python
    blas.py        matrix products on these threads, by OpenBLAS
    background.py  gradients of weights, computed while a backward pass goes on
    alignment.py   memory for NumPy's arrays on whole lines of the cache
    windows.py     windows on images: places in memory, tiles in registers, padding
    convolution.py, depthwise.py    convolutions and their gradients
    pooling.py     the largest, the sum or the mean of each window, and their gradients
    sums.py        sums of rows
    rows.py        elementwise steps over the rows of a matrix, with sums along rows, down columns and over everything
    layers.py      steps of recurrent layers, the softmax of attention
    updates.py     the updates of optimizers, in place

A text is a Python function written for NumPy arrays, such as `np.exp(-x) + 1`. Called on symbolic numbers, it writes machine
code.

A kernel that has a native form also has a NumPy form, which runs without llvmlite, on types that the native form
does not take, and on arrays too small to gain. `GRADTAPE_NATIVE=0` in the environment turns the native forms off;
`GRADTAPE_NATIVE=always` runs them on small arrays too.
"""
