"""`keras.Variable` on gradtape: a Keras variable that is also a gradtape variable, so that tapes follow it."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
from keras.src.backend.common import KerasVariable
from keras.src.backend.common.global_state import get_global_attribute
from keras.src.backend.common.stateless_scope import in_stateless_scope
from keras.src.backend.common.variables import is_float_dtype, standardize_dtype

import gradtape
from gradtape.base.context import ACTIVE, STATE, next_id
from gradtape.base.dtypes import as_dtype
from gradtape.native.abi import become
from gradtape.trace import outside_traces
from gradtape.variables.in_place import lock_of
from gradtape.variables.variable import VALUE_SLOTS
from keras_gradtape.distribution_lib import backend_layout, distribution
from keras_gradtape.ops.core import cast, convert_to_tensor


class TypeName(str):
    """A dtype name, as Keras uses them, with the attributes of a gradtape dtype: `is_floating`, `numpy`, ..."""

    def __getattr__(self, name: str) -> Any:
        return getattr(as_dtype(str(self)), name)


_TYPE_NAMES: dict[str, TypeName] = {}


class Variable(KerasVariable, gradtape.Variable):
    """A variable of a Keras layer, optimizer or metric.

    Its value is a tensor that carries the variable's own identity. Tapes notice when it is read, so that
    `tape.gradient(loss, layer.kernel)` finds it.
    """

    _value: Any
    _layout: Any

    def _initialize(self, value: Any) -> None:
        self._id = next_id()
        if ACTIVE and STATE.trace is not None:
            STATE.trace.create_variable(self)
            value = STATE.trace.initial_value(value)
        self._store(convert_to_tensor(value, dtype=self._dtype)._array)
        if self._layout is not None or distribution() is not None:
            self._lay_out()
        elif STATE.strategies and (several := STATE.strategies[-1][0]._replicas) is not None and STATE.trace is None:
            several.agree(self)

    def _lay_out(self) -> None:
        """Share the value out to devices, as its layout or the distribution says."""
        self._shape = self._validate_shape(self._value.shape)
        if self._layout is None:
            self._layout = distribution().get_variable_layout(self)
        sharding = backend_layout(self._layout)
        if sharding is not None:
            from gradtape.xla.sharding import fits, place

            if not fits(tuple(self._value.shape), sharding):
                shape, mesh = tuple(self._value.shape), dict(sharding.mesh.shape)
                raise ValueError(
                    f"The variable {self.path!r} of shape {shape} cannot be cut into equal parts by its layout "
                    f"{tuple(sharding.spec)} on the mesh {mesh}. Leave it whole in the LayoutMap (None for the axis), or give it "
                    "sizes that are multiples of the mesh's."
                )
            place(self, sharding)

    def _initialize_with_initializer(self, initializer: Any) -> None:
        with outside_traces():
            value = initializer(self._shape, dtype=self._dtype)
        self._initialize(value)

    def _direct_assign(self, value: Any) -> None:
        if ACTIVE and STATE.trace is not None:
            STATE.trace.change(self, "assign", (value,), {})
        else:
            self._store(self._stored(convert_to_tensor(value, dtype=self._dtype))._array)

    def assign_add(self, value: Any) -> Any:  # type: ignore[override]
        """Add to the value and return the new value."""
        return self._moved("assign_add", value)

    def assign_sub(self, value: Any) -> Any:  # type: ignore[override]
        """Subtract from the value and return the new value."""
        return self._moved("assign_sub", value)

    def _moved(self, method: str, value: Any) -> Any:
        """`assign(self + value)` as one atomic step, so that concurrent updates are not lost."""
        if in_stateless_scope() or self._value is None or not self._has_my_type(value):
            return getattr(KerasVariable, method)(self, value)
        delta = convert_to_tensor(value, dtype=self._dtype)
        if tuple(delta.shape) == tuple(self._shape):
            getattr(gradtape.Variable, method)(self, delta)
            return self.value
        if ACTIVE and STATE.trace is not None:
            return getattr(KerasVariable, method)(self, value)
        with lock_of(self):
            return getattr(KerasVariable, method)(self, delta)

    def _has_my_type(self, value: Any) -> bool:
        """Whether a sum with the value has the variable's type."""
        if self._autocast and get_global_attribute("autocast_scope") is not None:
            return False
        if hasattr(value, "dtype"):
            return bool(standardize_dtype(value.dtype) == self._dtype)
        return isinstance(value, int) or (isinstance(value, float) and is_float_dtype(self._dtype))

    def _convert_to_tensor(self, value: Any, dtype: Any = None) -> Any:
        return convert_to_tensor(value, dtype=dtype)

    # --- reading -------------------------------------------------------------------------------------------------

    @property
    def value(self) -> Any:  # type: ignore[override]
        """The value as layers see it: cast to the dtype of the autocast scope, or replaced by a stateless scope."""
        return self._read()

    def _read(self) -> Any:
        scope = get_global_attribute("stateless_scope")
        value = None if scope is None else scope.get_current_value(self)
        if value is None:
            # Not initialized yet: this is shape inference, where the value does not matter.
            value = self._initializer(self._shape, dtype=self._dtype) if self._value is None else super()._read()
        if self._autocast:
            scope = get_global_attribute("autocast_scope")
            if scope is not None and scope.dtype is not None and value.dtype.is_floating:
                return cast(value, scope.dtype)
        return value

    def read_value(self) -> Any:
        """The value as a new tensor, with an identity of its own."""
        return gradtape.identity(self._read())

    def numpy(self) -> Any:
        """A copy of the value as a NumPy array."""
        return self.value.numpy()

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        return self.value.__array__(dtype, copy)

    # A tape also follows variables of frozen layers: `_trainable` keeps the value given to the constructor.

    @property
    def trainable(self) -> bool:
        """Whether the variable is among the `trainable_variables` of its layer."""
        trainable: bool = self.__dict__.get("_trainable_now", self._trainable)
        return trainable

    @trainable.setter
    def trainable(self, value: bool) -> None:
        self._trainable_now = bool(value)

    # --- defined by both bases; Keras's meaning applies ------------------------------------------------------------

    @property
    def dtype(self) -> Any:
        """The name of the type, as layers see it."""
        name = self._dtype
        if self._autocast:
            scope = get_global_attribute("autocast_scope")
            if scope is not None and scope.dtype is not None and is_float_dtype(name):
                name = scope.dtype
        found = _TYPE_NAMES.get(name)
        if found is None:
            found = _TYPE_NAMES[name] = TypeName(name)
        return found

    @property
    def shape(self) -> Any:
        """The shape, as tensors have it."""
        return gradtape.TensorShape(self._shape)

    @property
    def _shared_name(self) -> str:
        return self._name

    def get_shape(self) -> Any:
        """The same as `shape`."""
        return self.shape

    def _checked(self, value: Any) -> Any:
        return convert_to_tensor(value, dtype=self._dtype)._array

    def __hash__(self) -> int:  # type: ignore[override]
        return id(self)

    def __iadd__(self, other: Any) -> Any:  # type: ignore[misc]
        return NotImplemented  # `v += x` is `v = v + x`, as everywhere in Keras

    __isub__ = __imul__ = __itruediv__ = __ipow__ = __iadd__

    def __len__(self) -> int:
        return len(self._value)

    def __index__(self) -> int:
        return int(self)

    def __format__(self, spec: str) -> str:
        return format(self._value, spec) if self._value is not None and spec else format(str(self), spec)

    def __copy__(self) -> Any:
        return self.__deepcopy__({})

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        twin = object.__new__(type(self))
        memo[id(self)] = twin
        value = self._value
        for name, part in self.__dict__.copy().items():
            if name not in VALUE_SLOTS:
                setattr(twin, name, copy.deepcopy(part, memo))
        if value is None:
            twin._value = None
        else:
            twin._id = next_id()
            twin._store(np.array(value._array))
        return twin

    def __reduce__(self) -> tuple[Any, ...]:
        value = self._value
        state = {name: part for name, part in self.__dict__.copy().items() if name not in ("_id", *VALUE_SLOTS)}
        return _restore, (type(self), state, None if value is None else np.asarray(value._array))


def adopted(variable: Any) -> Any:
    """Turn a gradtape variable into a Keras variable. It stays the same object, so functions that use it see every change."""
    from keras.src import backend

    if not isinstance(variable, Variable):
        name = variable.name.removesuffix(":0").replace("/", "_")  # (Keras allows no slashes)
        twin = backend.Variable(variable, trainable=variable.trainable, name=name)
        become(variable, backend.Variable)
        variable.__dict__ = twin.__dict__
    return variable


def _restore(cls: type, state: dict[str, Any], array: Any) -> Any:
    variable: Any = object.__new__(cls)
    variable.__dict__.update(state, _value=None)
    if array is not None:
        variable._initialize(gradtape.constant(array))
    return variable
