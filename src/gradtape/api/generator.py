"""`tf.random.Generator`: a random number generator as an object, whose state is a variable."""

from __future__ import annotations

import enum
import functools
import inspect
import os
from typing import Any

import numpy as np

from ..base import dtypes, philox
from ..base.context import ACTIVE, STATE, scope
from ..base.errors import UnimplementedError, invalid
from ..base.memory import repeated
from ..base.notes import note_draw
from ..base.philox import Philox
from ..base.shapes import broadcast
from ..base.traceable import traceable
from ..base.types import DTypeLike, ShapeLike
from ..op.attributes import as_int, as_shape
from ..trace.control import sample_on_abstract
from ..trace.recorder import outside_traces
from ..values.tensor import Tensor, from_array, to_tensor
from ..variables.in_place import lock_of
from ..variables.variable import Variable
from .arrays import zeros_like
from .layout import stack

_WORD = 2**64


class Algorithm(enum.Enum):
    """How random bits are made; here always by Philox.

    >>> import gradtape as tf
    >>> tf.random.Generator.from_seed(1, alg=tf.random.Algorithm.PHILOX).algorithm
    1
    """

    PHILOX = 1
    THREEFRY = 2
    AUTO_SELECT = 3


_NAMES = {"philox": 1, "threefry": 2, "autoselect": 3}


def _algorithm_number(alg: Any) -> int:
    if isinstance(alg, Algorithm):
        return int(alg.value)
    if isinstance(alg, str):
        number = _NAMES.get(alg.strip().lower().replace("-", "").replace("_", ""))
        if number is None:
            raise ValueError(
                f"Argument `alg` got unsupported value {alg}. Supported values are philox, threefry and auto_select."
            )
        return number
    if isinstance(alg, (int, np.integer, Tensor)) and not isinstance(alg, bool):
        number = int(alg)
        if number not in _NAMES.values():
            raise ValueError(
                f"Argument `alg` got unsupported value {alg}. Supported values are 1 (Philox), 2 (ThreeFry) and 3."
            )
        return number
    raise TypeError(f"Can't convert argument `alg` (of value {alg} and type {type(alg)}) to int.")


def checked_algorithm(alg: Any) -> int:
    """The number of an algorithm that can make bits here: not ThreeFry, as on every CPU in TensorFlow."""
    number = Algorithm.AUTO_SELECT.value if alg is None else _algorithm_number(alg)
    if number == Algorithm.THREEFRY.value:
        raise invalid("The ThreeFry algorithm is for accelerators; use alg='philox'.")
    return int(number)


def _signed(value: int) -> int:
    """The 64-bit signed integer with the same bits."""
    low = value % _WORD
    return low - _WORD if low >= _WORD // 2 else low


def create_rng_state(seed: Any, alg: Any) -> Tensor:
    """The state of a generator: a counter and a key, made from an integer of any size or from a vector of integers.

    >>> import gradtape as tf
    >>> tf.random.create_rng_state(1234, "philox").numpy()
    array([1234,    0,    0])

    Args:
        seed: A whole number of any size, or a vector of whole numbers.
        alg: "philox", "threefry" or "auto_select", or a `tf.random.Algorithm`.

    Returns:
        A vector of int64 numbers.
    """
    size = 2 if _algorithm_number(alg) == Algorithm.THREEFRY.value else 3
    if isinstance(seed, int) and not isinstance(seed, bool):  # (a number of NumPy's counts as a vector)
        words = [_signed(seed >> (64 * place)) for place in range(size)]
    else:
        words = [_signed(as_int(value)) for value in np.asarray(seed).reshape(-1)[:size]]
    return from_array(np.array([0] * (size - len(words)) + words, np.int64))


