"""Thresholds: the size at which a faster way starts to be used. All of them, each with its unit and the measurement behind it.

A rule or a kernel declares the ways to compute a result. `choice.py`, and the code that runs a kernel, compare sizes
with these numbers. Which way is taken may change the last bits of a result, so a number is the same on every processor.
Sizes that are part of a kernel's text (registers worked on together, terms added up one after the other) stand with the kernel,
and limits of memory and accuracy with what they limit; `tests/test_thresholds.py` lists them.

    python -m benchmarks.thresholds             measures all of them again
    python -m benchmarks.thresholds POOL*       measures some

It times both ways on sizes around a threshold, and prints where they cross; of blocks and parts, which have no second way, it
times several values. What it measures for each is in `benchmarks/crossings.py`. What is shared among cores needs a quiet machine.

Figures in the comments are us for the other way and for the one that begins here, of float32, on a server processor with AVX-512,
2 MB of second-level cache for each core, and two cores; "one core" where others kept the second one busy. That compiling takes
20 ms and more is why some thresholds are far above the crossing point: small arrays would not make up for it.

With `GRADTAPE_NATIVE=always` in the environment, for tests, arrays of two elements take the fast ways.
"""

from __future__ import annotations

import os

_ALWAYS = os.environ.get("GRADTAPE_NATIVE") == "always"


def _from(size: int) -> int:
    return 2 if _ALWAYS else size  # (a single element may be a NumPy number, which is no array)


# --- elementwise texts -------------------------------------------------------------------------------------------------------

# Elements. A text of several NumPy calls, or one slow call, becomes one pass of machine code.
# Sigmoid, one core: 512: 2.8, 0.6; 4,096: 6.0, 1.8; 32,768: 30, 12. A text compiles in 20 to 40 ms.
ONE_PASS_ELEMENTS = _from(1 << 12)
# Elements. A text that is one fast NumPy call becomes machine code, which also uses the other cores.
# relu, one core: 32,768: 7.5, 8.1; 65,536: 14.4, 11.2.
ONE_CALL_ELEMENTS = _from(1 << 16)
# Elements. The same for a sum, a product or another call whose result is rounded exactly.
# Sum of two arrays of 1,048,576: 260, 165. One core gains nothing: 131,072: 18, 28; 1,048,576: 470, 490.
EXACT_ELEMENTS = _from(1 << 17)
# Elements. exp, log, tanh and their like run on all cores, in float32 as machine code.
FUNCTION_ELEMENTS = _from(1 << 17)
# Elements that NumPy computes in large exact calls before the first of them is compiled: short programs do not pay for it.
# Compiling takes 20 ms, so many sums half of that. On a busy machine: 350 ms, and 300.
EXACT_SEEN_ELEMENTS = _from(1 << 25)
# Elements. A compiled text runs on all cores.
# 12 products and sums for each of 131,072: 17, 11. The way there costs a few us: gelu of 32,768, one core: 35, 39.
TEXT_CORES_ELEMENTS = _from(1 << 15)
# Elements in a part of a text that a core takes. So many exponentials take 5, and handing a part over 1.
TEXT_PART_ELEMENTS = _from(1 << 14)
# Bytes of operands and result together. What does not fit into the last cache is written around the caches, which need not fetch
# the lines that are overwritten. Product of two arrays, two cores sharing 32 MB: 24 MB: 145, 200; 48 MB: 565, 540; 96 MB: 3,270,
# 2,930. Where many share the last cache it crosses below: one core of such a machine: 12 MB: 860, 750; 48 MB: 4,140, 3,140.
STREAMED_BYTES = _from(1 << 25)
# Elements of a block of a text that NumPy runs: a few arrays of them stay in a core's own cache.
# Sigmoid of 1,048,576: blocks of 8,192: 5,200; of 32,768: 2,000; of 131,072: 1,800.
TEXT_BLOCK_ELEMENTS = 1 << 15
# Elements. Python's threads share the rows of a NumPy kernel. Handing work over takes 50; tanh of so many took 89 on one core.
NUMPY_CORES_ELEMENTS = _from(1 << 18)

# --- updates of variables ----------------------------------------------------------------------------------------------------

