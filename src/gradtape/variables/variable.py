"""`Variable`: a value that can be assigned, and that tapes follow when it is read."""

from __future__ import annotations

import copy
import enum
import inspect
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from ..base import dtypes
from ..base.context import ACTIVE, RESTORATIONS, STATE, next_id, scope
from ..base.dtypes import Array, DType
from ..base.errors import invalid, unfit
from ..base.namespaces import as_one_class, homes, on_first_use
from ..base.notebook import Form, in_notebook
from ..base.notes import note_exit
from ..base.places import MADE_FOR
from ..base.shapes import TensorShape
from ..base.traceable import name_errors
from ..base.types import DTypeLike, Function, IndexLike, MaybeNone, ShapeLike, TensorLike
from ..native import thresholds
from ..native.abi import become
from ..op.entry import read_inline
from ..ops.array import gather
from ..ops.math import conversion, elementwise
from ..values.tensor import (
    EagerTensor,
    Reference,
    Tensor,
    describe_value,
    from_array,
    name_functions_elsewhere,
    to_tensor,
)
from .awaiting import awaiting
from .in_place import LOCKS, MASK, AbsentValue, any_value, changed, value_of
from .partial_changes import PartialChanges, changes

if TYPE_CHECKING:
    from ..values.operators import Operators as _Operators
    from .part import VariablePart
else:
    _Operators = object


class VariableSynchronization(enum.Enum):
    """When replicas of a variable are brought together; accepted for compatibility.

    >>> import gradtape as tf
    >>> tf.Variable(1.0, synchronization=tf.VariableSynchronization.ON_READ).numpy()
    np.float32(1.0)
    """

    AUTO = 0
    NONE = 1
    ON_WRITE = 2
    ON_READ = 3


class VariableAggregation(enum.Enum):
    """How replicas of a variable are brought together; accepted for compatibility.

    >>> import gradtape as tf
    >>> tf.Variable(1.0, aggregation=tf.VariableAggregation.MEAN).numpy()
    np.float32(1.0)
    """

    NONE = 0
    SUM = 1
    MEAN = 2
    ONLY_FIRST_REPLICA = 3


VALUE_SLOTS = ("_value", "_changing")  # where a variable stores its value: the second one during a change


class _VariableMeta(type):
    """`tf.Variable(...)` makes a `ResourceVariable`, whose class name is the one TensorFlow shows."""

    if not TYPE_CHECKING:  # the parameters are those of `__init__`

        def __call__(cls, *args: Any, **kwargs: object) -> Any:
            if STATE.variable_creators and cls is Variable:
                given = inspect.signature(cls.__init__).bind(None, *args, **kwargs)
                given.apply_defaults()
                return _created(STATE.variable_creators, {k: v for k, v in given.arguments.items() if k != "self"})
            made = type.__call__(ResourceVariable if cls is Variable else cls, *args, **kwargs)
            if RESTORATIONS:
                become(made, awaiting(made.__class__))
            return made


def _created(creators: list[Callable[..., Any]], settings: dict[str, Any]) -> Any:
    """A variable as the innermost creator makes it, which may ask the one around it; the outermost asks tf.Variable."""
    if creators:
        return creators[-1](lambda **changed: _created(creators[:-1], changed), **settings)
    with scope(variable_creators=[]):
        return Variable(**settings)


