"""`Ghost`: a tensor of which only shape and type are known, and the worlds in which ops run on such tensors.

Every size of a ghost is a number. Rules and composites therefore run on ghosts as they are, tapes record them, and backward
passes walk over them. What an op would give is what its shape rule says (`infer`); no array of that shape is made. (A kernel
runs only on small whole numbers that are known, as shapes are: op/abstract.py.)

The layers below know a trace as `STATE.trace`, a `Trace` (base/context.py), and ask it where a trace makes a difference: `apply`,
variables that are read, changed or made, tapes and accumulators that are made, functions that `traceable` has marked
(`vectorized_map` among them). A world is such a trace while it is `running`.
"""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from ..base.context import ACTIVE, STATE, Accumulator, Records, VariableReader, activate, deactivate, scope
from ..base.dtypes import BY_NUMPY
from ..base.errors import OpError
from ..base.types import DTypeLike, Function
from ..op import abstract
from ..op.abstract import Abstract
from ..op.call import RUNNERS, check_dtype
from ..op.declaration import Op
from ..op.record import record_op
from ..ops.math.elementwise import add
from ..ops.math.reduce import reduce_sum
from ..values.tensor import EagerTensor, Tensor, from_array, to_tensor
from ..variables.variable import Variable

Shape = tuple[int, ...]


class NeedsValue(Exception):
    """Somebody asked for the value of a tensor that has none yet."""


