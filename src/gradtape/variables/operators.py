"""Python's operators, indexing and iteration on tensors and variables."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from sys import _getframe
from typing import Any, NoReturn

import numpy as np

from ..base import dtypes
from ..base.context import ACTIVE, STATE, next_id
from ..base.dtypes import DType
from ..base.errors import InvalidArgumentError, invalid
from ..base.frames import is_ours, user_frame
from ..base.notes import CUTS, SPANS, note_shadow
from ..base.shapes import broadcast
from ..base.sizes import Size
from ..base.traceable import shaped, traceable
from ..base.types import TensorLike, Value
from ..op.abstract import Abstract
from ..op.attributes import as_int
from ..op.call import apply
from ..op.declaration import Op
from ..op.entry import OPERATORS, public_entry
from ..ops import public
from ..ops.array import gather, index, layout, masks
from ..ops.linalg.products import matmul
from ..ops.math import conversion, logic
from ..ops.math import elementwise as e
from ..ops.public import divide as realdiv
from ..values.composite import OPERANDS
from ..values.tensor import PACK_LIST, EagerTensor, Tensor, to_tensor
from .part import SliceAssigner
from .variable import ResourceVariable, Variable

# --- operands of other libraries ---------------------------------------------------------------------------------------


def _asked(name: str, x: object, y: object, error: Exception) -> Any:
    """`x + y` by `y.__radd__`, where y is no tensor and cannot become one, as TensorFlow does it; else the error."""
    reflected = getattr(type(y), name, None)
    known = isinstance(y, (Tensor, Variable)) or type(y).__module__.partition(".")[0] in ("builtins", "numpy")
    if reflected is None or known:
        raise error
    try:
        result = reflected(y, x)
    except (TypeError, ValueError):
        result = NotImplemented
    if result is NotImplemented:
        raise error
    return result


def _asking(op: Op, name: str, general: Any = apply) -> Any:
    """The entry of an op as an operator: it asks an operand of a foreign class, by its reflected method, before it refuses it."""

    def apply_or_ask(op: Op, args: tuple[Any, ...], attributes: dict[str, Any]) -> Any:
        try:
            return general(op, args, attributes)
        except (TypeError, ValueError) as error:
            return _asked(name, args[0], args[1], error)

    entry = public_entry(op)
    entry.__globals__["apply"] = apply_or_ask
    return entry


# --- division: integers divide as floats, as in TensorFlow ------------------------------------------------------------

_DIVIDED_AS = {
    dtypes.int8: dtypes.float32, dtypes.uint8: dtypes.float32, dtypes.int16: dtypes.float32, dtypes.uint16: dtypes.float32,
    dtypes.int32: dtypes.float64, dtypes.uint32: dtypes.float64, dtypes.int64: dtypes.float64, dtypes.uint64: dtypes.float64,
}  # fmt: skip


def truediv(x: object, y: object, name: str | None = None) -> Tensor:
    """x / y; integers are divided as floats.

    >>> import gradtape as tf
    >>> (tf.constant(3) / tf.constant(2)).numpy()
    np.float64(1.5)

    Args:
        x: A tensor.
        y: A tensor.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor of floating type: float64 for 32 and 64-bit integers, float32 for shorter ones.
    """
    return realdiv(*as_divisible(x, y))


def as_divisible(x: object, y: object) -> tuple[Any, Any]:
    """Two operands of a division: integers as the floats that they are divided as, anything else as it is."""
    dtype = _integer_type(x, y)
    if dtype is None:
        return x, y
    target = _DIVIDED_AS[dtype].numpy
    one, other = (value if value.__class__ in OPERANDS else to_tensor(value, dtype) for value in (x, y))
    return conversion.convert.public(one, target), conversion.convert.public(other, target)


def _integer_type(x: object, y: object) -> DType | None:
    """The integer type of the first tensor among the operands, or of Python integers."""
    given: Any = next((v for v in (x, y) if isinstance(v, (Tensor, Variable)) or v.__class__ in OPERANDS), None)
    dtype: DType = to_tensor(x).dtype if given is None else given.dtype
    return dtype if dtype in _DIVIDED_AS else None


def _truediv(x: Tensor, y: TensorLike) -> Any:
    try:
        return truediv(x, y) if x.dtype in _DIVIDED_AS else realdiv(x, y)
    except (TypeError, ValueError) as error:
        return _asked("__rtruediv__", x, y, error)


def _rtruediv(x: Tensor, y: TensorLike) -> Any:
    return truediv(y, x) if x.dtype in _DIVIDED_AS else realdiv(y, x)


OPERATORS.update(function.__code__ for function in (truediv, _truediv, _rtruediv))

# --- comparison ------------------------------------------------------------------------------------------------------


def _comparable(x: Any, y: object) -> bool:
    """Whether two values can be compared element by element; values of other shapes, and None, are simply different."""
    if y is None:
        return False
    tensor = to_tensor(y, None if isinstance(y, (Tensor, Variable)) else x.dtype)
    return broadcast(tuple(to_tensor(x).shape), tuple(tensor.shape)) is not None


def _equal(x: Tensor, y: Tensor) -> Any:
    if y.__class__ is EagerTensor and x.__class__ is EagerTensor and x._array.shape == y._array.shape:
        return logic.equal.public(x, y)
    if ACTIVE and STATE.trace is not None:
        return STATE.trace.composite(_traced_equal, (x, y), {})
    return _equal_values(x, y)


def _equal_values(x: object, y: object) -> Any:
    if not _comparable(x, y):
        return False if y is None else logic.equal.public(False, True)
    return logic.equal.public(x, y)


def _not_equal(x: TensorLike, y: TensorLike) -> Any:
    if ACTIVE and STATE.trace is not None:
        return STATE.trace.composite(_traced_not_equal, (x, y), {})
    return _not_equal_values(x, y)


def _not_equal_values(x: object, y: object) -> Any:
    if not _comparable(x, y):
        return True if y is None else logic.equal.public(True, True)
    return logic.not_equal.public(x, y)


_traced_equal, _traced_not_equal = traceable(_equal_values), traceable(_not_equal_values)

# --- logic -----------------------------------------------------------------------------------------------------------


def _bitwise(name: str, logical: Any) -> Any:
    def operator(x: Value, y: TensorLike) -> Any:
        if x.dtype == dtypes.bool:
            return logical.public(x, y)
        return getattr(public, name)(x, y)

    return operator


def _invert(x: Any) -> Any:
    if x.dtype.is_integer:
        return public.invert(x)
    return logic.logical_not.public(x)


# --- indexing --------------------------------------------------------------------------------------------------------


_INDEX_TYPES = (dtypes.int16, dtypes.int32, dtypes.int64)


def getitem(x: TensorLike, key: object) -> Any:
    """x[key] for tensors, with the key read as TensorFlow reads it. Arrays of positions or truth values pick elements."""
    if ACTIVE:
        if STATE.trace is not None:
            return STATE.trace.composite(_traced_getitem, (x, key), {})
        if key.__class__ is not int and STATE.tapes:
            return _noted(_getitem, x, key)
    if key.__class__ is int:
        return _item(x, (key,))
    return _getitem(x, key)


_item = public_entry(index.getitem, behind=True)


def _noted(function: Any, x: Any, y: Any) -> Any:
    """Call the function of an operator; what a tape records of it leads to the line that the operator is on."""
    first = next_id()
    result = function(x, y)
    frame = _getframe(2)
    if is_ours(frame):
        frame = user_frame(2)
    SPANS.append((first, next_id(), "", frame.f_code, frame.f_lasti))
    return result


def _any_item(x: object, key: object) -> Any:
    return _item(x, (key,)) if key.__class__ is int else _getitem(x, key)


def _getitem(x: Any, key: Any) -> Any:
    if key.__class__ is int or key.__class__ is slice:
        return index.getitem.public(x, canonical_key((key,)))
    if key.__class__ is not tuple and _is_mask(key):
        return _masked(to_tensor(x), to_tensor(key))
    parts = _parts(key)
    if any(map(_is_unknown, parts)):
        x, parts = _taken(to_tensor(x), parts)
    canonical = canonical_key(parts)
    if canonical is not None:
        return index.getitem.public(x, canonical)
    return _advanced(x, tuple(part if _is_array(part) else _plain(part) for part in parts))


_traced_getitem = traceable(_getitem)


def numpy_getitem(x: TensorLike, key: object) -> Any:
    """x[key] for tensors, with the key read as NumPy reads it: lists pick elements too."""
    if ACTIVE and STATE.trace is not None:
        return STATE.trace.composite(_traced_numpy_getitem, (x, key), {})
    return _numpy_getitem(x, key)


def _numpy_getitem(x: Any, key: Any) -> Any:
    if _is_unknown_mask(key):
        return _masked(to_tensor(x), key)
    parts: Sequence[Any] = key if key.__class__ is tuple else (key,)
    if any(map(_is_unknown, parts)):
        x, parts = _taken(to_tensor(x), parts)
    return index.getitem.public(x, canonical_key(parts)) if all(map(_is_basic, parts)) else _advanced(x, parts)


_traced_numpy_getitem = traceable(_numpy_getitem)


def _parts(key: Any) -> Sequence[Any]:
    """The parts of a key. A list is a tuple: `x[[0, 1]]` is `x[0, 1]`."""
    return key if isinstance(key, (tuple, list)) else (key,)


def canonical_key(parts: Sequence[Any]) -> tuple[Any, ...] | None:
    """The parts of a key as integers, slices, None and Ellipsis; None where there are arrays among them."""
    result: list[Any] = []
    for part in parts:
        if part is None or part is Ellipsis or part.__class__ is int:
            result.append(part)
        elif part.__class__ is slice:
            result.append(slice(_bound(part.start), _bound(part.stop), _bound(part.step)))
        elif _is_array(part):
            return None
        else:  # TensorFlow gives all positions the type of the first: True is an error in the first place, and 1 in later ones
            result.append(_position(part) if result else _integer(part))
    return tuple(result)


def _is_mask(key: object) -> bool:
    return key.__class__ is bool or (isinstance(key, (Tensor, np.ndarray)) and key.dtype == dtypes.bool)


def _is_array(part: object) -> bool:
    """Whether a part of a key is an array of positions or truth values."""
    if not isinstance(part, (Tensor, Variable, np.ndarray)) or not part.ndim:
        return False
    dtype = dtypes.as_dtype(part.dtype)
    return dtype.is_integer or dtype.is_bool


def _is_basic(part: object) -> bool:
    """Whether a part of a key picks no elements in NumPy's sense: no list, no array, no truth value."""
    if isinstance(part, (Tensor, Variable, np.ndarray)):
        return not part.ndim and dtypes.as_dtype(part.dtype) in _INDEX_TYPES
    return (
        part is None or part is Ellipsis or (isinstance(part, (int, np.integer, slice)) and part.__class__ is not bool)
    )


