"""What is measured for each threshold: a typical operand of the kind that it is compared with."""

from __future__ import annotations

import functools
import itertools
import math
import operator
import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

import gradtape as tf
from benchmarks.thresholds import NEVER, Crossing, Unavailable, Values, Way, switched
from gradtape.base.threads import cores
from gradtape.native import engine, thresholds
from gradtape.native.choice import choice_of
from gradtape.native.texts import CompiledText, Exact, NumPyFunction
from gradtape.native.updates import Update
from gradtape.op import family
from gradtape.op.declaration import REGISTRY
from gradtape.ops.array import accumulate
from gradtape.ops.math import reduce
from gradtape.ops.nn import conv_kernels, rows, sequence

Array = np.ndarray[Any, Any]
_DIFFERENT = itertools.count(time.time_ns() % 10**7)  # numbers that no kernel of this or an earlier run knows
MEASUREMENTS: dict[str, Crossing | Values] = {}


def _floats(*shape: int, seed: int = 0) -> Array:
    return np.random.default_rng(seed).standard_normal(shape).astype(np.float32)


def _around(name: str, factors: Sequence[float] = (1 / 8, 1 / 4, 1 / 2, 1, 2, 4, 8)) -> list[int]:
    return [max(1, int(getattr(thresholds, name) * factor)) for factor in factors]


def _crossing(name: str, sizes: Sequence[int] = (), at_most: bool = False) -> Callable[[Any], Any]:
    def declare(ways: Callable[[int], tuple[Way, Way]]) -> Any:
        MEASUREMENTS[name] = Crossing(ways, sizes or _around(name), at_most)
        return ways

    return declare


def _values(name: str, values: Sequence[int] = ()) -> Callable[[Any], Any]:
    def declare(way: Callable[[int], Way]) -> Any:
        MEASUREMENTS[name] = Values(way, values or _around(name, (1 / 4, 1 / 2, 1, 2, 4)))
        return way

    return declare


def _both(kernel: Any, *operands: Any, **settings: Any) -> tuple[Way, Way]:
    """The two ways that a kernel names."""
    ways = choice_of(kernel)
    assert ways is not None
    return Way(lambda: ways.small(*operands), **settings), Way(lambda: ways.large(*operands), **settings)


def _built(make: Callable[[], Callable[[], Any]], **settings: Any) -> Way:
    """What keeps the choice that it makes when it is called first, under these settings."""
    made: list[Callable[[], Any]] = []

    def run() -> Any:
        if not made:
            made.append(make())
        return made[0]()

    return Way(run, **settings)


def _in_parts(name: str, make: Callable[[], Callable[[], Any]], part: int) -> tuple[Way, Way]:
    """One core, and two with a part each."""
    if cores() == 1:
        raise Unavailable("there is one core")
    return _built(make, **{name: NEVER}), _built(make, **{name: part})


# --- elementwise texts -------------------------------------------------------------------------------------------------------


@_crossing("ONE_PASS_ELEMENTS")
def _(size: int) -> tuple[Way, Way]:
    x, ways = _floats(size), choice_of(REGISTRY["sigmoid"].eager)
    assert ways is not None
    compiled = CompiledText(ways.small).ufunc_of((x,), {})
    if compiled is None:
        raise Unavailable("there is no machine code")
    return Way(lambda: ways.small(x)), Way(lambda: compiled(x))


@_crossing("ONE_CALL_ELEMENTS")
def _(size: int) -> tuple[Way, Way]:
    return _both(REGISTRY["relu"].eager, _floats(size))


@_crossing("EXACT_ELEMENTS")
def _(size: int) -> tuple[Way, Way]:
    x, y = _floats(2, size)
    kernel: Any = Exact(np.add)
    return Way(lambda: np.add(x, y)), Way(lambda: kernel(x, y), EXACT_SEEN_ELEMENTS=0)


@_crossing("FUNCTION_ELEMENTS")
def _(size: int) -> tuple[Way, Way]:
    x, kernel = _floats(size), NumPyFunction(np.tanh)
    return Way(lambda: np.tanh(x)), Way(lambda: kernel(x))


