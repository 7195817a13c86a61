"""The value: `Tensor`, immutable, a NumPy array with an identity that tapes can follow.

Arithmetic and indexing are attached in `variables/operators.py`, where the ops are known. Here is what a tensor is:
its data, how Python values become one, and how it prints.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from ..base import dtypes
from ..base.context import ACTIVE, STATE, next_id
from ..base.dtypes import Array, DType
from ..base.errors import TensorTypeError
from ..base.locks import new_lock
from ..base.notebook import Form, in_notebook
from ..base.notes import note_choice
from ..base.places import HOST, ON_DEVICE
from ..base.shapes import TensorShape
from ..base.sizes import Size
from ..base.type_spec import TypeSpec
from ..base.types import DTypeLike, IndexLike, ShapeLike
from ..native.abi import WRITABLE_BUFFER, export_memory
from .composite import COMPOSITES
from .exits import converted_to_leave, memory_to_leave, tell_exit
from .from_python import to_array

if TYPE_CHECKING:
    from .operators import Operators as _Operators
else:
    _Operators = object

_CPU = HOST.name

_new = object.__new__


class Tensor(_Operators):
    """An array of one type whose value never changes; ops on tensors make new tensors.

    `isinstance(x, tf.Tensor)` holds for every tensor. Make one with `tf.constant`:

    >>> import gradtape as tf
    >>> tf.constant([1.0, 2.0])
    <tf.Tensor: shape=(2,), dtype=float32, numpy=array([1., 2.], dtype=float32)>
    """

    __slots__ = ("__dict__", "__weakref__", "_array", "_id")

    _array: Array
    _id: int  # 0 until a tape follows the tensor; then unique, and larger than the ids of all its inputs

    # NumPy must hand `array + tensor` to the tensor's own operators.
    __array_priority__ = 100

    @property
    def dtype(self) -> DType:
        """The type of the elements."""
        try:
            return dtypes.BY_NUMBER[self._array.dtype.num]
        except KeyError:  # all structured types have one number
            return dtypes.BY_NUMPY[self._array.dtype]

    @property
    def shape(self) -> TensorShape:
        """The sizes of all axes."""
        shape = _new(TensorShape)  # (`known_shape`, inlined)
        shape._sizes = self._array.shape
        return shape

    @property
    def ndim(self) -> int:
        """The number of axes."""
        return self._array.ndim

    def get_shape(self) -> TensorShape:
        """The same as `shape`.

        >>> tf.ones([2, 3]).get_shape()
        TensorShape([2, 3])

        Returns:
            A `tf.TensorShape`.
        """
        return self.shape

    def set_shape(self, shape: ShapeLike) -> None:
        """Check the shape: that of an eager tensor is known already.

        >>> tf.ones([2, 3]).set_shape([None, 3])
        >>> tf.constant([1, 2]).set_shape([3])
        Traceback (most recent call last):
            ...
        ValueError: Tensor's shape (2,) is not compatible with supplied shape (3,).

        Args:
            shape: The shape that it should have, with None for any size.

        Raises:
            ValueError: It has another.
        """
        if not self.shape.is_compatible_with(shape):
            raise ValueError(f"Tensor's shape {self.shape} is not compatible with supplied shape {TensorShape(shape)}.")

    @property
    def device(self) -> str:
        """Where the value is, or belongs that was computed in a scope of `tf.device`: the CPU where there is no other device."""
        found = self.__dict__.get(ON_DEVICE)
        return _CPU if found is None else str(found.name)

    @property
    def backing_device(self) -> str:
        """The same as `device`."""
        return self.device

    def cpu(self) -> Tensor:
        """This tensor: it is on the CPU.

        >>> x = tf.constant(1.0)
        >>> x.cpu() is x
        True

        Returns:
            The tensor.
        """
        return self

    def ref(self) -> Reference:
        """A hashable stand-in for dicts and sets; `.deref()` gives the tensor back.

        >>> x = tf.constant(1.0)
        >>> names = {x.ref(): "x"}
        >>> names[x.ref()]
        'x'

        Returns:
            A reference, equal for the very same tensor only.
        """
        return Reference(self)

    def experimental_ref(self) -> Reference:
        """The same as `ref`.

        >>> x = tf.constant(1.0)
        >>> x.experimental_ref() == x.ref()
        True

        Returns:
            A reference, equal for the very same tensor only.
        """
        return self.ref()

    if TYPE_CHECKING:  # attached in variables/operators.py and by the subclasses

        def numpy(self) -> Any: ...
        def __dlpack__(self, **kwargs: object) -> Any: ...
        def __getitem__(self, key: IndexLike | tuple[IndexLike, ...]) -> Tensor: ...

    def __hash__(self) -> NoReturn:
        raise TypeError("Tensor is unhashable. Instead, use tensor.ref() as the key.")


# Methods of NumPy and PyTorch, with their names here.
_ELSEWHERE = {
    "T": "tf.transpose(x)",
    "abs": "tf.abs(x)",
    "all": "tf.reduce_all(x)",
    "any": "tf.reduce_any(x)",
    "argmax": "tf.argmax(x)",
    "argsort": "tf.argsort(x)",
    "assign": "a tf.Variable: tensors do not change",
    "assign_add": "a tf.Variable: tensors do not change",
    "assign_sub": "a tf.Variable: tensors do not change",
    "astype": "tf.cast(x, dtype)",
    "at": "tf.tensor_scatter_nd_update(x, indices, updates)",
    "backward": "tape.gradient(y, sources), with `y` computed inside `with tf.GradientTape() as tape:`",
    "bool": "tf.cast(x, tf.bool)",
    "clamp": "tf.clip_by_value(x, low, high)",
    "clip": "tf.clip_by_value(x, low, high)",
    "clone": "tf.identity(x)",
    "copy": "tf.identity(x)",
    "cuda": 'tf.device(name): gradtape computes on the CPU, and on accelerators in functions with engine="xla"',
    "cumsum": "tf.cumsum(x)",
    "detach": "tf.stop_gradient(x)",
    "dot": "tf.tensordot(x, y, 1)",
    "double": "tf.cast(x, tf.float64)",
    "eval": "x.numpy()",
    "exp": "tf.exp(x)",
    "flatten": "tf.reshape(x, [-1])",
    "float": "tf.cast(x, tf.float32)",
    "grad": "tape.gradient(y, x)",
    "half": "tf.cast(x, tf.float16)",
    "int": "tf.cast(x, tf.int32)",
    "item": "x.numpy().item()",
    "log": "tf.math.log(x)",
    "long": "tf.cast(x, tf.int64)",
    "matmul": "tf.matmul(x, y)",
    "max": "tf.reduce_max(x)",
    "mean": "tf.reduce_mean(x)",
    "min": "tf.reduce_min(x)",
    "mm": "tf.matmul(x, y)",
    "norm": "tf.norm(x)",
    "numel": "tf.size(x)",
    "permute": "tf.transpose(x, axes)",
    "pow": "tf.pow(x, y)",
    "prod": "tf.reduce_prod(x)",
    "ravel": "tf.reshape(x, [-1])",
    "repeat": "tf.repeat(x, repeats) or tf.tile(x, multiples)",
    "requires_grad": "tape.watch(x)",
    "requires_grad_": "tape.watch(x)",
    "reshape": "tf.reshape(x, shape)",
    "round": "tf.round(x)",
    "sigmoid": "tf.sigmoid(x)",
    "size": "tf.size(x)",
    "softmax": "tf.nn.softmax(x)",
    "sqrt": "tf.sqrt(x)",
    "squeeze": "tf.squeeze(x)",
    "std": "tf.math.reduce_std(x)",
    "sum": "tf.reduce_sum(x)",
    "to": "tf.cast(x, dtype)",
    "tolist": "x.numpy().tolist()",
    "transpose": "tf.transpose(x)",
    "unsqueeze": "tf.expand_dims(x, axis)",
    "var": "tf.math.reduce_variance(x)",
    "view": "tf.reshape(x, shape)",
}


class _Elsewhere:
    """An attribute that tensors do not have, and whose error names the function to use instead.

    (A `__getattr__` would do the same, and make every access to a tensor's attributes slower.)
    """

    def __init__(self, name: str, instead: str) -> None:
        self._name, self._instead = name, instead

    def __get__(self, value: Any, cls: type) -> Any:
        if value is None:
            return self
        text = f"{cls.__name__!r} object has no attribute {self._name!r}. Use {self._instead}."
        raise AttributeError(text, name=self._name, obj=value)


def name_functions_elsewhere(cls: type, names: dict[str, str] = _ELSEWHERE) -> None:
    """Give the class attributes that advise on the methods of NumPy and PyTorch."""
    for name, instead in names.items():
        if not hasattr(cls, name):
            setattr(cls, name, _Elsewhere(name, instead))


name_functions_elsewhere(Tensor)


class EagerTensor(Tensor):
    """A tensor whose value is known."""

    __slots__ = ()

    def numpy(self) -> Any:
        """The value as a NumPy array of its own.

        >>> tf.constant([1.0, 2.0]).numpy()
        array([1., 2.], dtype=float32)

        Returns:
            An array; a NumPy scalar, or bytes, for a tensor without axes.
        """
        if ACTIVE and self._id:
            tell_exit(self, ".numpy()")
        array = self._array
        if array.ndim == 0:
            return array[()]
        return array.copy()

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        if ACTIVE and self._id:
            tell_exit(self, "a NumPy array")
        array = np.asarray(self._array)
        if dtype is not None and np.dtype(dtype) != array.dtype:
            if copy is False:
                raise ValueError(f"A tensor of {self.dtype!r} cannot be seen as {np.dtype(dtype)} without a copy.")
            return converted_to_leave(array, np.dtype(dtype))
        if copy:
            return array.copy()
        view = array.view()
        view.flags.writeable = False
        return view

    def __buffer__(self, flags: int) -> memoryview:
        """The memory of the value, to be read only: for `memoryview(x)`, `np.frombuffer(x)`, and for NumPy, which asks first."""
        if flags & WRITABLE_BUFFER:
            raise BufferError("A tensor never changes, and its memory is read-only; x.numpy() is a copy to write to.")
        if ACTIVE and self._id:
            tell_exit(self, "a NumPy array")
        return memory_to_leave(self._array, flags).data.toreadonly()

    def __dlpack__(self, **kwargs: Any) -> Any:
        if ACTIVE and self._id:
            tell_exit(self, "another library's array")
        # A copy: the importing library may write to what it is given.
        return np.array(self._array).__dlpack__(**kwargs)

    def __dlpack_device__(self) -> tuple[int, int]:
        return np.asarray(self._array).__dlpack_device__()

    def __len__(self) -> int:
        if not self._array.ndim:
            raise TypeError("Scalar tensor has no `len()`")
        return len(self._array)

    def __bool__(self) -> bool:
        if ACTIVE and self._id:
            note_choice(self._id)
        if self._array.size > 1:
            raise ValueError(
                "The truth value of an array with more than one element is ambiguous. "
                "Use tf.reduce_any(x) or tf.reduce_all(x)."
            )
        return bool(self._array.item()) if self._array.size else False

    def __float__(self) -> float:
        return float(self._scalar("float"))

    def __int__(self) -> int:
        return int(self._scalar("int"))

    def __complex__(self) -> complex:
        return complex(self._scalar("complex"))

    def __index__(self) -> int:
        if self._array.dtype.kind not in "iu" or self._array.ndim:
            raise TypeError(f"Only integer scalar tensors can be used as an index, got {self!r}.")
        return int(self._scalar("index"))

    def _scalar(self, target: str) -> Any:
        if self._array.size != 1:
            raise TypeError(f"Only tensors with one element can be converted to {target}, got shape {self.shape}.")
        if ACTIVE and self._id:
            tell_exit(self, f"{target}()")
        return self._array.item()

    def __format__(self, spec: str) -> str:
        return format(self._array.item() if self._array.ndim == 0 else self._array, spec)

    def __copy__(self) -> EagerTensor:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> EagerTensor:
        return from_array(np.array(self._array))

    def __reduce__(self) -> tuple[Any, ...]:
        return from_array, (np.asarray(self._array),)

    def __repr__(self) -> str:
        return f"<tf.Tensor: shape={self.shape}, dtype={self.dtype.name}, numpy={describe_value(self._array)}>"

    def _notebook_form(self) -> Form:
        return Form("tf.Tensor", (("shape", str(self.shape)), ("dtype", self.dtype.name)), self._array)

    _repr_html_ = in_notebook

    def __str__(self) -> str:
        text = _plain_text(self._array)
        return f"tf.Tensor({_on_new_line(text)}, shape={self.shape}, dtype={self.dtype.name})"


export_memory(EagerTensor)


def value_of(tensor: Tensor) -> Any:
    """What `numpy()` gives, also for a tensor of a traced function, if its value is known."""
    array = np.asarray(tensor._array)
    return array.copy() if array.ndim else array[()]


def kept(tensor: Any) -> Any:
    """The tensor as an object may keep it beyond the traced function that made it: with its value, if that is known."""
    if tensor.__class__ is EagerTensor or not isinstance(tensor, Tensor):
        return tensor
    array = tensor._array
    return tensor if array.dtype is None else from_array(array)


def describe_value(array: Array) -> str:
    """The value as `repr` of a tensor shows it."""
    if array.ndim == 0:
        return repr(array.item())
    return _on_new_line(repr(array))


def _plain_text(array: Array) -> str:
    return repr(array[()]) if array.ndim == 0 and array.dtype.kind == "O" else str(array)


def _on_new_line(text: str) -> str:
    return "\n" + text if "\n" in text else text


class Reference:
    """A hashable reference to a tensor or a variable, equal for the very same object only."""

    __slots__ = ("__weakref__", "_referent")

    def __init__(self, referent: Any) -> None:
        self._referent = referent

    def deref(self) -> Any:
        """The object itself."""
        return self._referent

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Reference) and self._referent is other._referent

    def __lt__(self, other: object) -> bool:
        """An order for sorting, in which nothing but the objects themselves counts."""
        if not isinstance(other, Reference):
            raise TypeError(f"A reference can be compared with another reference, got {other!r}.")
        return id(self._referent) < id(other._referent)

    def __hash__(self) -> int:
        return id(self._referent)

    def __repr__(self) -> str:
        return f"<Reference wrapping {self._referent!r}>"


class IndexedSlices:
    """Rows of a large tensor: `dense[indices[i]] += values[i]`, the gradient of a lookup.

    Indices may repeat; `tf.convert_to_tensor` adds such rows up.

    >>> import gradtape as tf
    >>> table = tf.Variable([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    >>> with tf.GradientTape() as tape:
    ...     y = tf.gather(table, [0, 0, 2])
    >>> gradient = tape.gradient(y, table)
    >>> type(gradient).__name__, gradient.indices.numpy()
    ('IndexedSlices', array([0, 0, 2], dtype=int32))
    >>> tf.convert_to_tensor(gradient).numpy()
    array([[2., 2.],
           [0., 0.],
           [1., 1.]], dtype=float32)

    Args:
        values: The rows.
        indices: For each row its place along the first axis.
        dense_shape: The shape of the large tensor, if it is known.
    """

    __slots__ = ("dense_shape", "indices", "values")

    def __init__(self, values: Any, indices: Any, dense_shape: Any = None) -> None:
        self.values = values
        self.indices = indices
        self.dense_shape = dense_shape

    @property
    def dtype(self) -> DType:
        """The type of the values."""
        dtype: DType = self.values.dtype
        return dtype

    @property
    def shape(self) -> TensorShape:
        """The shape of the dense tensor."""
        if self.dense_shape is None:
            return TensorShape(None)
        return TensorShape(np.asarray(self.dense_shape).tolist())

    @property
    def device(self) -> str:
        """Where the data is: always the CPU."""
        return _CPU

    @property
    def name(self) -> NoReturn:
        """Not defined for eager values."""
        raise AttributeError("IndexedSlices.name is undefined when eager execution is enabled.")

    @property
    def op(self) -> NoReturn:
        """Not defined for eager values."""
        raise AttributeError("IndexedSlices.op is undefined when eager execution is enabled.")

    @property
    def graph(self) -> NoReturn:
        """Not defined for eager values."""
        raise AttributeError("IndexedSlices.graph is undefined when eager execution is enabled.")

    def consumers(self) -> NoReturn:
        """Not defined for eager values.

        Raises:
            AttributeError: Always, as in TensorFlow where ops run at once.
        """
        raise AttributeError("IndexedSlices.consumers is undefined when eager execution is enabled.")

    def __neg__(self) -> IndexedSlices:
        return IndexedSlices(-self.values, self.indices, self.dense_shape)

    def _notebook_form(self) -> Form:
        facts = [("rows", str(self.indices.shape[0])), ("dtype", self.values.dtype.name)]
        facts += [] if self.dense_shape is None else [("dense_shape", str(self.dense_shape.numpy().tolist()))]
        return Form("tf.IndexedSlices", tuple(facts), self.values._array)

    _repr_html_ = in_notebook

    def __repr__(self) -> str:
        shape = "" if self.dense_shape is None else f", dense_shape={self.dense_shape!s}"
        return f"IndexedSlices(indices={self.indices!s}, values={self.values!s}{shape})"


class TensorSpec(TypeSpec):
    """What is known of a tensor before it exists: shape (None for an unknown size), dtype and name.

    >>> import gradtape as tf
    >>> spec = tf.TensorSpec([None, 3], tf.float32)
    >>> spec.is_compatible_with(tf.zeros([5, 3])), spec.is_compatible_with(tf.zeros([5, 4]))
    (True, False)
    >>> @tf.function(input_signature=[spec])
    ... def total(x):
    ...     return tf.reduce_sum(x)
    >>> total(tf.ones([5, 3])).numpy()
    np.float32(15.0)

    Args:
        shape: The shape, None for a size that is not known; None alone: any shape.
        dtype: The type of the elements.
        name: A name, which a function shows in its signature.
    """

    __slots__ = ("_dtype", "_name", "_shape")

    def __init__(self, shape: ShapeLike | None, dtype: DTypeLike = dtypes.float32, name: str | None = None) -> None:
        self._shape = TensorShape(shape)
        self._dtype = dtypes.as_dtype(dtype)
        self._name = name

    @classmethod
    def from_tensor(cls, tensor: Any, name: str | None = None) -> TensorSpec:
        """The spec of an existing tensor or variable.

        >>> tf.TensorSpec.from_tensor(tf.constant([1.0, 2.0]))
        TensorSpec(shape=(2,), dtype=tf.float32, name=None)

        Args:
            tensor: A tensor or variable.
            name: The name of the spec.

        Returns:
            A TensorSpec with its shape and type.
        """
        return cls(tensor.shape, tensor.dtype, name)

    @classmethod
    def from_spec(cls, spec: TensorSpec, name: str | None = None) -> TensorSpec:
        """A copy of a spec.

        >>> tf.TensorSpec.from_spec(tf.TensorSpec([2]), name="x")
        TensorSpec(shape=(2,), dtype=tf.float32, name='x')

        Args:
            spec: A TensorSpec.
            name: The name of the copy; that of `spec` by default.

        Returns:
            A TensorSpec.
        """
        return cls(spec.shape, spec.dtype, name or spec.name)

    @property
    def shape(self) -> TensorShape:
        """The shape, as far as it is known."""
        return self._shape

    @property
    def dtype(self) -> DType:
        """The type of the elements."""
        return self._dtype

    @property
    def name(self) -> str | None:
        """The name, if it has one."""
        return self._name

    def is_compatible_with(self, spec_or_value: Any) -> bool:
        """Whether the value (or everything the other spec describes) may stand here.

        >>> tf.TensorSpec([None, 2]).is_compatible_with(tf.ones([3, 2]))
        True

        Args:
            spec_or_value: A tensor, a variable or a TensorSpec; anything else may not.

        Returns:
            True or False.
        """
        foreign = isinstance(spec_or_value, TypeSpec) and not isinstance(spec_or_value, TensorSpec)
        if foreign or not hasattr(spec_or_value, "shape"):
            return False
        return self._dtype == spec_or_value.dtype and self._shape.is_compatible_with(spec_or_value.shape)

    def is_subtype_of(self, other: Any) -> bool:
        """Whether every tensor that fits this spec fits the other.

        >>> tf.TensorSpec([3, 2]).is_subtype_of(tf.TensorSpec([None, 2]))
        True

        Args:
            other: Another spec.

        Returns:
            True or False.
        """
        return isinstance(other, TensorSpec) and self._dtype == other._dtype and self._shape.is_subtype_of(other._shape)

    def most_specific_compatible_type(self, other: TensorSpec) -> TensorSpec:
        """The tightest spec that covers both.

        >>> tf.TensorSpec([3, 2]).most_specific_compatible_type(tf.TensorSpec([4, 2]))
        TensorSpec(shape=(None, 2), dtype=tf.float32, name=None)

        Args:
            other: Another TensorSpec of the same type.

        Returns:
            A TensorSpec whose sizes are None where theirs differ.

        Raises:
            ValueError: There is none.
        """
        if not isinstance(other, TensorSpec):
            raise ValueError(f"No spec covers both {self!r} and {other!r}.")
        if self._dtype != other._dtype:
            raise ValueError(f"No spec covers both {self!r} and {other!r}: the dtypes differ.")
        return TensorSpec(self._shape.most_specific_compatible_shape(other._shape), self._dtype)

    @property
    def value_type(self) -> type[Tensor]:
        """The class that the spec describes."""
        return Tensor

    def _serialize(self) -> tuple[Any, ...]:
        return self._shape, self._dtype, self._name

    def __eq__(self, other: object) -> bool:
        return isinstance(other, TensorSpec) and (self._shape, self._dtype, self._name) == (
            other._shape,
            other._dtype,
            other._name,
        )

    def __hash__(self) -> int:
        return hash((self._shape, self._dtype))

    def __repr__(self) -> str:
        return f"TensorSpec(shape={self._shape}, dtype={self._dtype!r}, name={self._name!r})"

    def __reduce__(self) -> tuple[Any, ...]:
        return TensorSpec, (tuple(self._shape) if self._shape else None, self._dtype, self._name)


def from_array(array: Array) -> EagerTensor:
    """A tensor around `array`, which must not be written to afterwards."""
    tensor = _new(EagerTensor)
    tensor._array = array
    tensor._id = 0
    return tensor


_IDENTIFYING = new_lock()


def identify(tensor: Any) -> int:
    """The tensor's identity, given to it now if it has none."""
    if not tensor._id:
        with _IDENTIFYING:  # two threads that watch one tensor for the first time must agree
            if not tensor._id:
                tensor._id = next_id()
    number: int = tensor._id
    return number


# How lists that contain tensors become tensors (stacked, and recorded). Filled by the module that knows how.
PACK_LIST: list[Callable[[Any, DType | None], Tensor]] = []


# How values of users' classes become tensors (`tf.register_tensor_conversion_function`): priority, classes, function.
# The first that fits counts.
CONVERSIONS: list[tuple[int, tuple[type, ...], Callable[..., Any]]] = []


def _by_registered_conversion(value: Any, dtype: DType | None) -> Tensor | None:
    if isinstance(value, (list, tuple, int, float, complex, str, bytes, np.ndarray, np.generic)):
        return None
    for _, classes, function in CONVERSIONS:
        if isinstance(value, classes):
            tensor = function(value, dtype=dtype, name=None, as_ref=False)
            if tensor is NotImplemented:
                continue
            if not isinstance(tensor, Tensor):
                raise RuntimeError(
                    f"Conversion function {function!r} for type {classes} returned non-Tensor: {tensor!r}."
                )
            return tensor
    return None


def to_tensor(value: Any, dtype: DType | None = None) -> Tensor:
    """`value` as a tensor: tensors as they are, variables read, Python values and arrays converted.

    A tensor of another type than `dtype` is a ValueError: nothing is cast silently.
    """
    cls = value.__class__
    tensor: Tensor
    if cls is EagerTensor:
        tensor = value
    elif hasattr(cls, "_read"):
        tensor = value._read()
    elif isinstance(value, Tensor):
        tensor = value
    elif cls in COMPOSITES and COMPOSITES[cls].converts:
        tensor = COMPOSITES[cls].dense(value)  # type: ignore[misc]
    elif hasattr(cls, "__tf_tensor__"):
        answer = value.__tf_tensor__(dtype)  # (TensorFlow's own tensors return themselves)
        tensor = answer if isinstance(answer, Tensor) else from_array(to_array(answer))
    elif CONVERSIONS and (registered := _by_registered_conversion(value, dtype)) is not None:
        tensor = registered
    else:
        if isinstance(value, (list, tuple)) and contains_tensor(value):
            return PACK_LIST[0](value, dtype)
        if isinstance(value, Size) and STATE.trace is not None:
            return STATE.trace.sized(value, np.int32 if dtype is None else dtype.numpy)
        return from_array(to_array(value, dtype))
    if dtype is not None and tensor.dtype != dtype:
        message = (
            f"Tensor conversion requested dtype {dtype.name} for Tensor with dtype {tensor.dtype.name}: {tensor!r}. "
            f"Use tf.cast(x, tf.{dtype.name}) to convert it."
        )
        raise TensorTypeError(None, None, message)
    return tensor


def contains_tensor(values: Any) -> bool:
    """Whether a nested list or tuple has a tensor or a variable somewhere."""
    for value in values:
        if isinstance(value, Tensor) or hasattr(value.__class__, "_read"):
            return True
        if isinstance(value, (list, tuple)) and contains_tensor(value):
            return True
    return False