def _plain(part: object) -> Any:
    """A part of a key that is no array, with integers of any kind as Python's."""
    if part is None or part is Ellipsis or part.__class__ is int:
        return part
    if part.__class__ is slice:
        return slice(_bound(part.start), _bound(part.stop), _bound(part.step))
    return _position(part)


def _bound(value: object) -> int | None:
    return value if value is None or value.__class__ is int else _integer(value)


def _integer(value: object) -> int:
    if value.__class__ is bool:
        raise invalid(f"An index must be an integer, got {value!r}. A mask is a boolean tensor or array: x[mask].")
    return _position(value)


def _position(value: object) -> int:
    """A Python or NumPy integer, or a scalar of a type that TensorFlow takes as an index."""
    if isinstance(value, (int, np.integer)):
        return int(value)
    if (
        not isinstance(value, (Tensor, Variable, np.ndarray))
        or value.ndim
        or dtypes.as_dtype(value.dtype) not in _INDEX_TYPES
    ):
        raise TypeError(
            f"Only integers, slices (`:`), ellipsis (`...`), tf.newaxis (`None`) and scalar tf.int32/tf.int64 tensors are "
            f"valid indices, got {value!r}. Rows at several positions: tf.gather(x, positions)."
        )
    return as_int(to_tensor(value))