# Elements in a part of an optimizer's update that a core takes.
# Momentum on 131,072: 35, 25; below, the overhead of sharing dominates: 32,768: 9, 14.
UPDATE_PART_ELEMENTS = _from(1 << 15)
# Elements of a block of an update that NumPy runs: temporary arrays stay in a core's own cache.
# Momentum on 1,048,576: blocks of 8,192: 8,000; of 32,768: 3,200; of 131,072: 6,100.
UPDATE_BLOCK_ELEMENTS = 1 << 15
# Elements. An assignment checks whether anything else refers to a variable's memory, and writes in place if nothing does.
# assign_add: 4,096: 3.1, 3.6; 32,768: 6.4, 6.6: what it saves is a second array.
IN_PLACE_ELEMENTS = _from(1 << 12)

# --- rows, sums and scatters -------------------------------------------------------------------------------------------------

# Elements. Sums of rows, and texts with sums along each row (softmax, normalisation), run in machine code.
# Softmax, rows of 64, one core: 8,192: 34, 18; 65,536: 214, 87. Each text is compiled, for each type and kind of row.
ROWS_ELEMENTS = _from(1 << 16)
# Elements in a part of such rows that a core takes. Exponentials of so many take 16, and handing a part over 1.
ROWS_PART_ELEMENTS = _from(1 << 14)
# Elements in a part of a sum of rows that a core takes. Twice as many take 13 on one core, and handing a part over 1.
SUM_PART_ELEMENTS = _from(1 << 15)
# Elements. NumPy's sum is left for a sum of rows, or for one along each row.
# Sum of all: 8,192: 2.7, 5.1; 16,384: 4.5, 5.8; 32,768: 7.8, 7.0; 65,536: 14.6, 9.2.
SUM_ELEMENTS = _from(1 << 14)
# Elements. The sum of all elements is one of machine code's sums of rows. It gains by the second core alone.
# One core: 131,072: 14, 21; 262,144: 24, 27.
SUM_OF_ALL_ELEMENTS = _from(1 << 17)
# Elements. Rows are added where they belong by a product with a sparse matrix, not by np.add.at.
# Rows of 32 at 1,000 places: 4,096: 37, 24; 32,768: 272, 31. The first use imports scipy.sparse.
SCATTER_ELEMENTS = _from(1 << 15)
# Elements. argmax looks for a NaN among the largest elements alone, not among all.
# Rows of 512: 4,096: 2.0, 7.8; 65,536: 7.3, 8.8; 262,144: 24, 10. On this processor a far larger number would do.
NAN_CHOSEN_ELEMENTS = _from(1 << 12)
# Elements of the rows that NumPy normalises at a time: they stay in a core's own cache.
# 4,096 rows of 256, one core: 32,768: 3,060; 65,536: 2,920; 131,072: 3,130.
NORMALIZATION_BLOCK_ELEMENTS = 1 << 15
# Elements of an incomplete gamma integral at a time: each takes an array of 64 nodes.
# 32,768 of them, in ms on a busy core: 2,048: 600; 4,096: 680; 16,384: 965.
INTEGRAL_BLOCK_ELEMENTS = 1 << 12
# Columns. A step of a recurrent layer runs in machine code: rows are long enough for vectors.
# LSTM, 8,192 elements, one core: 4: 185, 85; 16: 86, 40; 64: 72, 38.
RECURRENT_COLUMNS = _from(16)

# --- pools and convolutions --------------------------------------------------------------------------------------------------