@as_one_class
class Variable(PartialChanges, _Operators, metaclass=_VariableMeta):
    """A tensor-valued cell: read like a tensor, changed with `assign`.

    A tape follows trainable variables as soon as they are read in its context.

    >>> import gradtape as tf
    >>> v = tf.Variable([1.0, 2.0], name="v")
    >>> v.assign_add([1.0, 1.0])
    <tf.Variable 'UnreadVariable' shape=(2,) dtype=float32, numpy=array([2., 3.], dtype=float32)>

    Args:
        initial_value: A tensor, an array, a Python value, or a function without arguments that makes one.
        trainable: Whether tapes follow it without being told; True unless synchronization is ON_READ.
        validate_shape: Ignored; accepted for compatibility with TensorFlow.
        caching_device: Ignored; accepted for compatibility with TensorFlow.
        name: Shown in messages; "Variable" if it has none.
        variable_def: Ignored; accepted for compatibility with TensorFlow.
        dtype: The type to convert the initial value to.
        import_scope: Ignored; accepted for compatibility with TensorFlow.
        constraint: A function that optimizers apply after an update.
        synchronization: When replicas of `tf.distribute` bring their copies together.
        aggregation: How they do: by none of them, their sum, their mean, or the first one.
        shape: The shape it may have over time, such as `tf.TensorShape(None)`; by default that of the initial value.
        experimental_enable_variable_lifting: Ignored; accepted for compatibility with TensorFlow.

    Raises:
        ValueError: There is no initial value, or it does not fit `shape`.
    """

    __array_priority__ = 100
    _value: EagerTensor = AbsentValue()  # type: ignore[assignment]  # (every variable has its own)

    def __init__(
        self,
        initial_value: TensorLike | Function | None = None,
        trainable: bool | None = None,
        validate_shape: bool = True,
        caching_device: object = None,
        name: str | None = None,
        variable_def: object = None,
        dtype: DTypeLike | None = None,
        import_scope: object = None,
        constraint: Callable[[Any], Any] | None = None,
        synchronization: VariableSynchronization = VariableSynchronization.AUTO,
        aggregation: VariableAggregation = VariableAggregation.NONE,
        shape: ShapeLike | None = None,
        experimental_enable_variable_lifting: bool = True,
    ) -> None:
        trace = STATE.trace if ACTIVE else None
        if initial_value is None:
            raise ValueError("A variable needs an initial value, got None. Pass a tensor, an array or a function.")
        if constraint is not None and not callable(constraint):
            raise ValueError(f"The constraint must be callable, got {constraint!r}.")
        if trace is not None:
            trace.create_variable(self)
            initial_value = trace.initial_value(initial_value)
        elif callable(initial_value):
            initial_value = initial_value()
        requested = None if dtype is None else dtypes.as_dtype(dtype)
        value = to_tensor(initial_value, requested)
        if trainable is None:
            trainable = synchronization is not VariableSynchronization.ON_READ
        self._name = "/".join([*STATE.name_scopes, f"{name or 'Variable'}:0"])
        self._trainable = bool(trainable)
        self._constraint = constraint
        self._synchronization = synchronization
        self._aggregation = aggregation
        self._shape = TensorShape(value.shape if shape is None else shape)
        if not self._shape.is_compatible_with(value.shape):
            raise ValueError(f"The initial value has shape {value.shape}, which does not fit shape {self._shape}.")
        self._id = next_id()
        if ACTIVE and value._id:
            note_exit(value._id, "a new variable", self._id)
        self._value = value_of(self, value._array)

    # --- reading -------------------------------------------------------------------------------------------------

    def _read(self) -> EagerTensor:
        """The value, with the variable's own identity; tapes that follow accessed variables are told."""
        if ACTIVE:
            for reader in STATE.readers:
                reader._variable_read(self)
            if STATE.trace is not None:
                return STATE.trace.read(self)  # type: ignore[return-value]
        return self._value

    def _store(self, array: Array) -> None:
        value = from_array(array)
        value._id = self._id
        with LOCKS[self._id & MASK]:
            self._value = value

    def read_value(self) -> Tensor:
        """The value as a new tensor, with an identity of its own.

        >>> tf.Variable([1.0, 2.0]).read_value()
        <tf.Tensor: shape=(2,), dtype=float32, numpy=array([1., 2.], dtype=float32)>

        Returns:
            A tensor; a tape follows it back to the variable.
        """
        result: Tensor = conversion.identity.public(self._read())
        return result

    value = read_value

    def numpy(self) -> Any:
        """A copy of the value as a NumPy array. (To read it is to access it: a tape lists the variable as watched.)

        >>> tf.Variable([1.0, 2.0]).numpy()
        array([1., 2.], dtype=float32)

        Returns:
            An array; a NumPy scalar if the variable has no axes.
        """
        return self._accessed().numpy()

    def __array__(self, dtype: DTypeLike | None = None, copy: bool | None = None) -> Array:
        return self._accessed().__array__(dtype, copy)

    def _accessed(self) -> EagerTensor:
        return self._read() if ACTIVE and STATE.trace is None else self._value

    def sparse_read(self, indices: TensorLike, name: str | None = None) -> Tensor:
        """The rows with some numbers; their gradient is `tf.IndexedSlices`.

        >>> tf.Variable([[1, 2], [3, 4], [5, 6]]).sparse_read([2, 0]).numpy()
        array([[5, 6],
               [1, 2]], dtype=int32)

        Args:
            indices: The numbers: integers in any shape.
            name: Ignored; accepted for compatibility with TensorFlow.

        Returns:
            A tensor: the shape of `indices`, followed by that of a row.

        Raises:
            tf.errors.InvalidArgumentError: There is no such row.
        """
        return gather.take.public(self._read(), indices, 0, 0)

    @property
    def dtype(self) -> DType:
        """The type of the elements."""
        kind: DType = any_value(self).dtype
        return kind

    @property
    def shape(self) -> TensorShape:
        """The shape that was declared; see the constructor's `shape`."""
        return self._shape

    @property
    def ndim(self) -> int:
        """The number of axes of the present value."""
        return self._value.ndim

    def get_shape(self) -> TensorShape:
        """The same as `shape`.

        >>> tf.Variable([1.0, 2.0]).get_shape()
        TensorShape([2])

        Returns:
            A `tf.TensorShape`.
        """
        return self._shape

    @property
    def name(self) -> str:
        """The name, with TensorFlow's output number: "w:0"."""
        return self._name

    @property
    def initializer(self) -> None:
        """None: a variable has its value as soon as it exists."""
        return None

    def initialized_value(self) -> NoReturn:
        """Not there in TensorFlow 2: `read_value` gives the value.

        Raises:
            NotImplementedError: Always: it is of TensorFlow 1. `read_value()` reads the value.
        """
        raise NotImplementedError(
            "initialized_value is of TensorFlow 1. Use read_value(): a variable always has a value."
        )

    @property
    def _shared_name(self) -> str:
        return self._name[:-2]

    @property
    def trainable(self) -> bool:
        """Whether tapes follow it without being told."""
        return self._trainable

    @property
    def constraint(self) -> Callable[[Any], Any] | None:
        """The function that optimizers apply after an update."""
        return self._constraint

    @property
    def synchronization(self) -> VariableSynchronization:
        """As given to the constructor."""
        return self._synchronization

    @property
    def aggregation(self) -> VariableAggregation:
        """As given to the constructor."""
        return self._aggregation

    @property
    def device(self) -> str:
        """Where the value is, or belongs that was made in a scope of `tf.device`: the CPU where there is no other device."""
        found = self.__dict__.get(MADE_FOR)
        return self._value.device if found is None else str(found.name)

    @property
    def initial_value(self) -> NoReturn:
        """Not kept."""
        raise RuntimeError("This property is not supported when eager execution is enabled.")

    def is_initialized(self, name: str | None = None) -> Tensor:
        """Always True.

        >>> bool(tf.Variable(1.0).is_initialized())
        True

        Args:
            name: Ignored; accepted for compatibility with TensorFlow.

        Returns:
            A truth value, as a tensor.
        """
        return from_array(np.array(True))

    @property
    def handle(self) -> Variable:
        """The variable itself: there is no separate resource."""
        return self

    def ref(self) -> Reference:
        """A hashable stand-in for dicts and sets; `.deref()` gives the variable back.

        >>> v = tf.Variable(1.0)
        >>> slots = {v.ref(): "momentum"}
        >>> slots[v.ref()]
        'momentum'

        Returns:
            A reference, equal for the very same variable only.
        """
        return Reference(self)

    def experimental_ref(self) -> Reference:
        """The same as `ref`.

        >>> v = tf.Variable(1.0)
        >>> v.experimental_ref().deref() is v
        True

        Returns:
            A reference, equal for the very same variable only.
        """
        return self.ref()

    def set_shape(self, shape: ShapeLike) -> None:
        """Narrow the declared shape.

        >>> v = tf.Variable([1.0, 2.0], shape=tf.TensorShape(None))
        >>> v.set_shape([None])
        >>> v.shape
        TensorShape([None])

        Args:
            shape: What is known of it besides.

        Raises:
            ValueError: It contradicts the declared one.
        """
        self._shape = self._shape.merge_with(shape)

    # --- assignment ----------------------------------------------------------------------------------------------

    @changes
    def assign(
        self, value: TensorLike, use_locking: bool = False, name: str | None = None, read_value: bool = True
    ) -> Variable:
        """Replace the value. Gradients already recorded keep the value that was read; the assigned tensor is not followed.

        >>> v = tf.Variable(1.0)
        >>> v.assign(5.0).numpy()
        np.float32(5.0)

        Args:
            value: A tensor, or what can become one, of this variable's type and of a shape it may have.
            use_locking: Not used: a change is never seen in part.
            name: Ignored; accepted for compatibility with TensorFlow.
            read_value: Whether the variable is returned, or None.

        Returns:
            The variable.

        Raises:
            ValueError: The shape or the type is another.
        """
        self._store(self._checked(value))
        return self._after(read_value)

    @changes
    def assign_add(
        self, delta: object, use_locking: bool = False, name: str | None = None, read_value: bool = True
    ) -> Variable:
        """Add to the value.

        >>> v = tf.Variable([1.0, 2.0])
        >>> v.assign_add([10.0, 20.0]).numpy()
        array([11., 22.], dtype=float32)

        Args:
            delta: What is added: a tensor of this variable's type and shape.
            use_locking: Not used: a change is never seen in part.
            name: Ignored; accepted for compatibility with TensorFlow.
            read_value: Whether the variable is returned, or None.

        Returns:
            The variable.

        Raises:
            tf.errors.InvalidArgumentError: The shape is another; nothing broadcasts here.
        """
        self._move(np.add, elementwise.add.large, delta)
        return self._after(read_value)

    @changes
    def assign_sub(
        self, delta: object, use_locking: bool = False, name: str | None = None, read_value: bool = True
    ) -> Variable:
        """Subtract from the value.

        >>> v = tf.Variable([1.0, 2.0])
        >>> v.assign_sub([0.5, 0.5]).numpy()
        array([0.5, 1.5], dtype=float32)

        Args:
            delta: What is subtracted: a tensor of this variable's type and shape.
            use_locking: Not used: a change is never seen in part.
            name: Ignored; accepted for compatibility with TensorFlow.
            read_value: Whether the variable is returned, or None.

        Returns:
            The variable.

        Raises:
            tf.errors.InvalidArgumentError: The shape is another; nothing broadcasts here.
        """
        self._move(np.subtract, elementwise.subtract.large, delta)
        return self._after(read_value)

    def _move(self, function: np.ufunc, large: Any, by: Any) -> None:
        """Store a function of the value and a tensor; a large one in place, if nothing else refers to its memory."""
        if by.__class__ is not EagerTensor or by._array.dtype != any_value(self)._array.dtype:
            by = to_tensor(by, self.dtype)
        if ACTIVE and by._id:
            note_exit(by._id, "assign", self._id)
        delta: Array = by._array
        size = delta.size
        if size < thresholds.IN_PLACE_ELEMENTS:
            with LOCKS[self._id & MASK]:
                present = self._value._array
                if present.shape != delta.shape:
                    raise self._another_shape(present, delta)
                value = from_array(function(present, delta))
                value._id = self._id
                self._value = value
            return

        def compute(arrays: list[Any], own: list[bool]) -> None:
            (present,) = arrays
            if present.shape != delta.shape:
                raise self._another_shape(present, delta)
            if not own[0]:
                arrays[0] = (function if size < thresholds.EXACT_ELEMENTS else large)(present, delta)
            elif size < thresholds.EXACT_ELEMENTS or not large.into(present, delta):
                function(present, delta, out=present)

        changed((self,), [None], compute)

    def _after(self, read_value: bool) -> Variable | MaybeNone:
        return self._unread() if read_value else None

    def _unread(self) -> _UnreadVariable:
        unread: _UnreadVariable = object.__new__(_UnreadVariable)
        unread.__dict__ = self.__dict__  # the same cell: one value, one identity
        return unread

    def _checked(self, value: TensorLike) -> Array:
        """The array to assign: of this variable's type, and of a shape it may have."""
        if isinstance(value, EagerTensor):
            tensor: Any = value
        elif isinstance(value, np.ndarray) or not isinstance(value, (Tensor, Variable)):
            tensor = to_tensor(value, self.dtype)
        else:
            tensor = to_tensor(value)
        if ACTIVE and tensor._id:
            note_exit(tensor._id, "assign", self._id)
        array: Array = tensor._array
        now = any_value(self)
        # (What is on a device is not fetched for that: of several processes none may have all of it.)
        present: Any = now._array if now.__class__ is EagerTensor else now
        if array.dtype != (present.dtype if present is not now else now.dtype.numpy):
            to_tensor(tensor, self.dtype)  # raises, with the usual words
        if array.shape != present.shape and not self._shape.is_compatible_with(array.shape):
            raise unfit(
                f"Cannot assign value to variable '{self._name}': Shape mismatch. The variable shape {self._shape}, "
                f"and the assigned value shape {array.shape} are incompatible. "
                "A variable that takes several shapes is made with them: tf.Variable(value, shape=[None])."
            )
        return array

    def _another_shape(self, present: Array, delta: Array) -> Exception:
        """The error for a shape that would have to broadcast."""
        return invalid(
            f"Cannot update variable '{self._name}' of shape {present.shape} with a value of shape {delta.shape}."
        )

    def gather_nd(self, indices: TensorLike, name: str | None = None) -> Tensor:
        """The elements at some places; the tape follows them.

        >>> tf.Variable([[1, 2], [3, 4]]).gather_nd([[0, 1], [1, 1]]).numpy()
        array([2, 4], dtype=int32)

        Args:
            indices: Places: integers, the last axis of which holds one index, of an element or of a whole part.
            name: Ignored; accepted for compatibility with TensorFlow.

        Returns:
            A tensor: the shape of `indices` without its last axis, followed by that of a part.

        Raises:
            tf.errors.InvalidArgumentError: There is no such place.
        """
        return gather.take_nd.public(self._read(), indices, 0)

    def count_up_to(self, limit: int) -> NoReturn:
        """Not available in TensorFlow 2.

        Args:
            limit: Ignored: the method always raises.

        Raises:
            AttributeError: Always.
        """
        raise AttributeError("count_up_to does not exist in TensorFlow 2; use assign_add and compare.")

    # --- Python --------------------------------------------------------------------------------------------------

    if TYPE_CHECKING:  # attached in variables/operators.py

        def __getitem__(self, key: IndexLike | tuple[IndexLike, ...]) -> VariablePart: ...

    def __len__(self) -> int:
        return len(self._value)

    def __bool__(self) -> bool:
        return bool(self._value)

    def __float__(self) -> float:
        return float(self._value)

    def __int__(self) -> int:
        return int(self._value)

    def __complex__(self) -> complex:
        return complex(self._value)

    def __index__(self) -> int:
        return self._value.__index__()

    def __iadd__(self, value: TensorLike) -> NoReturn:
        raise _not_in_place("+=", "assign_add(value)")

    def __isub__(self, value: TensorLike) -> NoReturn:
        raise _not_in_place("-=", "assign_sub(value)")

    def __imul__(self, value: TensorLike) -> NoReturn:
        raise _not_in_place("*=", "assign(variable * value)")

    def __itruediv__(self, value: TensorLike) -> NoReturn:
        raise _not_in_place("/=", "assign(variable / value)")

    def __ipow__(self, value: TensorLike) -> NoReturn:
        raise _not_in_place("**=", "assign(variable ** value)")

    def __hash__(self) -> NoReturn:
        raise TypeError(f"Variable is unhashable. Instead, use variable.ref() as the key. (Variable: {self!r})")

    def __copy__(self) -> Variable:
        return self.__deepcopy__({})

    def __deepcopy__(self, memo: dict[int, Any]) -> Variable:
        twin = object.__new__(type(self))
        memo[id(self)] = twin
        for name, value in self.__dict__.copy().items():
            if name not in VALUE_SLOTS:
                setattr(twin, name, copy.deepcopy(value, memo))
        twin._id = next_id()
        twin._store(np.array(self._value._array))
        return twin

    def __reduce__(self) -> tuple[Any, ...]:
        return _restore, (
            type(self),
            np.asarray(self._value._array),
            self._name,
            self._trainable,
            self._shape,
            self._synchronization,
            self._aggregation,
        )

    def _notebook_form(self) -> Form:
        facts = (
            ("shape", str(self.shape)),
            ("dtype", self.dtype.name),
            *(() if self.trainable else (("", "not trainable"),)),
        )
        return Form(f"tf.Variable '{getattr(self, 'path', self.name)}'", facts, self._value._array)

    _repr_html_ = in_notebook

    def __repr__(self) -> str:
        value = describe_value(self._value._array)
        return f"<tf.Variable '{self.name}' shape={self._shape} dtype={self.dtype.name}, numpy={value}>"

    def __format__(self, spec: str) -> str:
        return format(self._value, spec) if self._value.ndim == 0 and spec else format(str(self), spec)