def _is_unknown(part: object) -> bool:
    """Whether an index is an integer tensor whose value is not known: a batched one, or one of a traced function."""
    if not isinstance(part, Tensor) or part.__class__ is EagerTensor:
        return False
    return part.dtype.is_integer


def _is_unknown_mask(key: object) -> bool:
    """Whether an index is a mask of a traced function (in a batch, each entry would have another number of elements)."""
    if not isinstance(key, Tensor) or key.__class__ is EagerTensor or hasattr(key, "is_batched"):
        return False
    return key.dtype == dtypes.bool


def _masked(x: Value, mask: Any) -> Any:
    """The elements (or slices) where a mask is true."""
    if not mask.ndim:
        raise ValueError("A mask cannot be a scalar. To add an axis use x[None].")
    if tuple(x.shape[: mask.ndim]) != tuple(mask.shape):
        raise ValueError(f"A mask of shape {mask.shape} does not fit a tensor of shape {x.shape}.")
    if _is_unknown_mask(mask):  # its positions are looked up first
        return gather.take_nd.public(x, masks.nonzero.public(mask), 0)
    result = index.pick.public(x, (np.asarray(mask._array),))
    if CUTS:
        note_shadow(gather.take_nd, (mask,), (result,))
    return result


def _taken(x: object, key: Sequence[Any]) -> tuple[Any, Sequence[Any]]:
    """Look up what is at unknown indices; the tensor and the parts of the key that are left."""
    parts = list(key)
    places = [place for place, part in enumerate(parts) if _is_unknown(part)]
    if len(places) > 1 and any(parts[place].ndim for place in places):
        raise NotImplementedError("Several index tensors at once need known values: use tf.gather_nd.")
    x = conversion.identity.public(x)  # the gradient of an index is dense, that of a lookup is not
    for place in reversed(places):
        axis = sum(1 for part in parts[:place] if part is not None and part is not Ellipsis)
        if Ellipsis in [part for part in parts[:place] if part.__class__ is type(Ellipsis)]:
            axis = x.ndim - sum(1 for part in parts[place:] if part is not None)
        position = parts[place]
        size = x.shape[axis]
        wrapped = position
        if not isinstance(size, Size):
            wrapped = logic.select.public(logic.less.public(position, 0), e.add.public(position, size), position)
        x = gather.take.public(x, wrapped, axis, 0)
        parts[place : place + 1] = [slice(None)] * position.ndim
    return x, tuple(parts)


