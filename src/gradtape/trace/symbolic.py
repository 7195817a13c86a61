"""`SymbolicTensor`: what a traced function computes with. It has a type, a possibly partial shape, and no value."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn

from ..base.context import STATE
from ..base.dtypes import DType
from ..base.errors import OperatorNotAllowedInGraphError, OutOfScopeError
from ..base.notebook import Form, in_notebook
from ..base.shapes import TensorShape
from ..base.types import DTypeLike, ShapeLike
from ..values.tensor import Tensor, TensorSpec, name_functions_elsewhere

if TYPE_CHECKING:
    from .recorder import Recorder


class _NoArray:
    """Stands in place of the array: op entries have no fast path for its type, and reading a value from it raises."""

    dtype = None

    def __getattr__(self, name: str) -> NoReturn:
        if name.startswith("__"):  # Python and its tools inspect objects by dunder names
            raise AttributeError(name)
        self._refuse()

    def _refuse(self, *args: object, **kwargs: object) -> NoReturn:
        raise OperatorNotAllowedInGraphError(
            "A tensor inside tf.function has no value yet: its value is known only when the function runs. Use tf ops on "
            "it, or tf.numpy_function to call Python code with the value."
        )

    # Names that Python and NumPy look up in the class. (Without them NumPy would make an array with one object as element.)
    __array__ = __len__ = __iter__ = __getitem__ = __bool__ = __int__ = __float__ = __index__ = _refuse
    __add__ = __sub__ = __mul__ = __truediv__ = __lt__ = __gt__ = __le__ = __ge__ = _refuse


_NO_ARRAY = _NoArray()


class SymbolicTensor(Tensor):
    """A tensor inside a traced function."""

    __slots__ = ("_number", "_spec", "_trace")

    _symbolic = True

    def __init__(self, trace: Recorder, number: int, spec: TensorSpec) -> None:
        self._trace = trace
        self._number = number
        self._spec = spec
        self._id = 0

    @property
    def _array(self) -> Any:  # type: ignore[override]
        """The value, if it is needed while tracing and does not depend on the function's inputs: see `Recorder.value_at_once`."""
        value = self._trace.value_at_once(self)
        return _NO_ARRAY if value is None else value._array

    @property
    def dtype(self) -> DType:
        """The type of the elements."""
        return self._spec.dtype

    @property
    def shape(self) -> TensorShape:
        """The sizes of all axes; None for what is not known before the function runs."""
        return self._spec.shape

    @property
    def ndim(self) -> int:
        """The number of axes."""
        rank = self._spec.shape.rank
        if rank is None:
            raise ValueError("The number of axes of this tensor is not known before the function runs: use tf.rank(x).")
        return rank

    @property
    def name(self) -> str:
        """A name of its own in the graph."""
        return self._spec.name or f"t{self._number}:0"

    @property
    def graph(self) -> Any:
        """The graph it belongs to."""
        return self._trace.graph

    @property
    def op(self) -> NoReturn:
        """Not kept: the graph is printed with `print(concrete_function.graph)`."""
        raise AttributeError("Tensor.op is not there. print(concrete_function.graph) shows what computes a tensor.")

    def set_shape(self, shape: ShapeLike) -> None:
        """Say what is known of the shape; ValueError where it contradicts."""
        self._spec = TensorSpec(self._spec.shape.merge_with(shape), self._spec.dtype, self._spec.name)
        self._trace.refine(self, self._spec)

    def _not_allowed(self, task: str) -> NoReturn:
        raise OperatorNotAllowedInGraphError(
            f"{task} is not allowed: the value is known only when the function runs. Write plain Python `if`, `while` and "
            "`for` in a function with autograph=True (the default) whose source code can be read, or use tf.cond, "
            "tf.while_loop and tf.map_fn."
        )

    def __bool__(self) -> bool:
        known = self._trace.value_at_once(self)
        if known is not None:
            return bool(known)
        self._not_allowed("Using a symbolic `tf.Tensor` as a Python `bool`")

    def __iter__(self) -> Any:
        if self.shape.rank == 0:
            raise TypeError("Cannot iterate over a scalar tensor.")
        if self.shape.rank is None or self.shape[0] is None:
            self._not_allowed("Iterating over a symbolic `tf.Tensor` of unknown length")
        return (self[position] for position in range(self.shape[0]))

    def __len__(self) -> int:
        if not self.shape.rank or self.shape[0] is None:
            raise TypeError(f"len is not well defined for a symbolic tensor of shape {self.shape}: use tf.shape(x)[0].")
        return self.shape[0]

    def __array__(self, dtype: DTypeLike | None = None, copy: bool | None = None) -> Any:
        known = self._trace.value_at_once(self)
        if known is not None:
            return known.__array__(dtype, copy)
        raise NotImplementedError(
            f"Cannot convert a symbolic tf.Tensor ({self.name}) to a numpy array: it has no value before the function runs. "
            "Use tf ops, or tf.numpy_function to call NumPy with the value."
        )

    def __index__(self) -> int:
        return int(self._python("index", "__index__"))

    def __int__(self) -> int:
        return int(self._python("int", "__int__"))

    def __float__(self) -> float:
        return float(self._python("float", "__float__"))

    def _python(self, target: str, method: str) -> Any:
        known = self._trace.value_at_once(self)
        if known is None:
            raise TypeError(
                f"A symbolic tf.Tensor has no value to convert to {target} before the function runs: {self!r}."
            )
        return getattr(known, method)()

    def eval(self, *args: object, **kwargs: object) -> NoReturn:
        """Not available in TensorFlow 2."""
        raise NotImplementedError("eval is not supported for a tensor inside tf.function: return it from the function.")

    def _notebook_form(self) -> Form:
        facts = (("shape", str(self.shape)), ("dtype", self.dtype.name), ("value", "known when the function runs"))
        return Form(f"tf.Tensor '{self.name}'", facts)

    _repr_html_ = in_notebook

    def __repr__(self) -> str:
        return f"<tf.Tensor '{self.name}' shape={self.shape} dtype={self.dtype.name}>"


name_functions_elsewhere(
    SymbolicTensor,
    {
        "numpy": "tf ops on it, tf.print(x), or tf.numpy_function(f, [x], dtype): its value is known only when the function runs"
    },
)


def is_symbolic(value: object) -> bool:
    """Whether a value is known only when a traced function runs."""
    return getattr(value.__class__, "_symbolic", False)


def check_scope(value: object) -> None:
    """Raise where a symbolic tensor is used outside of all functions."""
    if value.__class__ is SymbolicTensor and STATE.trace is None:
        raise out_of_scope(value)


def out_of_scope(value: SymbolicTensor) -> OutOfScopeError:
    """The error for a symbolic tensor that is used after its function was recorded, or in another function."""
    where = value._trace.policy.where
    return OutOfScopeError(
        f"{value!r}, made inside the function {value._trace.graph.name!r}{where and f' ({where})'}, is out of scope and cannot "
        "be used here: it has no value outside of it. Return it from the function, or keep it in a tf.Variable."
    )