class ResourceVariable(Variable):
    """What `tf.Variable(...)` makes."""


read_inline(ResourceVariable)
name_functions_elsewhere(Variable)


class _UnreadVariable(Variable):
    """What an assignment returns: the variable itself, to go on with."""

    @property
    def name(self) -> str:
        """TensorFlow's name for it."""
        return "UnreadVariable"


def _not_in_place(operator: str, method: str) -> RuntimeError:
    """The error for `+=` and the like, which would rebind the name to a tensor and leave the variable unchanged."""
    return RuntimeError(
        f"`variable {operator} value` is not supported for tf.Variable. Use `variable.{method}` to change the variable, or "
        f"`out = variable {operator.removesuffix('=')} value` for a new tensor."
    )


def _restore(cls: type, array: Array, name: str, *rest: object) -> Variable:
    variable: Variable = object.__new__(cls)
    trainable, shape, synchronization, aggregation = rest
    variable.__dict__.update(
        _name=name,
        _trainable=trainable,
        _constraint=None,
        _synchronization=synchronization,
        _aggregation=aggregation,
        _shape=shape,
        _id=next_id(),
    )
    variable._store(array)
    return variable


# Pickles of earlier versions look for this name here.
__getattr__ = on_first_use(globals(), homes(__name__, {"variables.spec": "VariableSpec"}))

name_errors(Variable, "sparse_read", "gather_nd")