@_crossing("STREAMED_BYTES")
def _(size: int) -> tuple[Way, Way]:
    """Two operands and their product."""
    x, y = _floats(2, size // 12)
    kernel = CompiledText(operator.mul)
    return switched("STREAMED_BYTES", lambda: kernel((x, y), {}))


@_crossing("EXACT_SEEN_ELEMENTS", [1 << power for power in (21, 22, 23, 24, 25, 26)])
def _(size: int) -> tuple[Way, Way]:
    """NumPy's sums of so many elements, and the compilation of a sum: that is what it could have been spent on."""
    x, y = _floats(2, thresholds.EXACT_ELEMENTS)

    def compiled() -> Any:
        return CompiledText(lambda a, b: a + b).ufunc_of((x, y), {})

    return Way(lambda: [np.add(x, y) for _ in range(size // x.size)]), Way(compiled)


@_crossing("TEXT_CORES_ELEMENTS")
def _(size: int) -> tuple[Way, Way]:
    x = _floats(size)
    return switched("TEXT_CORES_ELEMENTS", lambda: tf.nn.gelu(x))


@_crossing("TEXT_PART_ELEMENTS")
def _(part: int) -> tuple[Way, Way]:
    x = _floats(2 * part)

    def make() -> Any:
        text = CompiledText(lambda a: np.exp(a) * 2.0)
        return lambda: text((x,), {})

    one, two = _in_parts("TEXT_PART_ELEMENTS", make, part)
    return Way(one.run, TEXT_CORES_ELEMENTS=1, **one.settings), Way(two.run, TEXT_CORES_ELEMENTS=1, **two.settings)


@_values("TEXT_BLOCK_ELEMENTS")
def _(length: int) -> Way:
    x, text = _floats(1 << 20), choice_of(REGISTRY["sigmoid"].eager)
    assert text is not None
    return Way(lambda: family._in_blocks(text.small, (x,), {}), TEXT_BLOCK_ELEMENTS=length)


@_crossing("NUMPY_CORES_ELEMENTS")
def _(size: int) -> tuple[Way, Way]:
    x, kernel = _floats(64, size // 64), family.by_rows(np.tanh)
    return switched("NUMPY_CORES_ELEMENTS", lambda: kernel(x))


# --- updates of variables ----------------------------------------------------------------------------------------------------


def _momentum(g: Any, w: Any, m: Any, rate: Any, decay: Any) -> Any:
    m *= decay
    m += g
    w += m * rate
    return w, m


@_crossing("UPDATE_PART_ELEMENTS")
def _(size: int) -> tuple[Way, Way]:
    g, w, m = _floats(3, size)
    update = Update(_momentum, 2)
    return switched("UPDATE_PART_ELEMENTS", lambda: update(g, [w, m], (1e-9, 0.9)), ONE_PASS_ELEMENTS=1)


@_values("UPDATE_BLOCK_ELEMENTS")
def _(length: int) -> Way:
    g, w, m = _floats(3, 1 << 20)
    update = Update(_momentum, 2)
    return Way(lambda: update(g, [w, m], (1e-9, 0.9)), UPDATE_BLOCK_ELEMENTS=length, available=False)


@_crossing("IN_PLACE_ELEMENTS")
def _(size: int) -> tuple[Way, Way]:
    variable, by = tf.Variable(_floats(size)), tf.constant(_floats(size))
    return switched("IN_PLACE_ELEMENTS", lambda: variable.assign_add(by))


# --- rows, sums and scatters -------------------------------------------------------------------------------------------------


@_crossing("ROWS_ELEMENTS")
def _(size: int) -> tuple[Way, Way]:
    x = tf.constant(_floats(size // 64, 64))
    return switched("ROWS_ELEMENTS", lambda: tf.nn.softmax(x))


@_crossing("ROWS_PART_ELEMENTS")
def _(part: int) -> tuple[Way, Way]:
    x = _floats(2 * part // 64, 64)

    def make() -> Any:
        text = rows.RowText([rows.FULL], [("max", None, (0,)), ("map", lambda a, top: np.exp(a - top), (0, 1))], [2])
        return lambda: text(x)

    return _in_parts("ROWS_PART_ELEMENTS", make, part)


@_crossing("SUM_PART_ELEMENTS")
def _(part: int) -> tuple[Way, Way]:
    x = _floats(2 * part // 64, 64)
    return _in_parts("SUM_PART_ELEMENTS", lambda: lambda: rows.sum_of_rows(x), part)


@_crossing("SUM_ELEMENTS")
def _(size: int) -> tuple[Way, Way]:
    x = _floats(size)
    return switched("SUM_ELEMENTS", lambda: rows.sum_over(x, None, False))


@_crossing("SUM_OF_ALL_ELEMENTS")
def _(size: int) -> tuple[Way, Way]:
    x = _floats(size)
    return switched("SUM_OF_ALL_ELEMENTS", lambda: rows.sum_over(x, None, False), ROWS_ELEMENTS=1)


@_crossing("SCATTER_ELEMENTS")
def _(size: int) -> tuple[Way, Way]:
    count = size // 32
    places = np.random.default_rng(0).integers(0, 1000, count)
    return _both(accumulate._added, _floats(count, 32), places, 1000)


@_crossing("NAN_CHOSEN_ELEMENTS", [1 << power for power in (10, 12, 14, 16, 18)])
def _(size: int) -> tuple[Way, Way]:
    x = _floats(max(1, size // 512), 512)
    return _both(reduce._has_nan, x, x.argmax(1), 1)


@_values("NORMALIZATION_BLOCK_ELEMENTS")
def _(length: int) -> Way:
    x, ones = _floats(4096, 256), np.ones(256, np.float32)
    run = functools.partial(REGISTRY["standardize"].eager, x, ones, ones, axis=-1, epsilon=1e-3)
    return Way(run, NORMALIZATION_BLOCK_ELEMENTS=length, available=False)


@_values("INTEGRAL_BLOCK_ELEMENTS")
def _(length: int) -> Way:
    a, x = np.random.default_rng(0).uniform(0.5, 5.0, (2, 1 << 14))
    return Way(lambda: REGISTRY["igamma_in_a"].eager(a, x, order=1), INTEGRAL_BLOCK_ELEMENTS=length)


@_crossing("RECURRENT_COLUMNS", [4, 8, 16, 32, 64])
def _(units: int) -> tuple[Way, Way]:
    gates, cell = _floats(8192 // units, 4 * units), _floats(8192 // units, units)
    return switched("RECURRENT_COLUMNS", lambda: sequence._lstm_step(gates, cell))


@_crossing("SORTED_ELEMENTS", [16, 32, 64, 128, 512])
def _(length: int) -> tuple[Way, Way]:
    x = tf.constant(_floats(4096 // length, length))

    def make() -> Callable[[], Any]:
        largest = tf.function(lambda x: tf.math.top_k(x, 3)[0], jit_compile=True)
        return lambda: largest(x)

    return _built(make, SORTED_ELEMENTS=NEVER), _built(make, SORTED_ELEMENTS=1)


@_crossing("EXTREME_ELEMENTS", [2, 4, 8, 16, 32])
def _(length: int) -> tuple[Way, Way]:
    x = tf.constant(_floats(8192 // length, length))

    def make() -> Callable[[], Any]:
        places = tf.function(lambda x: tf.argmax(x, 1), jit_compile=True)
        return lambda: places(x)

    return _built(make, EXTREME_ELEMENTS=NEVER), _built(make, EXTREME_ELEMENTS=1)


# --- pools and convolutions --------------------------------------------------------------------------------------------------


def _images(elements: int) -> Array:
    """Images of 16 channels, 16 by 16 or smaller."""
    side = min(16, max(4, math.isqrt(elements // 16)))
    return _floats(max(1, elements // (16 * side * side)), side, side, 16)


@_crossing("POOL_ELEMENTS")
def _(size: int) -> tuple[Way, Way]:
    x = tf.constant(_images(size))
    return switched("POOL_ELEMENTS", lambda: tf.nn.max_pool2d(x, 2, 2, "VALID"))


@_crossing("POOL_PART_ELEMENTS")
def _(part: int) -> tuple[Way, Way]:
    x = tf.constant(_images(2 * part))
    one, two = _in_parts("POOL_PART_ELEMENTS", lambda: lambda: tf.nn.max_pool2d(x, 2, 2, "VALID"), part)
    return Way(one.run, POOL_ELEMENTS=1, **one.settings), Way(two.run, POOL_ELEMENTS=1, **two.settings)


_PLAIN = {"strides": (1, 1), "dilations": (1, 1), "padding": "SAME", "groups": 1}


def _conv(x: Array, w: Array, **unusual: Any) -> Callable[[], Any]:
    return lambda: conv_kernels.conv(x, w, **{**_PLAIN, **unusual})


@_crossing("CONV_MULTIPLICATIONS")
def _(size: int) -> tuple[Way, Way]:
    x, w = _floats(max(1, size // (16 * 16 * 9 * 16 * 16)), 16, 16, 16), _floats(3, 3, 16, 16)
    return switched("CONV_MULTIPLICATIONS", _conv(x, w))


@_crossing("DEPTHWISE_MULTIPLICATIONS")
def _(size: int) -> tuple[Way, Way]:
    side = min(32, max(4, math.isqrt(size // (9 * 16))))
    x, w = _floats(max(1, size // (side * side * 9 * 16)), side, side, 16), _floats(3, 3, 1, 16)
    return switched("DEPTHWISE_MULTIPLICATIONS", _conv(x, w, groups=16))


@_crossing("CONV_PIXELS", [16, 64, 256, 1024])
def _(pixels: int) -> tuple[Way, Way]:
    x, w = _floats(pixels // 16, 4, 4, 128), _floats(3, 3, 128, 128)
    return switched("CONV_PIXELS", _conv(x, w), CONV_MULTIPLICATIONS=1)


def _filter_gradient(channels: int, side: int, count: int) -> Callable[[], Any]:
    x, g = _floats(count, side, side, channels), _floats(count, side, side, channels, seed=1)
    return lambda: conv_kernels.conv_filter_gradient(x, g, window=(3, 3), **_PLAIN)


def _cached_or_not(run: Callable[[], Any]) -> tuple[Way, Way]:
    """BLAS, and machine code."""
    return Way(run, CONV_CACHED_FILTERS=0, CONV_SMALL_IMAGE_PIXELS=NEVER), Way(run, CONV_CACHED_FILTERS=NEVER)


@_crossing("CONV_CACHED_FILTERS", [9 * channels * channels for channels in (64, 128, 192, 256, 384)], at_most=True)
def _(filters: int) -> tuple[Way, Way]:
    return _cached_or_not(_filter_gradient(math.isqrt(filters // 9), 7, 16))


@_crossing("CONV_SMALL_IMAGE_PIXELS", [side * side for side in (4, 7, 10, 14)])
def _(pixels: int) -> tuple[Way, Way]:
    side = math.isqrt(pixels)
    return _cached_or_not(_filter_gradient(256, side, max(1, 784 // pixels)))


@_crossing("CONV_GRADIENT_KERNELS", [1, 2, 4, 6, 9], at_most=True)
def _(kernels: int) -> tuple[Way, Way]:
    strides = {1: (1, 1), 2: (2, 1), 4: (2, 2), 6: (3, 2), 9: (3, 3)}[kernels]
    settings = {**_PLAIN, "strides": strides}
    plan = conv_kernels.plan_of((16, 24, 24, 32), (3, 3, 32, 32), *settings.values())
    g, w = _floats(*plan.output_shape(16)), _floats(3, 3, 32, 32)

    def run() -> Any:
        return conv_kernels.conv_input_gradient(g, w, shape=(16, 24, 24, 32), **settings)

    return Way(run, CONV_GRADIENT_KERNELS=0), Way(run, CONV_GRADIENT_KERNELS=NEVER)


@_values("DEPTHWISE_LINE_PLACES", [8, 16, 32, 64])
def _(places: int) -> Way:
    """The compilation of a filter gradient with lines of that length."""
    from gradtape.native import depthwise

    x = g = _floats(2, 4, 128, 16)

    def compile_and_run() -> Any:
        depthwise._filter_gradient_kernel.cache_clear()
        return conv_kernels.conv_filter_gradient(x, g, window=(1, places), **{**_PLAIN, "groups": 16})

    return Way(compile_and_run, DEPTHWISE_MULTIPLICATIONS=1, DEPTHWISE_LINE_PLACES=NEVER)


@_crossing("CONV_PART_MULTIPLICATIONS")
def _(part: int) -> tuple[Way, Way]:
    x, w = _floats(8, 8, 8, 16), _floats(3, 3, 16, max(1, 2 * part // (8 * 8 * 8 * 9 * 16)))
    one, two = _in_parts("CONV_PART_MULTIPLICATIONS", lambda: _conv(x, w), part)
    return Way(one.run, CONV_MULTIPLICATIONS=1, **one.settings), Way(two.run, CONV_MULTIPLICATIONS=1, **two.settings)


def _of_settings(name: str, value: int) -> Way:
    """A convolution of large images. (It is planned at each call: what it costs is the same for all values.)"""
    from gradtape.native import convolution

    run = _conv(_floats(4, 112, 112, 32), _floats(3, 3, 32, 32))

    def planned() -> Any:
        convolution._conv_setting.cache_clear()
        return run()

    return Way(planned, **{name: value})


@_values("CONV_BAND_BYTES")
def _(value: int) -> Way:
    return _of_settings("CONV_BAND_BYTES", value)


@_values("CONV_PANEL_PIXELS")
def _(value: int) -> Way:
    return _of_settings("CONV_PANEL_PIXELS", value)


@_values("WINDOW_BLOCK_BYTES")
def _(value: int) -> Way:
    return Way(_conv(_floats(32, 28, 28, 16), _floats(3, 3, 16, 32)), WINDOW_BLOCK_BYTES=value, available=False)


# --- products ----------------------------------------------------------------------------------------------------------------


def _square(multiplications: int) -> tuple[Array, Array]:
    side = round(multiplications ** (1 / 3))
    return _floats(side, side), _floats(side, side, seed=1)


def _openblas() -> Any:
    from gradtape.native import blas

    library = blas._openblas()
    if library is None:
        raise Unavailable("NumPy has another BLAS, or one thread")
    return library


@_crossing("BLAS_THREADS_MULTIPLICATIONS")
def _(size: int) -> tuple[Way, Way]:
    """OpenBLAS's own threads, and one."""
    library, (a, b) = _openblas(), _square(size)

    def on_one() -> Any:
        library.set_threads(1)
        try:
            return a @ b
        finally:
            library.set_threads(library.threads)

    return Way(lambda: a @ b), Way(on_one)


@_crossing("PRODUCT_CORES_MULTIPLICATIONS")
def _(size: int) -> tuple[Way, Way]:
    from gradtape.native import blas

    _openblas()
    a, b = _square(size)
    return switched("PRODUCT_CORES_MULTIPLICATIONS", lambda: blas.product(a, b), BLAS_THREADS_MULTIPLICATIONS=1)


@_values("POSTED_INSTRUCTIONS", [0, 2, 4, 8, 16])
def _(value: int) -> Way:
    _openblas()
    x, weights = tf.constant(_floats(64, 128)), [tf.Variable(_floats(128, 128, seed=k) / 12) for k in range(8)]

    def make() -> Any:
        @tf.function
        def gradients() -> Any:
            with tf.GradientTape() as tape:
                h = x
                for w in weights:
                    h = tf.tanh(h @ w)
                loss = tf.reduce_sum(h)
            return tape.gradient(loss, weights)

        return gradients

    return _built(make, POSTED_INSTRUCTIONS=value)


# --- compiled functions ------------------------------------------------------------------------------------------------------


def _chain(x: Any) -> Any:
    """Instructions of which a function has many: each reads what the one before made."""
    return tf.exp(-x * x) * 0.5 + x / 3.0 - 1.0


def _compiled(body: Callable[[Any], Any], x: Any, **settings: Any) -> Way:
    return _built(lambda: functools.partial(tf.function(body), x), **settings)


@_crossing("WHOLE_ELEMENTS", at_most=True)
def _(size: int) -> tuple[Way, Way]:
    x = tf.constant(_floats(size - 1))
    return _compiled(_chain, x, WHOLE_ELEMENTS=1), _compiled(_chain, x, WHOLE_ELEMENTS=NEVER)


@_crossing("CHAIN_ELEMENTS")
def _(size: int) -> tuple[Way, Way]:
    x = tf.constant(_floats(size))
    return (
        _compiled(_chain, x, CHAIN_ELEMENTS=NEVER, available=False),
        _compiled(_chain, x, CHAIN_ELEMENTS=1, available=False),
    )


@_values("CHAIN_BLOCK_ELEMENTS")
def _(length: int) -> Way:
    return _compiled(_chain, tf.constant(_floats(1 << 20)), CHAIN_BLOCK_ELEMENTS=length, available=False)


@_crossing("GROUP_COLUMNS", [2, 4, 8, 16])
def _(columns: int) -> tuple[Way, Way]:
    def softmax(x: Any) -> Any:
        powers = tf.exp(x - tf.reduce_max(x, -1, keepdims=True))
        return powers / tf.reduce_sum(powers, -1, keepdims=True)

    x = tf.constant(_floats(16384 // columns, columns))
    return _compiled(softmax, x, GROUP_COLUMNS=NEVER), _compiled(softmax, x, GROUP_COLUMNS=1)


@_values("GROUP_INSTRUCTIONS", [12, 24, 48, 96])
def _(value: int) -> Way:
    """The first call of a function with 120 instructions, and 20 more."""
    x = tf.constant(_floats(1 << 14))

    def twenty() -> Any:
        number = float(next(_DIFFERENT)) * 1e-7

        def body(x: Any) -> Any:
            for _ in range(20):
                x = _chain(x) * number
            return x

        function = tf.function(body)
        return [function(x) for _ in range(20)]

    return Way(twenty, GROUP_INSTRUCTIONS=value)


@_crossing("BUFFER_BYTES")
def _(size: int) -> tuple[Way, Way]:
    def rounded(x: Any) -> Any:
        return tf.floor(tf.sqrt(tf.abs(tf.math.ceil(tf.square(x)))))

    x = tf.constant(_floats(size // 4))
    never: dict[str, Any] = {"ONE_PASS_ELEMENTS": NEVER, "CHAIN_ELEMENTS": NEVER}
    return _compiled(rounded, x, BUFFER_BYTES=NEVER, **never), _compiled(rounded, x, BUFFER_BYTES=1, **never)


def _first_calls(body: Callable[[Any, float], Any], *shape: int, calls: int = 1, **settings: Any) -> Way:
    """Tracing a function that nobody has traced before, and its first calls."""
    x = tf.constant(_floats(*shape))

    def run() -> None:
        number = float(next(_DIFFERENT)) * 1e-7
        function = tf.function(lambda x: body(x, number))
        for _ in range(calls):
            function(x)

    return Way(run, **settings)


def _long(instructions: int) -> Callable[[Any, float], Any]:
    def body(x: Any, number: float) -> Any:
        for place in range(instructions // 4):  # (values of the next one are no values of this one)
            x = tf.tanh(x * number) + float(place) - tf.roll(x, 1, 0)
        return x

    return body


@_values("NATIVE_GROUP_INSTRUCTIONS", [125, 250, 500, 1000, 2000])
def _(value: int) -> Way:
    """2,000 instructions in the first call, with something that no native function takes at the end."""
    long = _long(2000)

    def body(x: Any, number: float) -> Any:
        return tf.strings.as_string(long(x, number))

    return _first_calls(body, 16, WARMING_CALLS=0, NATIVE_GROUP_INSTRUCTIONS=value)


@_values("NATIVE_FUNCTION_INSTRUCTIONS", [1, 500, 1000, 2000, 1 << 20])
def _(value: int) -> Way:
    """The first call of a function of 2,000 instructions: cut from so many on."""
    return _first_calls(_long(2000), 16, WARMING_CALLS=0, NATIVE_FUNCTION_INSTRUCTIONS=value)


@_values("NATIVE_PIECE_INSTRUCTIONS", [50, 100, 400, 1600])
def _(value: int) -> Way:
    return _first_calls(
        _long(2000), 16, WARMING_CALLS=0, NATIVE_FUNCTION_INSTRUCTIONS=1, NATIVE_PIECE_INSTRUCTIONS=value
    )


@_crossing("CALLBACK_BYTES")
def _(size: int) -> tuple[Way, Way]:
    x = tf.constant(_floats(size // 8))

    def body(x: Any) -> Any:
        return tf.sort(x * 2.0)[0] + tf.reduce_sum(x)

    return (
        _compiled(body, x, WARMING_CALLS=0, CALLBACK_BYTES=NEVER, WHOLE_ELEMENTS=NEVER),
        _compiled(body, x, WARMING_CALLS=0, CALLBACK_BYTES=0, WHOLE_ELEMENTS=NEVER),
    )


@_crossing("ROW_CHANGE_BYTES", at_most=True)
def _(size: int) -> tuple[Way, Way]:
    """The gradient of a loop of 40 rounds that reads rows at several places: each round changes rows of the sum of gradients."""
    x = tf.constant(_floats(50, max(1, size // 200)))

    def total(x: Any, i: Any, y: Any) -> Any:
        return i + 1, y * 0.9 + tf.reduce_sum(tf.gather(x, i % 3)) * tf.reduce_sum(x[i // 4])

    def body(x: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.while_loop(lambda i, y: i < 40, lambda i, y: total(x, i, y), (0, 0.0))[1]
        return tape.gradient(y, x)

    return (
        _compiled(body, x, WARMING_CALLS=0, ROW_CHANGE_BYTES=0, WHOLE_ELEMENTS=NEVER),
        _compiled(body, x, WARMING_CALLS=0, ROW_CHANGE_BYTES=NEVER, WHOLE_ELEMENTS=NEVER),
    )


@_values("LOCK_NANOSECONDS", [0, 1000, 10_000, 100_000])
def _(value: int) -> Way:
    """A function of 2 us: what it pays where it lets go of the lock, on a quiet machine."""
    x = tf.constant(_floats(256))
    return _compiled(lambda x: tf.tanh(tf.tanh(x) * 2.0), x, WARMING_CALLS=0, LOCK_NANOSECONDS=value)


@_values("WARMING_CALLS", [0, 4, 16, 64])
def _(value: int) -> Way:
    """A program of 20 instructions that is called 20 times."""
    return _first_calls(_long(20), 16, calls=20, WARMING_CALLS=value)


@_values("WARMING_INSTRUCTIONS", [1, 1 << 8, 1 << 12, 1 << 16])
def _(value: int) -> Way:
    """A loop of 1,000 rounds that is called 10 times."""

    def body(x: Any, number: float) -> Any:
        return tf.while_loop(lambda i, x: i < 1000, lambda i, x: (i + 1, tf.tanh(x * number)), (0, x))[1]

    return _first_calls(body, 16, calls=10, WARMING_INSTRUCTIONS=value)


@_crossing("UNROLLED_ROUNDS", at_most=True)
def _(rounds: int) -> tuple[Way, Way]:
    """A loop over rows as Python lines; what it costs to trace and to write them is not in it."""
    x = tf.constant(_floats(rounds, 16))

    def body(x: Any) -> Any:
        return tf.map_fn(lambda row: tf.tanh(row * 2.0), x)

    lines: dict[str, Any] = {"WARMING_CALLS": NEVER, "WARMING_INSTRUCTIONS": NEVER}
    return _compiled(body, x, UNROLLED_ROUNDS=0, **lines), _compiled(body, x, UNROLLED_ROUNDS=NEVER, **lines)


@_crossing("JOINED_ROWS", [2, 4, 8, 16, 64])
def _(rows: int) -> tuple[Way, Way]:
    """65,536 elements in so many rows, stacked after Python went through them."""
    x = tf.constant(_floats(rows, (1 << 16) // rows))

    def body(x: Any) -> Any:
        return tf.stack([tf.tanh(row * 2.0) for row in tf.unstack(x)])

    return _compiled(body, x, JOINED_ROWS=NEVER), _compiled(body, x, JOINED_ROWS=1)


# --- derivatives and files ---------------------------------------------------------------------------------------------------


@_crossing("JACOBIAN_PASSES", [1, 2, 4, 8, 16])
def _(passes: int) -> tuple[Way, Way]:
    x, w = tf.constant(_floats(32)), tf.constant(_floats(passes, 32))

    def jacobian() -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.tanh(tf.linalg.matvec(w, tf.sin(x) * x))
        return tape.jacobian(y, x)

    return Way(jacobian, JACOBIAN_PASSES=NEVER), Way(jacobian, JACOBIAN_PASSES=0)


@_crossing("CRC_BYTES")
def _(size: int) -> tuple[Way, Way]:
    from gradtape.io.crc32c import crc32c

    data = _floats(size).tobytes()[:size]
    return switched("CRC_BYTES", lambda: crc32c(data))


# --- memory and threads ------------------------------------------------------------------------------------------------------


@_crossing("ALIGNED_BYTES")
def _(size: int) -> tuple[Way, Way]:
    """A sum of arrays that begin 16 bytes behind the start of a line, as malloc gives them, and on lines."""

    def at(offset: int) -> Array:
        memory = np.zeros(size + 256, np.int8)
        start = -memory.ctypes.data % 64 + offset
        return memory[start : start + size].view(np.float32)

    def way(offset: int) -> Way:
        x, y, out = at(offset), at(offset), at(offset)
        return Way(lambda: np.add(x, y, out=out))

    return way(16), way(0)


@_values("PARTS_OF_CORE", [1, 2, 4, 8])
def _(value: int) -> Way:
    from gradtape.native import pool, ufuncs

    x = _floats(1 << 20)
    exp = CompiledText(lambda a: np.exp(a)).ufunc_of((x,), {})
    if exp is None:
        raise Unavailable("there is no machine code")
    result = np.empty_like(x)
    plan = ufuncs._plan(exp, (x.shape, x.strides))
    assert plan is not None
    arguments = plan.pack(*plan.before, id(x), id(result), *plan.after)

    def run() -> tuple[Array, Array]:
        pool.run(plan.kernel, arguments, plan.size, 1 << 14, 64, value)
        return x, result  # (which nothing else keeps alive)

    return Way(run)


@_values("LOOKS_BEFORE_SLEEP", [1_000, 10_000, 100_000, 1_000_000])
def _(value: int) -> Way:
    """A kernel after 200 us of Python, as in a step of a program: workers that fell asleep have to be woken."""
    from gradtape.native import pool
    from gradtape.native.engine import Kernel, packed
    from gradtape.native.language import FLOAT32, array_at, kernel_module, loop

    if not engine.available():
        raise Unavailable("there is no machine code")
    module, builder, arguments, start, stop = kernel_module("double")
    values = array_at(arguments, 0, FLOAT32)
    with loop(builder, start, stop) as i:
        values.store(i, values.load(i) * 2.0)
    builder.ret_void()
    kernel, x = Kernel(module, "double"), _floats(1 << 15)

    def make() -> Any:
        made, given = pool._Pool(cores() - 1), packed(x)

        def run() -> None:
            end = time.perf_counter() + 200e-6
            while time.perf_counter() < end:
                pass
            made.run(kernel.address, given, x.size, x.size // 8)

        return run

    return _built(make, LOOKS_BEFORE_SLEEP=value)