def binomial_from(
    stream: Any, sizes: tuple[int, ...], counts: Any, probs: Any, kind: dtypes.DType, name: str
) -> Tensor:
    """Numbers of successes from a stream. The sizes end with those that counts and probs have together."""
    if not (kind.is_floating or kind in BOUNDED):
        raise invalid(f"random.{name}: the dtype must be floating, int32 or int64, got {kind.name}.")
    chance = to_tensor(probs)
    chance = chance if chance.dtype.is_floating else to_tensor(probs, dtypes.float32)
    trials = to_tensor(counts)
    trials = trials if isinstance(counts, (Tensor, Variable, np.ndarray)) else to_tensor(counts, chance.dtype)
    if ACTIVE:
        note_draw(chance)
    common = broadcast(tuple(trials.shape), tuple(chance.shape))
    if common is None or tuple(sizes[len(sizes) - len(common) :]) != tuple(common):
        raise invalid(
            f"random.{name}: the shape {list(sizes)} must end with the one that counts {trials.shape} and probs {chance.shape} "
            "have together."
        )
    samples = int(np.prod(sizes[: len(sizes) - len(common)]))
    flat = [
        repeated("random", np.broadcast_to(value._array.astype(chance.dtype.numpy), common).reshape(-1), samples)
        for value in (trials, chance)
    ]
    drawn = philox.binomial(stream, *flat).reshape(-1, samples).T.reshape(sizes)
    if kind.is_integer and np.isnan(drawn).any():
        raise invalid(f"random.{name}: a probability is not a number, and an integer cannot say so.")
    return from_array(drawn.astype(kind.numpy))