# Elements of the input. A pool runs in machine code.
# Largest of 2 x 2, one core: 8,192: 26, 19; 65,536: 53, 22. A kernel for each window and number of channels is compiled.
POOL_ELEMENTS = _from(1 << 16)
# Elements of the input in a part of a pool that a core takes. A pool of twice as many takes 18
# in all on one core, and handing a part over 1.
POOL_PART_ELEMENTS = _from(1 << 14)
# Multiplications. A convolution runs in machine code, not as a product of BLAS.
# 3 x 3, 16 to 16 channels, one core: 1,048,576: 44, 41; 4,194,304: 188, 123; 16,777,216: 975, 248.
CONV_MULTIPLICATIONS = _from(1 << 22)
# Multiplications. The same with one filter for each channel: NumPy's elementwise form is much slower.
# 3 x 3, 16 channels, one core: 65,536: 89, 25; 524,288: 413, 34.
DEPTHWISE_MULTIPLICATIONS = _from(1 << 19)
# Outputs of a batch. Where there are fewer, putting the filters in order for machine code takes too long.
# 3 x 3, 128 to 128 channels, one core: 16: 99, 189; 64: 246, 256; 256: 802, 626.
CONV_PIXELS = _from(256)
# Numbers in all filters, and outputs of an image: the gradient of more filters by smaller images is left to BLAS, because the
# sums of machine code leave the cache. On one busy core it stays ahead all the same: 3 x 3, 256 to 256 channels, 7 x 7 outputs,
# in ms: 67, 56.
CONV_CACHED_FILTERS = 1 << 19
CONV_SMALL_IMAGE_PIXELS = 64
# Kernels that a gradient in the input may take, one for each remainder of a place by the strides. Each is compiled.
# 3 x 3, 32 to 32 channels, one core: strides 1 x 1: 3,130, 1,355; 2 x 2: 1,195, 542; 3 x 3: 540, 540.
CONV_GRADIENT_KERNELS = 4
# Places of a line of a window with one filter for each channel: the code has each of them. A line of 64 takes 4.6 times as long
# to compile as one of 8.
DEPTHWISE_LINE_PLACES = 64
# Multiplications in a part of a convolution that a core takes. So many take 7, and handing a part over 1.
CONV_PART_MULTIPLICATIONS = _from(1 << 20)
# Bytes of a padded image that are made at once: an eighth of a core's own cache, beside filters and results.
# 4 images 112 x 112, 32 channels: less than a fifth between 65,536 and 1,048,576, and no reproducible order.
CONV_BAND_BYTES = 1 << 18
# Outputs for which a panel of filters is used at least once it is in the cache. The same images: no difference from 64 to 512.
CONV_PANEL_PIXELS = 256
# Bytes of a batch that a NumPy form of a convolution or a pool works on at a time: more leave the cache, fewer cost calls.
# 32 images 28 x 28, 16 to 32 channels: on a busy machine no reproducible order.
WINDOW_BLOCK_BYTES = 1 << 22

# --- products ----------------------------------------------------------------------------------------------------------------

# Multiplications. OpenBLAS would use its threads: this is disabled, and products not needed yet are left to other threads.
# On a busy machine: 524,288: 8.2, 8.7; 1,048,576: 105,000, 27: its threads wait for each other.
BLAS_THREADS_MULTIPLICATIONS = _from(1 << 18)
# Multiplications. A product is cut into parts for all cores. 128 x 512 by 512 x 512, in ms: 0.23, 0.21. Smaller ones
# take 30 us, and a second core saves nothing.
PRODUCT_CORES_MULTIPLICATIONS = _from(1 << 23)
# Instructions of a compiled function. A product that is asked for after so few is computed at once. Posting as such took the
# LSTM of the benchmarks from 6.8 ms to 6.1; from 0 to 16 the differences are smaller than those between two runs.
POSTED_INSTRUCTIONS = 4

# --- compiled functions ------------------------------------------------------------------------------------------------------