def _advanced(x: Value, parts: Sequence[Any]) -> Any:
    """Boolean masks, and integer arrays as NumPy reads them."""
    arrays: list[Any] = []
    for part in parts:
        if part is None or part is Ellipsis or isinstance(part, (int, slice)):
            arrays.append(part)
            continue
        array = np.asarray(to_tensor(part)._array) if not isinstance(part, (bool, np.bool_)) else np.asarray(part)
        if array.dtype.kind not in "iub":
            raise TypeError(
                f"Only integers, slices (`:`), ellipsis (`...`), tf.newaxis (`None`) and integer or boolean tensors are valid "
                f"indices, got {part!r}"
            )
        arrays.append(array)
    first = arrays[0]
    if isinstance(first, np.ndarray) and first.dtype.kind == "b" and tuple(x.shape[: first.ndim]) != first.shape:
        raise ValueError(f"A mask of shape {first.shape} does not fit a tensor of shape {x.shape}.")
    result = index.pick.public(x, tuple(arrays))
    if CUTS:  # (positions are an attribute of that op, not operands)
        note_shadow(gather.take_nd, [part for part in parts if isinstance(part, Tensor)], (result,))
    return result


def _variable_getitem(variable: Variable, key: object) -> Any:
    value = variable._read()
    part = _noted(_any_item, value, key) if ACTIVE and STATE.tapes and STATE.trace is None else getitem(value, key)
    assigner = SliceAssigner(variable, (key,) if key.__class__ is int else _assigned_key(key))
    part.assign, part.assign_add, part.assign_sub = assigner.assign, assigner.assign_add, assigner.assign_sub
    return part


def _assigned_key(key: object) -> Any:
    """A key as NumPy reads it in an assignment; tensors of a traced function stay in it until the function runs."""
    if key.__class__ is slice:
        parts: tuple[Any, ...] = (key,)
    elif _is_mask(key):
        return key
    else:
        parts = tuple([int(part) if part.__class__ is bool else part for part in _parts(key)])
    canonical = None if ACTIVE and STATE.trace is not None else canonical_key(parts)
    return parts if canonical is None else canonical