class Generator:
    """A stream of random numbers of its own.

    >>> import gradtape as tf
    >>> g = tf.random.Generator.from_seed(1234)
    >>> g.normal([2, 3]).shape
    TensorShape([2, 3])
    >>> g.state.numpy()
    array([2770,    0,    0])

    Make one with `from_seed`, `from_state`, `from_key_counter` or `from_non_deterministic_state`. The numbers, and the
    state, are those of TensorFlow.

    Args:
        copy_from: Another generator, whose state and algorithm are copied.
        state: The state, as `create_rng_state` gives it; a variable is used itself.
        alg: The algorithm of the state: "philox" or a `tf.random.Algorithm`.
    """

    def __init__(self, copy_from: Generator | None = None, state: Any = None, alg: Any = None) -> None:
        if copy_from is not None:
            assert alg is None, "copy_from brings its own algorithm"
            assert state is None, "copy_from brings its own state"
            state, alg = copy_from.state.read_value(), copy_from.algorithm
        assert state is not None, "a Generator needs a state: use Generator.from_seed(...)"
        assert alg is not None, "a Generator needs an algorithm: use Generator.from_seed(...)"
        self._alg = _algorithm_number(alg)
        self._is_of_strategy = bool(STATE.strategies)
        if isinstance(state, Variable):
            self._checked(state._value)
            self._state = state
        else:
            self._state = Variable(self._checked(_state_tensor(state)), trainable=False, name="StateVar")

    @classmethod
    def from_seed(cls, seed: Any, alg: Any = None) -> Generator:
        """A generator that begins where a seed says.

        >>> tf.random.Generator.from_seed(1234).uniform([2]).numpy().round(4)
        array([0.3581, 0.1132], dtype=float32)

        Args:
            seed: An integer of any size, or a vector of integers.
            alg: The algorithm, Philox by default: "philox" or "auto_select", which is Philox too, or a `tf.random.Algorithm`.

        Returns:
            A generator.

        Raises:
            ValueError: There is no such algorithm.
        """
        number = Algorithm.PHILOX.value if alg is None else _algorithm_number(alg)
        return cls(state=create_rng_state(seed, number), alg=number)

    @classmethod
    def from_state(cls, state: Any, alg: Any) -> Generator:
        """A generator that goes on from a state.

        >>> first = tf.random.Generator.from_seed(1234)
        >>> second = tf.random.Generator.from_state(first.state.numpy(), alg="philox")
        >>> bool(tf.reduce_all(first.normal([3]) == second.normal([3])))
        True

        Args:
            state: Three integers, as another generator's `state`; a variable is used itself, not copied.
            alg: The algorithm: "philox" or "auto_select", which is Philox too, or a `tf.random.Algorithm`.

        Returns:
            A generator.

        Raises:
            ValueError: There is no such algorithm, or there are not three integers.
        """
        return cls(state=state, alg=alg)

    @classmethod
    def from_non_deterministic_state(cls, alg: Any = None) -> Generator:
        """A generator that is different in every run: its state comes from the operating system.

        >>> tf.random.Generator.from_non_deterministic_state().normal([2]).shape
        TensorShape([2])

        Args:
            alg: The algorithm, Philox by default: "philox" or "auto_select", which is Philox too, or a `tf.random.Algorithm`.

        Returns:
            A generator.
        """
        number = Algorithm.PHILOX.value if alg is None else _algorithm_number(alg)
        size = 2 if number == Algorithm.THREEFRY.value else 3
        return cls(state=np.frombuffer(os.urandom(8 * size), np.int64), alg=number)

    @classmethod
    def from_key_counter(cls, key: Any, counter: Any, alg: Any) -> Generator:
        """A generator from a key and a counter.

        >>> tf.random.Generator.from_key_counter(key=7, counter=[0, 0], alg="philox").state.numpy()
        array([0, 0, 7])

        Args:
            key: An integer.
            counter: Two integers, the lower one first.
            alg: The algorithm: "philox" or "auto_select", which is Philox too, or a `tf.random.Algorithm`.

        Returns:
            A generator.

        Raises:
            ValueError: There is no such algorithm, or the counter is not two integers.
        """
        return cls(state=_joined(key, counter), alg=alg)

    # --- state ---------------------------------------------------------------------------------------------------

    def _checked(self, state: Tensor) -> Tensor:
        size = 2 if self._alg == Algorithm.THREEFRY.value else 3
        if tuple(state.shape) != (size,):
            raise ValueError(f"Shapes {state.shape} and [{size}] are incompatible: a state has {size} integers.")
        return state

    @property
    def state(self) -> Variable:
        """The variable that holds the counter and the key."""
        return self._state

    @property
    def algorithm(self) -> int:
        """The number of the algorithm."""
        return self._alg

    @property
    def key(self) -> Tensor:
        """The key, which the counter is mixed with."""
        return self._state.read_value()[-1]

    def reset(self, state: Any) -> None:
        """Go on from another state.

        >>> generator = tf.random.Generator.from_seed(1)
        >>> generator.reset([0, 0, 7])
        >>> generator.state.numpy()
        array([0, 0, 7])

        Args:
            state: Three integers.

        Raises:
            ValueError: There are not three integers.
        """
        self._state.assign(self._checked(_state_tensor(state)))

    def reset_from_seed(self, seed: Any) -> None:
        """Go on as a new generator from this seed would.

        >>> generator = tf.random.Generator.from_seed(1)
        >>> before = generator.normal([2])
        >>> generator.reset_from_seed(1)
        >>> bool(tf.reduce_all(generator.normal([2]) == before))
        True

        Args:
            seed: An integer of any size, or a vector of integers.
        """
        self._state.assign(create_rng_state(seed, self._alg))

    def reset_from_key_counter(self, key: Any, counter: Any) -> None:
        """Go on from another key and counter.

        >>> generator = tf.random.Generator.from_seed(1)
        >>> generator.reset_from_key_counter(key=7, counter=[0, 0])
        >>> generator.state.numpy()
        array([0, 0, 7])

        Args:
            key: An integer.
            counter: Two integers, the lower one first.

        Raises:
            ValueError: The counter is not two integers.
        """
        self._state.assign(self._checked(_joined(key, counter)))

    def skip(self, delta: Any) -> Tensor:
        """Advance as drawing some numbers would.

        >>> generator = tf.random.Generator.from_seed(1)
        >>> before = generator.skip(10)
        >>> before.numpy(), generator.state.numpy()
        (array([1, 0, 0]), array([2561,    0,    0]))

        Args:
            delta: How many numbers are skipped.

        Returns:
            The state before.

        Raises:
            tf.errors.UnimplementedError: The algorithm is ThreeFry.
        """
        if self._alg == Algorithm.THREEFRY.value:
            raise UnimplementedError(None, None, "The ThreeFry algorithm is for accelerators; use alg='philox'.")
        return self._skip_blocks(as_int(delta) * philox.RESERVED)

    def _skip_blocks(self, passed: int) -> Tensor:
        with lock_of(self._state):  # no two threads draw the same numbers
            before = np.array(self._state._value._array)
            low, high, key = (int(word) % _WORD for word in before)
            counter = (low + high * _WORD + passed) % _WORD**2
            self._state.assign(np.array([_signed(counter), _signed(counter // _WORD), _signed(key)], np.int64))
        return from_array(before)

    def _stream(self, sizes: tuple[int, ...]) -> Philox:
        count = 1
        for size in sizes:
            count *= size
        return self._stream_of_blocks(count * philox.RESERVED)

    def _stream_of_blocks(self, blocks: int) -> Philox:
        """The stream from here on, of which so many blocks are taken."""
        if self._alg == Algorithm.THREEFRY.value:
            raise UnimplementedError(None, None, "The ThreeFry algorithm is for accelerators; use alg='philox'.")
        low, high, key = (int(word) % _WORD for word in self._skip_blocks(blocks)._array)
        replica = self._replica()
        if replica is not None:  # (a tensor where there are several: they draw on their devices)
            key = int(philox.integers(Philox(key, int(replica)), (1,), np.dtype(np.uint64))[0])
        return Philox(key, low + high * _WORD)

    def _replica(self) -> Any:
        """The number of the replica that draws, if the generator was made in the scope of a strategy.

        Its state is the same for all replicas. Each mixes its number into the key.
        """
        if not self._is_of_strategy or not STATE.strategies or STATE.strategies[-1][1] is None:
            return None
        return STATE.strategies[-1][1].replica_id_in_sync_group

    # --- numbers -------------------------------------------------------------------------------------------------

    def normal(
        self,
        shape: ShapeLike,
        mean: Any = 0.0,
        stddev: Any = 1.0,
        dtype: DTypeLike = dtypes.float32,
        name: str | None = None,
    ) -> Tensor:
        """Numbers from normal distributions; the tape follows `mean` and `stddev`.

        >>> tf.random.Generator.from_seed(1).normal([2]).numpy().round(4)
        array([ 0.4384, -0.5344], dtype=float32)

        Args:
            shape: The shape of the result.
            mean: The means; they broadcast to `shape`.
            stddev: The standard deviations, likewise.
            dtype: A floating type.
            name: Ignored; accepted for compatibility with TensorFlow.

        Returns:
            A tensor.

        Raises:
            TypeError: The type is not floating.
        """
        kind, sizes = floating(dtype, "normal"), sizes_of(shape)
        return scaled(philox.normal(self._stream(sizes), sizes, kind.numpy), kind, stddev, mean)

    def truncated_normal(
        self,
        shape: ShapeLike,
        mean: Any = 0.0,
        stddev: Any = 1.0,
        dtype: DTypeLike = dtypes.float32,
        name: str | None = None,
    ) -> Tensor:
        """Numbers from normal distributions, drawn again where they are more than two standard deviations away.

        >>> tf.random.Generator.from_seed(1).truncated_normal([2]).numpy().round(4)
        array([ 0.4384, -0.5344], dtype=float32)

        Args:
            shape: The shape of the result.
            mean: The means; they broadcast to `shape`. The tape follows them.
            stddev: The standard deviations, likewise.
            dtype: A floating type.
            name: Ignored; accepted for compatibility with TensorFlow.

        Returns:
            A tensor.

        Raises:
            TypeError: The type is not floating.
        """
        kind, sizes = floating(dtype, "truncated_normal"), sizes_of(shape)
        return scaled(philox.truncated_normal(self._stream(sizes), sizes, kind.numpy), kind, stddev, mean)

    def uniform(
        self,
        shape: ShapeLike,
        minval: Any = 0,
        maxval: Any = None,
        dtype: DTypeLike = dtypes.float32,
        name: str | None = None,
    ) -> Tensor:
        """Numbers evenly spread over [minval, maxval).

        >>> tf.random.Generator.from_seed(1).uniform([4], maxval=10, dtype=tf.int32).numpy()
        array([4, 9, 3, 3], dtype=int32)

        Args:
            shape: The shape of the result.
            minval: The lower bound; the tape follows the bounds of floats.
            maxval: The upper bound, which is not reached. 1 by default for floats; integers need one.
            dtype: A floating type, or one of integers. Integers with both bounds None are of any size.
            name: Ignored; accepted for compatibility with TensorFlow.

        Returns:
            A tensor.

        Raises:
            ValueError: The type does not fit the bounds.
            tf.errors.InvalidArgumentError: Bounds of integers are not scalars, or in the wrong order.
        """
        kind, sizes = uniform_type(dtype, minval, maxval, UNBOUNDED), sizes_of(shape)
        return uniform_from(self._stream(sizes), sizes, kind, minval, maxval)

    def uniform_full_int(self, shape: ShapeLike, dtype: DTypeLike = dtypes.uint64, name: str | None = None) -> Tensor:
        """Integers of any size that the type holds.

        >>> tf.random.Generator.from_seed(1).uniform_full_int([2], tf.int32).numpy()
        array([-119223132, 1555169499], dtype=int32)

        Args:
            shape: The shape of the result.
            dtype: int32, int64, uint32 or uint64.
            name: Ignored; accepted for compatibility with TensorFlow.

        Returns:
            A tensor.

        Raises:
            tf.errors.InvalidArgumentError: The type is another.
        """
        kind, sizes = dtypes.as_dtype(dtype), sizes_of(shape)
        if kind not in UNBOUNDED:
            raise invalid(f"random: the dtype must be one of {', '.join(k.name for k in UNBOUNDED)}, got {kind.name}.")
        return from_array(philox.integers(self._stream(sizes), sizes, kind.numpy))

    def binomial(
        self, shape: ShapeLike, counts: Any, probs: Any, dtype: DTypeLike = dtypes.int32, name: str | None = None
    ) -> Tensor:
        """How many of `counts` trials succeed, each with the probability in `probs`.

        >>> tf.random.Generator.from_seed(3).binomial([3], 20.0, 0.4).numpy()
        array([8, 8, 7], dtype=int32)

        Args:
            shape: The shape of the result. It ends with the shape that counts and probs have together.
            counts: How many trials there are.
            probs: The probability of a success.
            dtype: int32, int64 or a floating type.
            name: Ignored; accepted for compatibility with TensorFlow.

        Returns:
            A tensor of whole numbers.
        """
        sizes = sizes_of(shape)
        common = np.broadcast_shapes(*[tuple(to_tensor(value).shape) for value in (counts, probs)])
        samples = int(np.prod(sizes[: len(sizes) - len(common)]))
        batches = int(np.prod(sizes[len(sizes) - len(common) :]))
        numbers = batches * 200 * (samples + 3) // 4  # as many as TensorFlow sets aside
        stream = self._stream_of_blocks(numbers * philox.RESERVED)
        return binomial_from(stream, sizes, counts, probs, dtypes.as_dtype(dtype), "binomial")

    def make_seeds(self, count: Any = 1) -> Tensor:
        """Seeds for stateless functions, one in each column.

        >>> seeds = tf.random.Generator.from_seed(1).make_seeds(3)
        >>> tf.random.stateless_normal([2], seed=seeds[:, 0]).shape
        TensorShape([2])

        Args:
            count: How many seeds.

        Returns:
            A tensor (2, count) of int64.
        """
        keys = self.uniform_full_int([as_int(count)], dtypes.int64)
        return stack([keys, zeros_like(keys)])

    def split(self, count: Any = 1) -> list[Generator]:
        """New generators, independent of this one and of each other.

        >>> first, second = tf.random.Generator.from_seed(1).split(2)
        >>> first.key.numpy() == second.key.numpy()
        np.False_

        Args:
            count: How many generators.

        Returns:
            A list of generators.
        """
        keys = self.uniform_full_int([as_int(count)], dtypes.int64)
        lead = 1 if self._alg == Algorithm.THREEFRY.value else 2
        return [Generator(state=[*[0] * lead, int(key)], alg=self._alg) for key in keys._array]

    def __repr__(self) -> str:
        return f"<tf.random.Generator: state={self._state._value._array.tolist()}>"


def _generated_on_abstract(evaluator: Any, function: Any, generator: Generator, *args: Any, **kwargs: Any) -> Any:
    """On abstract values: the shapes of the numbers, found by drawing from a separate generator."""
    scratch = functools.partial(function.__wrapped__, _scratch())
    return sample_on_abstract(evaluator, function, *args, first=(generator,), draw=scratch, **kwargs)


@functools.cache
def _scratch() -> Generator:
    with outside_traces(), scope(strategies=[]):
        return Generator.from_seed(1)


class _InReplica(Generator):
    """A generator of a strategy in one of its replicas, which draws from the same state with another key."""

    def __init__(self, generator: Generator, replica: Any) -> None:
        self._alg, self._state, self._number = generator._alg, generator._state, replica
        self.of_replicas = isinstance(replica, Tensor)

    def _replica(self) -> Any:
        return self._number if STATE.turn is None else STATE.turn.number


def _trace_in_replica(name: str) -> Any:
    """In a function the replica is that in which the call stands, not one in which the function runs."""

    def on_trace(trace: Any, generator: Generator, *args: Any, **kwargs: Any) -> Any:
        replica = generator._replica()
        drawing = generator if replica is None else _InReplica(generator, replica)
        return step_and_scale(trace, getattr(Generator, name), (drawing, *args), kwargs)

    return on_trace


def step_and_scale(trace: Any, draw: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """A draw as a step of a trace. Where its centre and spread, or its bounds, are tensors, it has none: gradients reach them."""
    given = inspect.signature(draw).bind(*args, **kwargs)
    given.apply_defaults()
    settings = given.arguments
    names = ("mean", "stddev") if "mean" in settings else ("minval", "maxval")
    shift, scale = (settings.get(name) for name in names)
    kind = dtypes.as_dtype(settings.get("dtype", dtypes.int64))
    if not kind.is_floating or (
        not isinstance(shift, (Tensor, Variable)) and not isinstance(scale, (Tensor, Variable))
    ):
        return trace.step(draw, args, kwargs)
    if "minval" in names:
        scale = parameter(1 if scale is None else scale, kind) - parameter(shift, kind)
    settings.update(zip(names, (0.0, 1.0), strict=True))
    return scaled(trace.step(draw, given.args, given.kwargs), kind, scale, shift)


for _name in ("normal", "truncated_normal", "uniform", "uniform_full_int", "make_seeds", "skip", "binomial"):
    if hasattr(Generator, _name):
        _method = getattr(Generator, _name)
        setattr(
            Generator,
            _name,
            traceable(
                _method,
                always=True,
                on_abstract=_generated_on_abstract,
                on_trace=_trace_in_replica(_name),
                draws="generator",
            ),
        )


def _state_tensor(state: Any) -> Tensor:
    if isinstance(state, Tensor):
        return from_array(state._array.astype(np.int64))
    return from_array(np.array([_signed(as_int(word)) for word in np.asarray(state, object).reshape(-1)], np.int64))


def _joined(key: Any, counter: Any) -> Tensor:
    words = [*np.asarray(counter, object).reshape(-1), key]
    return _state_tensor(words)


_global: list[Generator] = []


def get_global_generator() -> Generator:
    """The generator that all parts of a program may share; different in every run until it is set.

    >>> import gradtape as tf
    >>> tf.random.set_global_generator(tf.random.Generator.from_seed(1))
    >>> tf.random.get_global_generator().uniform([2]).numpy().round(4)
    array([0.7875, 0.3907], dtype=float32)

    Returns:
        A `tf.random.Generator`.
    """
    if not _global:
        _global.append(Generator.from_non_deterministic_state())
    return _global[0]


def set_global_generator(generator: Generator) -> None:
    """Replace the global generator.

    >>> import gradtape as tf
    >>> generator = tf.random.Generator.from_seed(1)
    >>> tf.random.set_global_generator(generator)
    >>> tf.random.get_global_generator() is generator
    True

    Args:
        generator: The `tf.random.Generator` that draws from now on.
    """
    _global[:] = [generator]


# --- what stateful, stateless and generators' functions have in common --------------------------------------------------

BOUNDED = (dtypes.int32, dtypes.int64)
UNBOUNDED = (*BOUNDED, dtypes.uint32, dtypes.uint64)


def sizes_of(shape: ShapeLike) -> tuple[int, ...]:
    """A shape in which all sizes are known."""
    if isinstance(shape, (int, np.integer)) or (hasattr(shape, "ndim") and not shape.ndim):
        raise invalid(f"random: a shape must be a list of integers, got {shape!r}. Use [{shape!r}].")
    sizes = as_shape(shape)
    if -1 in sizes:
        raise invalid(f"random: a size cannot be negative, got shape {list(sizes)}.")
    return sizes


def floating(dtype: DTypeLike, name: str) -> dtypes.DType:
    """The dtype of a result, which must be floating."""
    kind = dtypes.as_dtype(dtype)
    if not kind.is_floating:
        raise TypeError(f"random.{name}: the dtype must be floating, got {kind!r}.")
    return kind


def parameter(value: Any, kind: dtypes.DType) -> Any:
    """A parameter of a distribution as a tensor of its type."""
    if isinstance(value, (Tensor, Variable)):
        tensor = to_tensor(value)
        if tensor.dtype is not kind:
            raise ValueError(
                f"Tensor conversion requested dtype {kind.name} for Tensor with dtype {tensor.dtype.name}: use tf.cast."
            )
        return tensor
    return to_tensor(value, kind)


def scaled(draws: Any, kind: dtypes.DType, scale: Any, shift: Any) -> Any:
    """draws * scale + shift; tapes follow scale and shift."""
    tensor: Any = draws if isinstance(draws, Tensor) else from_array(draws)
    if not (isinstance(scale, (int, float)) and scale == 1):
        tensor = tensor * parameter(scale, kind)
    if not (isinstance(shift, (int, float)) and shift == 0):
        tensor = tensor + parameter(shift, kind)
    return tensor


def uniform_type(dtype: DTypeLike, minval: Any, maxval: Any, allowed: tuple[dtypes.DType, ...]) -> dtypes.DType:
    """The dtype of uniform numbers, checked against the bounds."""
    kind = dtypes.as_dtype(dtype)
    if not kind.is_floating and kind not in allowed:
        raise ValueError(
            f"random.uniform: the dtype must be floating or one of {', '.join(k.name for k in allowed)}, got {kind.name}."
        )
    if not kind.is_integer:
        return kind
    if maxval is None and (minval is not None or allowed is BOUNDED):
        raise ValueError(
            f"Must specify maxval for integer dtype {kind!r}, or set both minval and maxval to None in a stateless function."
        )
    if minval is None and maxval is not None:
        raise ValueError(f"For integer dtype {kind!r}, minval and maxval must be both `None` or both non-`None`.")
    if minval is not None and kind not in BOUNDED:
        raise ValueError(f"Invalid dtype for bounded uniform integers: {kind!r}.")
    return kind


def uniform_from(stream: Any, sizes: tuple[int, ...], kind: dtypes.DType, minval: Any, maxval: Any) -> Any:
    """Uniform numbers between the bounds, from a stream of bits."""
    if kind.is_floating:
        high = 1 if maxval is None else maxval
        whole = isinstance(minval, (int, float)) and minval == 0 and isinstance(high, (int, float))
        span = high if whole else parameter(high, kind) - parameter(minval, kind)
        return scaled(philox.uniform(stream, sizes, kind.numpy), kind, span, minval)
    if minval is None:
        return from_array(philox.integers(stream, sizes, kind.numpy))
    low, high = parameter(minval, kind), parameter(maxval, kind)
    if low.ndim or high.ndim:
        raise invalid(
            f"random.uniform: for integers minval and maxval must be scalars, got shapes {low.shape} and {high.shape}."
        )
    if not int(low) < int(high):
        raise invalid(f"random.uniform: need minval < maxval, got {int(low)} >= {int(high)}.")
    return from_array(philox.bounded_integers(stream, sizes, int(low), int(high), kind.numpy))