# Elements. A program on smaller arrays becomes one native function, which runs on one core. A training step of a network
# 2-64-64-1 with Adam: as row groups 230, as one function 25. From 32,768 on texts use all cores.
WHOLE_ELEMENTS = _from(1 << 14)
# Elements. The largest of a line of so many are found without sorting it, by the Python lines of the kernel.
# The 3 largest of 4,096 elements in lines of: 32: 16, 61; 64: 37, 51; 128: 41, 47; 512: 48, 45.
SORTED_ELEMENTS = 1 << 7
# Elements. The places of extremes in lines of so many are found by NumPy's own functions, which compare vectors.
# 8,000 elements in lines of: 2: 4.9, 19.1; 3: 4.1, 9.4; 4: 11.0, 7.8; 8: 22.5, 5.3; 32: 24.8, 3.7.
EXTREME_ELEMENTS = _from(4)
# Elements. Chains that machine code does not take are run by NumPy in blocks, on all cores.
# A chain of 7, one core: 65,536: 84, 97: without a second core blocks gain nothing.
CHAIN_ELEMENTS = _from(1 << 17)
# Elements of such a block: a few of them fit the cache of a core, and threads seldom meet.
# A chain of 7 on 1,048,576, on a busy machine: 16,384: 2,500; 65,536: 5,700; 262,144: 5,300.
CHAIN_BLOCK_ELEMENTS = 1 << 16
# Columns. Shorter rows are no vectors: such instructions are not grouped along rows.
# Softmax written out, 16,384 elements, one core: 2: 489, 381; 4: 293, 229; 16: 167, 136.
GROUP_COLUMNS = _from(4)
# Instructions of a group: the time to compile it grows faster than they do.
# 140 instructions with their compilation, ms: 12: 604; 24: 584; 48: 572; 96: 1,167.
GROUP_INSTRUCTIONS = 48
# Instructions of a native function that is a part of a program: LLVM takes more than twice as long for twice as many. More parts
# cost more calls of it. The first call of 2,000 instructions and one that no native function has, ms: 125: 1,890; 500: 1,520;
# 2,000: 1,100, because long ones are cut all the same, as the next two numbers say.
NATIVE_GROUP_INSTRUCTIONS = 500
# Instructions. A native function of more is written as several functions of LLVM.
# The first call of 2,000, ms: cut: 920; whole: 1,810.
NATIVE_FUNCTION_INSTRUCTIONS = 1000
# Instructions of each of these. The same, ms: 50: 1,020; 100: 960; 400: 900; 1,600: 920.
NATIVE_PIECE_INSTRUCTIONS = 400
# Bytes that an op's kernel in Python is given and gives. A native function that calls it copies them; more are lines of Python.
# A sort between sums: 8,192: 4.7, 4.7; 65,536: 16.4, 15.8; 262,144: 71, 63.
CALLBACK_BYTES = 1 << 16
# Bytes of an array of which rows are changed. A native function may copy one so large; Python lines change larger ones in place.
# The gradient of a loop of 40 rounds that reads rows at two places: 1,024: 0.8, 0.8; 8,192: 2.6, 5.2.
ROW_CHANGE_BYTES = 1 << 12
# Nanoseconds that a native function takes, about. One that takes longer lets go of the interpreter's lock, so that other threads
# run. To do so and to take it back costs 0.05 us on a quiet machine: two tanh of 256: 0.44, 0.50.
LOCK_NANOSECONDS = 10_000
# Calls of a program as Python lines before it becomes a native function. Compiling takes as long as some 100,000 instructions:
# who calls a function so often calls it more often. 20 calls of 20 instructions, ms: 16 and fewer: 28; 64: 4.
# For tests, GRADTAPE_NATIVE=whole.
WARMING_CALLS = 0 if os.environ.get("GRADTAPE_NATIVE") == "whole" else 16
# Instructions that it runs so, in loops for the most part, before the same. 10 calls of a loop of 1,000 rounds, ms: 4,096: 52;
# 65,536: 15.
WARMING_INSTRUCTIONS = 1 << 12
# Rounds. A loop of a known number of rounds is written out in a program: positions in it are numbers then, and rounds may differ.
# A tanh of each row of 16, which gains nothing by it: 4: 6, 10; 32: 29, 35; 256: 221, 270.
UNROLLED_ROUNDS = 32
# Rows that are computed as one array. Fewer gain little beside the rest of a program, and keep the order of their sums.
# A product and a tanh of each row, stacked, 65,536 elements: 2: 23, 13; 8: 38, 20; 64: 105, 20.
JOINED_ROWS = _from(8)
# Bytes. A result is written to the memory of an operand that is not needed afterwards.
# Five roundings and roots: 4,096: 5.4, 4.8; 32,768: 10.7, 9.3; 262,144: 55, 47.
BUFFER_BYTES = _from(1 << 15)

# --- derivatives and files ---------------------------------------------------------------------------------------------------

# Passes backward for the rows of a Jacobian. More rows are one pass on a batch: an op on a batch takes some ten times as long as
# on an array, if both are small. A product and three functions: 1: 45, 91; 4: 83, 92; 8: 131, 94.
JACOBIAN_PASSES = 4
# Bytes. A checksum (CRC-32C) is put together of tables by NumPy, not computed byte by byte. 64: 4.3, 5.5; 128: 8.5, 5.3.
CRC_BYTES = 128

# --- memory and threads ------------------------------------------------------------------------------------------------------

# Bytes. An array begins on a line of the cache. NumPy keeps freed memory of smaller ones at hand, and a line counts for little.
# Sum of two arrays: 2,048: 0.49, 0.48; 4,096: 0.50, 0.49; 8,192: 0.63, 0.55; 32,768: 2.7, 1.4.
ALIGNED_BYTES = 1 << 12
# Parts of a kernel for each core: a core that another program holds delays one part.
# Exponentials of 1,048,576 on a busy machine: 1: 690; 2: 668; 4: 640; 8: 630.
PARTS_OF_CORE = 4
# Looks for work, with a pause in between, before a thread goes to sleep: about 1.3 ms, longer than most of what Python does
# between two kernels. A kernel after 200 us of Python: 1,000: 20; 100,000: 11.
LOOKS_BEFORE_SLEEP = 100_000