@functools.cache
def _own_dtype(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """An equal dtype that is another object: entries compare with `is`, and take the general path for ghosts."""
    return np.dtype(dtype, copy=True)


class GhostArray:
    """Stands in `Tensor._array`: shape and type, and an error for whoever wants more."""

    __slots__ = ("_world", "dtype", "itemsize", "ndim", "shape", "size")

    def __init__(self, world: World, shape: Shape, dtype: np.dtype[Any]) -> None:
        self._world = world
        self.shape = shape
        self.dtype = _own_dtype(dtype)
        self.ndim = len(shape)
        self.size = int(np.prod(shape, dtype=object))
        self.itemsize = dtype.itemsize

    def __getattr__(self, name: str) -> Any:
        raise NeedsValue(f"The value of a tensor of shape {self.shape} is needed ({name}).")

    def __array__(self, *args: object, **kwargs: object) -> Any:
        return self._world.value_of(self)

    def item(self) -> Any:
        """The value of a scalar."""
        return self._world.value_of(self).item()

    def tolist(self) -> Any:
        """The values in lists."""
        return self._world.value_of(self).tolist()

    def __int__(self) -> int:
        return int(self.item())


class Ghost(Tensor):
    """A tensor without a value; all its sizes are known."""

    __slots__ = ("number", "world")

    def __init__(self, world: World, shape: Shape, dtype: np.dtype[Any], number: int = 0) -> None:
        self.world = world
        self.number = number  # in the graph that a lowering builds
        self._array = GhostArray(world, shape, dtype)  # type: ignore[assignment]
        self._id = 0

    def __array__(self, dtype: DTypeLike | None = None, copy: bool | None = None) -> Any:
        return self.world.value_of(self._array)

    def numpy(self) -> Any:
        """The value, which only a guess can give."""
        return self.world.value_of(self._array)

    def __index__(self) -> int:
        if self._array.dtype.kind not in "iu" or self.ndim:
            raise TypeError(f"Only integer scalar tensors can be used as an index, got {self!r}.")
        return int(self._array)

    def __int__(self) -> int:
        return int(self._array)

    def __float__(self) -> float:
        return float(self._array.item())

    def __bool__(self) -> bool:
        raise NeedsValue("The truth value of a tensor is needed.")

    def __len__(self) -> int:
        if not self.ndim:
            raise TypeError("Scalar tensor has no `len()`")
        return int(self._array.shape[0])

    def __repr__(self) -> str:
        return f"<ghost: shape={self.shape}, dtype={self.dtype.name}>"


class World:
    """Runs ops on ghosts. Subclasses say what a value is guessed to be, and what is kept of what runs."""

    def __init__(self) -> None:
        self._tapes: list[Records] = []
        self._accumulators: list[Accumulator] = []
        self._readers: list[VariableReader] = []
        self._variables: dict[int, Any] = {}  # what a variable holds here, after it was read or assigned
        # Whether something ran here whose derivative is not that of its ops: tf.custom_gradient.
        self.has_rules = False

    @contextlib.contextmanager
    def running(self) -> Iterator[None]:
        """In this block the thread is in this world: its tapes record, its variables are read."""
        activate(self)
        try:
            with scope(
                tapes=self._tapes,
                accumulators=self._accumulators,
                readers=self._readers,
                trace=self,
                nan_safe=0,
                seeds=None,
            ):
                yield
        finally:
            deactivate(self)

    def close(self) -> None:
        """Tapes that were never left here do not record any more."""
        for recorder in (*self._readers, *self._accumulators):
            deactivate(recorder)

    # --- what the layers below ask of `STATE.trace` ----------------------------------------------------------------

    def read(self, variable: Variable) -> Any:
        """The value of a variable, followed as the variable."""
        found = self._variables.get(variable._id)
        if found is None:
            found = self._variables[variable._id] = self.initial(variable)
        return found

    def hold(self, variable: Variable, value: Any) -> None:
        """From here on the variable has this value; as in eager code its gradient is that of the variable."""
        value._id = variable._id
        self._variables[variable._id] = value

    def forget(self, variables: Iterable[Variable]) -> None:
        """A function that was called has changed these: they are read anew."""
        for variable in variables:
            self._variables.pop(variable._id, None)

    def composite(self, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """A public function runs as it is, unless it does more than to call ops."""
        if function.in_world is not None:
            return function.in_world(self, function, *args, **kwargs)
        return function.__wrapped__(*args, **kwargs)

    def adopt(self, thing: object, cls: type, args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
        """Tapes, accumulators and arrays of tensors are what they are in eager code."""
        return False

    def follows(self, values: Iterable[Any]) -> bool:
        """Ops on tensors with values run at once."""
        return False

    def step(self, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Nothing is written down: what is called runs."""
        return function(*args, **kwargs)

    def captured(self, tensor: EagerTensor) -> Any:
        """What stands here for a tensor that a graph refers to."""
        return tensor

    def create_variable(self, variable: Variable) -> None:
        """A variable that a function makes for its own use."""

    def initial_value(self, value: Function) -> Any:
        """What such a variable starts with."""
        return value() if callable(value) and not isinstance(value, Tensor) else value

    # --- for subclasses --------------------------------------------------------------------------------------------

    def initial(self, variable: Variable) -> Any:
        """What reading a variable gives when nothing was assigned here."""
        raise NotImplementedError

    def change(self, variable: Variable, method: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        """A method that assigns to a variable."""
        raise NotImplementedError

    def value_of(self, array: Any) -> Any:
        """The value of a ghost, if this world has one to offer."""
        raise NeedsValue(f"The value of a tensor of shape {array.shape} is needed.")

    def looks(self, op: Op, inputs: list[Any], attributes: dict[str, Any]) -> list[Any]:
        """Shapes and types of an op's results."""
        return infer(op, inputs, attributes)

    def outputs(self, op: Op, inputs: list[Any], attributes: dict[str, Any], shapes: list[Any]) -> list[Ghost]:
        """The results of an op, of these shapes and types."""
        return [Ghost(self, shape, dtype) for shape, dtype in shapes]


def run_on_ghosts(op: Op, args: tuple[Any, ...], attributes: dict[str, Any]) -> Any:
    """Run an op of which an operand is a ghost."""
    operands = list(args[0] if op.variadic else args)
    for value in operands:  # a batched value has ghosts inside
        if value.__class__ is not Ghost and value.__class__ in RUNNERS:
            return RUNNERS[value.__class__](op, args, attributes)
    attributes = {**op.attributes, **attributes}
    world = next(value.world for value in operands if value.__class__ is Ghost)
    tensors = [value if isinstance(value, Tensor) else _as_operand(value, operands) for value in operands]
    if not op.variadic or tensors:
        check_dtype(op, [t for t in tensors if t is not None])
    outputs = tuple(world.outputs(op, tensors, attributes, world.looks(op, tensors, attributes)))
    if ACTIVE and (STATE.tapes or STATE.accumulators):
        record_op(op, tuple(tensors), attributes, outputs)
    return outputs[0] if op.outputs == 1 else list(outputs)


RUNNERS[Ghost] = run_on_ghosts


def _as_operand(value: Any, operands: list[Any]) -> Any:
    """An operand as rules pass it: a variable, an array, a Python number in the type of the others, or None."""
    if value is None:
        return None
    if hasattr(value.__class__, "_read"):
        return value._read()
    if isinstance(value, np.ndarray | np.generic):
        return from_array(value)  # type: ignore[arg-type]
    return to_tensor(value, next(v.dtype for v in operands if v.__class__ is Ghost))


# --- what an op gives ----------------------------------------------------------------------------------------------------


def infer(op: Op, tensors: list[Any], attributes: dict[str, Any]) -> list[tuple[Any, np.dtype[Any]]]:
    """Shapes and types of an op's results, as its rules say; UNKNOWN for a size that depends on values."""
    found = abstract.infer(op, [None if tensor is None else _abstract(tensor) for tensor in tensors], attributes)
    assert found is not None, f"{op.name}: how many results there are is known where all sizes are"
    return [(result.shape, result.dtype) for result in found]


def _abstract(tensor: Any) -> Abstract:
    array = tensor._array
    if tensor.__class__ is EagerTensor:
        return Abstract.of(array)
    return Abstract(array.shape, BY_NUMPY[array.dtype].numpy)


@functools.lru_cache(maxsize=4096)
def filled(shape: Shape, dtype: np.dtype[Any], kind: str) -> Any:
    """An array of the shape with stand-in values: ones, or numbers in order; whole numbers are 0, or 1."""
    if dtype.kind == "O":
        return np.full(shape, b"0" if kind == "ones" else b"", object)
    if dtype.kind in "iub":
        return np.broadcast_to(np.array(int(kind == "ordered"), dtype), shape)
    if kind == "ordered" and shape:
        return np.broadcast_to(np.linspace(0, 1, shape[-1]).astype(dtype), shape)
    return np.broadcast_to(np.ones((), dtype), shape)


def depending_on(result: Any, *sources: object) -> Any:
    """The same result, such that gradients reach the sources; used where only that is asked."""
    for source in sources:
        if isinstance(source, Tensor) and source.dtype == result.dtype and source.dtype.is_floating:
            result = add(result, reduce_sum(source, axis=None, keepdims=False))
    return result


def is_known_error(error: Exception) -> bool:
    """Whether an error speaks of sizes that do not fit, which other sizes could repair."""
    return isinstance(error, (OpError, ValueError, IndexError, TypeError, ArithmeticError))
