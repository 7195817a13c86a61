"""`AbstractTensor`: a tensor whose shape and type are known as far as they are, and the evaluators that run ops on them.

A size of an abstract tensor is a number, or an expression over symbols (base/sizes.py); its rank may be unknown. Rules and
composites run on abstract tensors as they are, tapes record them, and backward passes walk over them. What an op would give is
what its shape rule says (`infer`); no array of that shape is made. (A kernel runs only on small whole numbers that are known, as
shapes are: op/abstract.py.) A question whose answer depends on an unknown size raises `Undecided`.

The layers below know a trace as `STATE.trace`, a `Trace` (base/context.py), and ask it where a trace makes a difference: `apply`,
variables that are read, changed or made, tapes and accumulators that are made, functions that `traceable` has marked
(`vectorized_map` among them). An evaluator is such a trace while it is `running`.
"""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from ..base.context import ACTIVE, STATE, Accumulator, Record, Records, VariableReader, activate, deactivate, scope
from ..base.dtypes import BY_NUMPY, Array
from ..base.shapes import TensorShape, known_shape
from ..base.sizes import UNKNOWN, Undecided, product
from ..base.types import DTypeLike, Function
from ..op import abstract as shape_rules
from ..op.abstract import Abstract, Shape
from ..op.call import RUNNERS, check_dtype
from ..op.declaration import Op
from ..op.record import record_op
from ..values.tensor import EagerTensor, Tensor, from_array, to_tensor
from ..variables.variable import Variable


class NeedsValue(Undecided):
    """Somebody asked for the value of a tensor that has none yet."""


class UnknownNumber(Undecided):
    """How many tensors a step gives depends on a size that is not known yet."""


