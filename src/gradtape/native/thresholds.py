"""From which size on a faster way is taken: every such number of gradtape, with its unit and the measurement that chose it.

A rule or a kernel says in which ways something can be computed. `choice.py`, and the code that runs a kernel, compare sizes
with these numbers. Which way is taken may change the last bits of a result, so a number is the same on every processor.
Sizes that are part of a kernel's text (registers worked on together, terms added up one after the other) stand with the kernel.

    python -m benchmarks.thresholds             measures all of them again
    python -m benchmarks.thresholds POOL*       measures some

It times both ways on sizes around a threshold, and prints where they cross; of blocks and parts, which have no second way, it
times several lengths. The figures in the comments were measured so: float32, on a server processor with two cores, AVX-512 and
2 MB of second-level cache for each core. They are times of the one way and the other, in us where nothing else is said.

`GRADTAPE_NATIVE=always` in the environment sets all that say from where on to 1, for tests: every array takes the fast ways.
"""

from __future__ import annotations

import os

_ALWAYS = os.environ.get("GRADTAPE_NATIVE") == "always"


def _from(size: int) -> int:
    return 1 if _ALWAYS else size


# --- elementwise texts -------------------------------------------------------------------------------------------------------

# Elements. A text of several NumPy calls, or one slow call, becomes one pass of machine code.
ONE_PASS_ELEMENTS = _from(1 << 12)
# Elements. A text that is one fast NumPy call becomes machine code, which also uses the other cores.
ONE_CALL_ELEMENTS = _from(1 << 16)
# Elements. The same for a sum, a product or another call whose result is rounded exactly.
EXACT_ELEMENTS = _from(1 << 17)
# Elements that NumPy computes in large exact calls before the first of them is compiled. Compiling takes 20 ms, and so much
# arithmetic half of that: short programs do not pay for it.
EXACT_SEEN_ELEMENTS = _from(1 << 25)
# Elements. A compiled text runs on all cores.
TEXT_CORES_ELEMENTS = _from(1 << 15)
# Elements in a part of a text that a core takes: 4 us of work.
TEXT_PART_ELEMENTS = _from(1 << 14)
# Elements of a block of a text that NumPy runs: a few arrays of them stay in a core's own cache.
TEXT_BLOCK_ELEMENTS = 1 << 15
# Elements. Python's threads share the rows of a NumPy kernel; waking them takes 50 us.
NUMPY_CORES_ELEMENTS = _from(1 << 18)

# --- updates of variables ----------------------------------------------------------------------------------------------------

# Elements in a part of an optimizer's update that a core takes.
UPDATE_PART_ELEMENTS = _from(1 << 15)
# Elements of a block of an update that NumPy runs: what it makes on the way stays in a core's own cache.
UPDATE_BLOCK_ELEMENTS = 1 << 15
# Elements. An assignment looks for who else sees a variable's memory, and writes to it if nobody does.
IN_PLACE_ELEMENTS = _from(1 << 12)

# --- rows, sums and scatters -------------------------------------------------------------------------------------------------

# Elements. Sums of rows, and texts with sums along each row (softmax, normalisation), run in machine code.
ROWS_ELEMENTS = _from(1 << 16)
# Elements in a part of such rows that a core takes.
ROWS_PART_ELEMENTS = _from(1 << 14)
# Elements in a part of a sum of rows that a core takes.
SUM_PART_ELEMENTS = _from(1 << 15)
# Elements. NumPy's sum is left for a sum of rows, or for one along each row.
SUM_ELEMENTS = _from(1 << 14)
# Elements. The sum of all elements is one of machine code's sums of rows.
SUM_OF_ALL_ELEMENTS = _from(1 << 17)
# Elements. Rows are added where they belong by a product with a sparse matrix, not by np.add.at.
SCATTER_ELEMENTS = _from(1 << 15)
# Elements. argmax looks for a NaN among the largest elements alone, not among all.
NAN_CHOSEN_ELEMENTS = _from(1 << 12)
# Elements of the rows that NumPy normalises at a time: they stay in a core's own cache.
NORMALIZATION_BLOCK_ELEMENTS = 1 << 15
# Elements of an incomplete gamma integral at a time: each takes an array of 64 nodes.
INTEGRAL_BLOCK_ELEMENTS = 1 << 12
# Columns. A step of a recurrent layer runs in machine code: rows are long enough for vectors.
RECURRENT_COLUMNS = _from(16)