def _iterate(x: Any) -> Iterator[Any]:
    if not x.ndim:
        raise TypeError("Cannot iterate over a scalar tensor.")
    return iter(index_rows(x))


def index_rows(x: Sequence[TensorLike]) -> Iterator[Any]:
    """The slices along the first axis, one at a time."""
    for position in range(len(x)):
        yield _item(to_tensor(x), (position,))


# --- lists that contain tensors --------------------------------------------------------------------------------------


def _pack(values: Sequence[TensorLike], dtype: DType | None) -> Tensor:
    """A nested list with tensors in it as one tensor; the tape follows the parts."""
    given = dtype
    if dtype is None:
        dtype = _first_type(values)
    parts = [
        _pack(v, dtype) if isinstance(v, (list, tuple)) else to_tensor(v, None if isinstance(v, Tensor) else dtype)
        for v in values
    ]
    kinds = {part.dtype.is_floating for part, v in zip(parts, values, strict=True) if isinstance(v, (Tensor, Variable))}
    # TensorFlow casts what is in the list, though never a tensor by itself, nor tensors of integers beside floats.
    if given is not None and len(kinds) < 2:
        parts = [part if part.dtype == given else conversion.convert.public(part, given.numpy) for part in parts]
    try:
        result: Tensor = layout.stack.public(parts)
    except InvalidArgumentError as error:
        if isinstance(error, TypeError):
            raise
        raise InvalidArgumentError(None, None, f"convert_to_tensor of a list: {error}") from None
    return result


def _first_type(values: Sequence[TensorLike]) -> DType | None:
    for value in values:
        if isinstance(value, (Tensor, Variable)):
            return value.dtype
        if isinstance(value, (list, tuple)):
            found = _first_type(value)
            if found is not None:
                return found
    return None


PACK_LIST.append(_pack)


def matmul_operator(a: TensorLike, b: TensorLike) -> Any:
    """a @ b; a vector on either side is a row or a column, as in NumPy."""
    if a.__class__ in OPERANDS or b.__class__ in OPERANDS:
        return matmul.public(a, b)
    if ACTIVE and STATE.trace is not None:
        return STATE.trace.composite(_traced_matmul, (a, b), {})
    return _matmul(a, b)


def _product_look(a: object, b: object) -> Abstract:
    """Where a rank is unknown: operands of one axis give fewer."""
    return Abstract(None, next(value.dtype.numpy for value in (a, b) if isinstance(value, Tensor)))


@shaped(_product_look)
def _matmul(a: Any, b: Any) -> Any:
    a, b = (
        to_tensor(a, None if isinstance(a, (Tensor, Variable)) else b.dtype),
        to_tensor(b, None if isinstance(b, (Tensor, Variable)) else a.dtype),
    )
    if a.ndim >= 2 and b.ndim >= 2:
        return matmul.public(a, b)
    if not (a.ndim and b.ndim):
        raise invalid(f"matmul: operands need at least one axis, got shapes {a.shape} and {b.shape}.")
    left = layout.expand_dims.public(a, 0) if a.ndim == 1 else a
    right = layout.expand_dims.public(b, -1) if b.ndim == 1 else b
    product = matmul.public(left, right)
    axes = ([-2] if a.ndim == 1 else []) + ([-1] if b.ndim == 1 else [])
    return layout.squeeze.public(product, tuple(axes))


_traced_matmul = traceable(_matmul)


def _reflected_matmul(b: TensorLike, a: TensorLike) -> Any:
    return _noted(matmul_operator, a, b) if ACTIVE and STATE.tapes else matmul_operator(a, b)


_product = public_entry(matmul, behind=True)


def _fast_matmul(a: Tensor, b: Any) -> Any:
    if b.__class__ is ResourceVariable:
        b = b._read()
    if a.__class__ is EagerTensor and b.__class__ is EagerTensor and a._array.ndim >= 2 and b._array.ndim >= 2:
        return _product(a, b)
    try:
        return _noted(matmul_operator, a, b) if ACTIVE and STATE.tapes else matmul_operator(a, b)
    except (TypeError, ValueError) as error:
        return _asked("__rmatmul__", a, b, error)


# --- products: truth values multiply as logical and, through the operator only ----------------------------------------