@functools.cache
def _own_dtype(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """An equal dtype that is another object: entries compare with `is`, and take the general path for abstract tensors."""
    return np.dtype(dtype, copy=True)


class _NoRank(TensorShape):
    """The shape of an abstract tensor of unknown rank: for whoever asks for sizes the question is undecided."""

    __slots__ = ()

    def __len__(self) -> int:
        raise Undecided("The rank of a tensor.")

    def __iter__(self) -> Any:
        raise Undecided("The sizes of a tensor of unknown rank.")

    def __getitem__(self, key: Any) -> Any:
        raise Undecided("A size of a tensor of unknown rank.")


_NO_RANK = _NoRank(None)


class AbstractArray:
    """Stands in `Tensor._array`: shape and type, and an error for whoever wants more."""

    __slots__ = ("_evaluator", "dtype", "itemsize", "known", "ndim", "shape", "value")

    def __init__(self, evaluator: Evaluator, shape: Shape, dtype: np.dtype[Any], value: Array | None = None) -> None:
        self._evaluator = evaluator
        self.known = shape
        if shape is not None:  # else whoever asks meets `__getattr__`
            self.shape = shape
            self.ndim = len(shape)
        self.dtype = _own_dtype(dtype)
        self.itemsize = dtype.itemsize
        self.value = value

    @property
    def size(self) -> Any:
        """The number of elements."""
        return product(self.shape)

    def __getattr__(self, name: str) -> Any:
        if name in ("shape", "ndim"):
            raise Undecided("The rank of a tensor.")
        if name.startswith("__"):  # NumPy inspects objects by such names before it asks for the value
            raise AttributeError(name)
        raise NeedsValue(f"The value of a tensor of shape {shown(self.known)} is needed ({name}).")

    def __array__(self, *args: object, **kwargs: object) -> Any:
        return self._evaluator.value_of(self)

    def __len__(self) -> int:
        return int(self.shape[0])

    def __iter__(self) -> Any:
        return iter(self._evaluator.value_of(self))

    def __getitem__(self, key: Any) -> Any:
        return self._evaluator.value_of(self)[key]

    def item(self) -> Any:
        """The value of a scalar."""
        return self._evaluator.value_of(self).item()

    def tolist(self) -> Any:
        """The values in lists."""
        return self._evaluator.value_of(self).tolist()

    def __int__(self) -> int:
        return int(self.item())


class AbstractTensor(Tensor):
    """A tensor without a value, or of which no more is known than that its elements are some sizes."""

    __slots__ = ("evaluator", "number")

    _array: Any  # an AbstractArray

    def __init__(
        self, evaluator: Evaluator, shape: Shape, dtype: np.dtype[Any], number: int = 0, value: Array | None = None
    ) -> None:
        self.evaluator = evaluator
        self.number = number  # in the graph that a lowering builds
        self._array = AbstractArray(evaluator, shape, dtype, value)
        self._id = 0

    @property
    def shape(self) -> TensorShape:
        """The sizes of all axes, symbols among them."""
        known = self._array.known
        return _NO_RANK if known is None else known_shape(known)

    @property
    def open_shape(self) -> Any:
        """What stands for the shape of a tensor of unknown rank."""
        return self.evaluator.open_shape(self)

    @property
    def sizes(self) -> Any:
        """The elements as attributes of ops have them: numbers, sizes or UNKNOWN; UNKNOWN as a whole if their number is."""
        return self.evaluator.sizes_of(self)

    def __array__(self, dtype: DTypeLike | None = None, copy: bool | None = None) -> Any:
        return self.evaluator.value_of(self._array)

    def numpy(self) -> Any:
        """The value, which only a guess can give."""
        return self.evaluator.value_of(self._array)

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
        return f"<abstract tensor: shape={shown(self._array.known)}, dtype={self.dtype.name}>"


def shown(shape: Shape) -> str:
    """A shape as messages have it."""
    return "<unknown>" if shape is None else f"({', '.join(map(str, shape))}{',' * (len(shape) == 1)})"


class Evaluator:
    """Runs ops on abstract tensors. Subclasses say what is known of values, and what is kept of what runs."""

    computes = True
    recorder = None  # (Recorder is the other kind of traces)

    def __init__(self) -> None:
        self._tapes: list[Records] = []
        self._accumulators: list[Accumulator] = []
        self._readers: list[VariableReader] = []
        self._variables: dict[int, Any] = {}  # what a variable holds here, after it was read or assigned
        # Whether something ran here whose derivative is not that of its ops: tf.custom_gradient.
        self.has_rules = False

    @contextlib.contextmanager
    def running(self) -> Iterator[None]:
        """In this block the thread is in this evaluator: its tapes record, its variables are read."""
        activate(self)
        try:
            with scope(
                tapes=self._tapes,
                accumulators=self._accumulators,
                readers=self._readers,
                trace=self,
                nan_safe=0,
                seeds=None,
                maps=(),
            ):
                yield
        finally:
            deactivate(self)

    @property
    def tapes(self) -> list[Records]:
        """The records of the tapes that are open here, outermost first."""
        return self._tapes

    @property
    def is_followed(self) -> bool:
        """Whether a tape or an accumulator is open here."""
        return bool(self._tapes or self._accumulators)

    def close(self) -> None:
        """Tapes that were never left here do not record any more."""
        for recorder in (*self._readers, *self._accumulators):
            deactivate(recorder)

    # --- what the layers below ask of `STATE.trace` ----------------------------------------------------------------

    @property
    def depth(self) -> int:
        """How deeply what runs is nested in loops and branches."""
        return 0

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
        if function.on_abstract is not None:
            return function.on_abstract(self, function, *args, **kwargs)
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

    def effect(self, function: Function, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        """A function that is called for its effect: on abstract values nothing is printed and nothing asserted."""

    # --- for subclasses --------------------------------------------------------------------------------------------

    def initial(self, variable: Variable) -> Any:
        """What reading a variable gives when nothing was assigned here."""
        raise NotImplementedError

    def change(self, variable: Variable, method: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        """A method that assigns to a variable."""
        raise NotImplementedError

    def value_of(self, array: Any) -> Any:
        """The value of an abstract tensor, if this evaluator has one to offer."""
        raise NeedsValue(f"The value of a tensor of shape {shown(array.known)} is needed.")

    def sizes_of(self, abstract: AbstractTensor) -> Any:
        """The value of an abstract tensor, if this evaluator has one to offer, as an attribute takes it."""
        return self.value_of(abstract._array)

    def open_shape(self, abstract: AbstractTensor) -> Any:
        """What stands for the shape of an abstract tensor of unknown rank."""
        return UNKNOWN

    def known(self, attributes: dict[str, Any]) -> dict[str, Any]:
        """The attributes of an op as shape rules take them."""
        return attributes

    def outputs(
        self, op: Op, inputs: list[Any], attributes: dict[str, Any], found: list[Abstract]
    ) -> list[AbstractTensor]:
        """The results of an op, of these shapes and types."""
        raise NotImplementedError

    def like_followed(self, record: Record, cotangent: Any) -> list[Any]:
        """What stands for the results of a rule that asks for what is not known yet (a question that is being handled)."""
        raise

    def mapped(self, function: Any, tensors: list[Any], packed: Function, shares: bool = False) -> Any:
        """`tf.vectorized_map` runs as it is."""
        return NotImplemented

    def sized(self, sizes: Any, dtype: DTypeLike = np.int32) -> Any:
        """A vector of sizes, or one size, as a tensor."""
        raise NotImplementedError

    def on_attributes(self, op: Op, tensors: list[Any], attributes: dict[str, Any]) -> Any:
        """An op of which no operand is an abstract tensor, but an attribute is a size that is not known."""
        return run_on_abstract(op, (tensors,) if op.variadic else tuple(tensors), attributes, self)


def run_on_abstract(
    op: Op, args: tuple[Any, ...], attributes: dict[str, Any], evaluator: Evaluator | None = None
) -> Any:
    """Run an op of which an operand is an abstract tensor, or an attribute belongs to this evaluator."""
    operands = list(args[0] if op.variadic else args)
    for value in operands:  # a batched value has abstract tensors inside
        if value.__class__ is not AbstractTensor and value.__class__ in RUNNERS:
            return RUNNERS[value.__class__](op, args, attributes)
    attributes = {**op.attributes, **attributes}
    evaluator = evaluator or next(value.evaluator for value in operands if value.__class__ is AbstractTensor)
    tensors = [value if isinstance(value, Tensor) else _as_operand(value, operands) for value in operands]
    if not op.variadic or tensors:
        check_dtype(op, [t for t in tensors if t is not None])
    outputs = tuple(evaluator.outputs(op, tensors, attributes, infer(op, tensors, evaluator.known(attributes))))
    if ACTIVE and (STATE.tapes or STATE.accumulators):
        record_op(op, tuple(tensors), attributes, outputs)
    return outputs[0] if op.outputs == 1 else list(outputs)


RUNNERS[AbstractTensor] = run_on_abstract


def _as_operand(value: Any, operands: list[Any]) -> Any:
    """An operand as rules pass it: a variable, an array, a Python number in the type of the others, or None."""
    if value is None:
        return None
    if hasattr(value.__class__, "_read"):
        return value._read()
    if isinstance(value, np.ndarray | np.generic):
        return from_array(value)  # type: ignore[arg-type]
    return to_tensor(value, next(v.dtype for v in operands if v.__class__ is AbstractTensor))


# --- what an op gives ----------------------------------------------------------------------------------------------------


def infer(op: Op, tensors: list[Any], attributes: dict[str, Any]) -> list[Abstract]:
    """What an op gives, as its rules say; UNKNOWN for a size that depends on values."""
    found = shape_rules.infer(op, [None if tensor is None else abstract_of(tensor) for tensor in tensors], attributes)
    if found is None:
        raise UnknownNumber(
            f"How many tensors {op.name} gives depends on a size that is not known before the function runs."
        )
    return found


def abstract_of(tensor: Any) -> Abstract:
    """What is known of a tensor."""
    array = tensor._array
    if isinstance(tensor, EagerTensor):
        return Abstract.of(array)
    return Abstract(array.known, BY_NUMPY[array.dtype].numpy, array.value)