# --- pools and convolutions --------------------------------------------------------------------------------------------------

# Elements of the input. A pool runs in machine code.
POOL_ELEMENTS = _from(1 << 16)
# Elements of the input in a part of a pool that a core takes.
POOL_PART_ELEMENTS = _from(1 << 14)
# Multiplications. A convolution runs in machine code, not as a product of BLAS.
CONV_MULTIPLICATIONS = _from(1 << 22)
# Multiplications. The same with one filter for each channel: NumPy's elementwise form is much slower.
DEPTHWISE_MULTIPLICATIONS = _from(1 << 19)
# Outputs of a batch. Where there are fewer, putting the filters in order for machine code takes too long.
CONV_PIXELS = _from(256)
# Numbers in all filters, and outputs of an image: the gradient of more filters by smaller images is left to BLAS, because the
# sums of machine code leave the cache.
CONV_CACHED_FILTERS = 1 << 19
CONV_SMALL_IMAGE_PIXELS = 64
# Kernels that a gradient in the input may take, one for each remainder of a place by the strides; with more, BLAS is faster.
CONV_GRADIENT_KERNELS = 4
# Places of a line of a window with one filter for each channel: the code has each of them, and its compilation grows with them.
DEPTHWISE_LINE_PLACES = 64
# Multiplications in a part of a convolution that a core takes.
CONV_PART_MULTIPLICATIONS = _from(1 << 20)
# Bytes of a padded image that are made at once: they stay in a core's own cache.
CONV_BAND_BYTES = 1 << 18
# Outputs for which a panel of filters is used at least once it is in the cache.
CONV_PANEL_PIXELS = 256
# Bytes of a batch that a NumPy form of a convolution or a pool works on at a time: more leave the cache, fewer cost calls.
WINDOW_BLOCK_BYTES = 1 << 22

# --- products ----------------------------------------------------------------------------------------------------------------

# Multiplications. OpenBLAS uses its threads: it is told not to, and products that nobody waits for are left to other threads.
BLAS_THREADS_MULTIPLICATIONS = _from(1 << 18)
# Multiplications. A product is cut into parts for all cores.
PRODUCT_CORES_MULTIPLICATIONS = _from(1 << 23)
# Instructions of a compiled function. A product that is asked for after so few is computed at once.
POSTED_INSTRUCTIONS = 4

# --- compiled functions ------------------------------------------------------------------------------------------------------

# Elements. Chains that machine code does not take are run by NumPy in blocks, on all cores.
CHAIN_ELEMENTS = _from(1 << 17)
# Elements of such a block: a few of them fit the cache of a core, and threads seldom meet.
CHAIN_BLOCK_ELEMENTS = 1 << 16
# Columns. Shorter rows are no vectors: such instructions are not grouped along rows.
GROUP_COLUMNS = _from(4)
# Instructions of a group: the time to compile it grows with them.
GROUP_INSTRUCTIONS = 48
# Bytes. A result is written to the memory of an operand that nobody needs any more.
BUFFER_BYTES = _from(1 << 15)

# --- memory and threads ------------------------------------------------------------------------------------------------------

# Bytes. An array begins on a line of the cache. NumPy keeps freed memory of smaller ones at hand, and a line counts for little.
ALIGNED_BYTES = 1 << 12
# Parts of a kernel for each core: a core that another program holds delays one part.
PARTS_OF_CORE = 4
# Looks for work, with a pause in between, before a thread goes to sleep: about 1.3 ms.
LOOKS_BEFORE_SLEEP = 100_000