def _multiply_generally(op: Any, args: tuple[Any, ...], attributes: dict[str, Any]) -> Any:
    """The general path of `x * y`; its entry treats the usual types inline."""
    x, y = args
    if x.dtype is dtypes.bool:
        other = to_tensor(y)
        if other.dtype is not dtypes.string:
            return logic.logical_and.public(x, conversion.convert.public(other, np.dtype(np.bool_)))
    return apply(op, args, attributes)


def _multiply_reflected(op: Any, args: tuple[Any, ...], attributes: dict[str, Any]) -> Any:
    """The general path of `y * x` where y is no tensor: it takes the type of x."""
    y, x = args
    if x.dtype is dtypes.bool:
        return logic.logical_and.public(to_tensor(y, dtypes.bool), x)
    return apply(op, args, attributes)


multiply_operator = _asking(e.multiply, "__rmul__", _multiply_generally)
_reflected_multiply = public_entry(e.multiply, reflected=True)
_reflected_multiply.__globals__["apply"] = _multiply_reflected

# --- attaching -------------------------------------------------------------------------------------------------------

_OPERATORS: dict[str, Any] = {
    "__add__": _asking(e.add, "__radd__"),
    "__radd__": public_entry(e.add, reflected=True),
    "__sub__": _asking(e.subtract, "__rsub__"),
    "__rsub__": public_entry(e.subtract, reflected=True),
    "__mul__": multiply_operator,
    "__rmul__": _reflected_multiply,
    "__truediv__": _truediv,
    "__rtruediv__": _rtruediv,
    "__floordiv__": _asking(e.floordiv, "__rfloordiv__"),
    "__rfloordiv__": public_entry(e.floordiv, reflected=True),
    "__mod__": _asking(e.floormod, "__rmod__"),
    "__rmod__": public_entry(e.floormod, reflected=True),
    "__pow__": _asking(e.pow, "__rpow__"),
    "__rpow__": public_entry(e.pow, reflected=True),
    "__matmul__": _fast_matmul,
    "__rmatmul__": _reflected_matmul,
    "__neg__": e.negative.public,
    "__pos__": conversion.identity.public,
    "__abs__": e.abs.public,
    "__lt__": logic.less.public,
    "__le__": logic.less_equal.public,
    "__gt__": logic.greater.public,
    "__ge__": logic.greater_equal.public,
    "__eq__": _equal,
    "__ne__": _not_equal,
    "__and__": _bitwise("bitwise_and", logic.logical_and),
    "__rand__": _bitwise("bitwise_and", logic.logical_and),
    "__or__": _bitwise("bitwise_or", logic.logical_or),
    "__ror__": _bitwise("bitwise_or", logic.logical_or),
    "__xor__": _bitwise("bitwise_xor", logic.logical_xor),
    "__rxor__": _bitwise("bitwise_xor", logic.logical_xor),
    "__invert__": _invert,
    "__iter__": _iterate,
}

for _name, _operator in _OPERATORS.items():
    setattr(Tensor, _name, _operator)
    setattr(Variable, _name, _operator)


def _refuse_assignment(self: object, key: object, value: object) -> NoReturn:
    repair = (
        "Write v[key].assign(value)."
        if isinstance(self, Variable)
        else "A tensor never changes: use tf.tensor_scatter_nd_update(x, indices, updates), or a tf.Variable and "
        "v[key].assign(value)."
    )
    raise TypeError(f"'{type(self).__name__}' object does not support item assignment. {repair}")


setattr(Tensor, "__getitem__", getitem)  # noqa: B010 - a type checker sees the declarations in values/tensor.py
setattr(Variable, "__getitem__", _variable_getitem)  # noqa: B010
for _class in (Tensor, Variable):
    setattr(_class, "__setitem__", _refuse_assignment)  # noqa: B010 - for a type checker there is none
# Operators that TensorFlow lets other classes take over, and `__div__` of Python 2, which it still names.
_NOT_OVERLOADED = {"__iter__", "__pos__"}
setattr(  # noqa: B010
    Tensor, "OVERLOADABLE_OPERATORS", {*_OPERATORS, "__getitem__", "__div__", "__rdiv__"} - _NOT_OVERLOADED
)
