"""`tf.compat.v1.initializers`: objects that make the first value of a variable; they keep a type, which a call may replace."""

from __future__ import annotations

from typing import Any

import numpy as np

from ... import linalg, math, random
from ...api import arrays
from ...base import dtypes
from ...base.types import DTypeLike
from ...op.attributes import as_ints

_DOC = """{does}

>>> import gradtape as tf
>>> tf.compat.v1.{name}({given})([2, 2]).shape
TensorShape([2, 2])

Args:
{arguments}
    dtype: The type, where a call gives none.
"""

__all__ = [
    "constant_initializer",
    "glorot_normal_initializer",
    "glorot_uniform_initializer",
    "ones_initializer",
    "orthogonal_initializer",
    "random_normal_initializer",
    "random_uniform_initializer",
    "truncated_normal_initializer",
    "uniform_unit_scaling_initializer",
    "variance_scaling_initializer",
    "zeros_initializer",
]


class _Initializer:
    """What all have in common."""

    dtype: dtypes.DType

    def _keep(self, dtype: DTypeLike, **given: Any) -> None:
        self.dtype, self._given = dtypes.as_dtype(dtype), given
        vars(self).update(given)

    def __call__(self, shape: Any, dtype: DTypeLike | None = None, partition_info: object = None) -> Any:
        return self._of(list(as_ints(shape)), self.dtype if dtype is None else dtypes.as_dtype(dtype))

    def _of(self, shape: list[int], dtype: dtypes.DType) -> Any:
        raise NotImplementedError

    def get_config(self) -> dict[str, Any]:
        """The arguments that this was made with.

        Returns:
            A dict.
        """
        return {**self._given, "dtype": self.dtype.name}

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Any:
        """An initializer with these arguments.

        Args:
            config: What `get_config` gave.

        Returns:
            An initializer.
        """
        return cls(**config)


class zeros_initializer(_Initializer):
    __doc__ = _DOC.format(does="Zeros.", name="zeros_initializer", given="", arguments="").replace(
        "\n\n    dtype", "\n    dtype"
    )

    def __init__(self, dtype: DTypeLike = dtypes.float32) -> None:
        self._keep(dtype)

    def _of(self, shape: list[int], dtype: dtypes.DType) -> Any:
        return arrays.zeros(shape, dtype)


class ones_initializer(_Initializer):
    __doc__ = _DOC.format(does="Ones.", name="ones_initializer", given="", arguments="").replace(
        "\n\n    dtype", "\n    dtype"
    )

    def __init__(self, dtype: DTypeLike = dtypes.float32) -> None:
        self._keep(dtype)

    def _of(self, shape: list[int], dtype: dtypes.DType) -> Any:
        return arrays.ones(shape, dtype)


class constant_initializer(_Initializer):
    __doc__ = _DOC.format(
        does="A value, or a list of values, of the shape.",
        name="constant_initializer",
        given="3.0",
        arguments="    value: The value.\n    verify_shape: Ignored; accepted for compatibility with TensorFlow.",
    )

    def __init__(self, value: Any = 0, dtype: DTypeLike = dtypes.float32, verify_shape: bool = False) -> None:
        self._keep(dtype, value=value)

    def _of(self, shape: list[int], dtype: dtypes.DType) -> Any:
        return arrays.constant(self._given["value"], dtype, shape)


class _Drawn(_Initializer):
    """Random values between or around two numbers."""

    _draw: Any = None
    _names = ("mean", "stddev")

    def __init__(self, first: Any, second: Any, seed: Any, dtype: DTypeLike) -> None:
        self._keep(dtype, **dict(zip(self._names, (first, second), strict=True)), seed=seed)

    def _of(self, shape: list[int], dtype: dtypes.DType) -> Any:
        first, second, seed = self._given.values()
        return type(self)._draw(shape, first, second, dtype, seed)


_AROUND = "    mean: The mean.\n    stddev: The standard deviation.\n    seed: For the same numbers in every run."


class random_normal_initializer(_Drawn):
    __doc__ = _DOC.format(does="Normal values.", name="random_normal_initializer", given="", arguments=_AROUND)
    _draw = staticmethod(random.normal)

    def __init__(self, mean: Any = 0.0, stddev: Any = 1.0, seed: Any = None, dtype: DTypeLike = dtypes.float32) -> None:
        super().__init__(mean, stddev, seed, dtype)


class truncated_normal_initializer(_Drawn):
    __doc__ = _DOC.format(
        does="Normal values, none beyond two deviations.",
        name="truncated_normal_initializer",
        given="",
        arguments=_AROUND,
    )
    _draw = staticmethod(random.truncated_normal)

    def __init__(self, mean: Any = 0.0, stddev: Any = 1.0, seed: Any = None, dtype: DTypeLike = dtypes.float32) -> None:
        super().__init__(mean, stddev, seed, dtype)


class random_uniform_initializer(_Drawn):
    __doc__ = _DOC.format(
        does="Uniform values.",
        name="random_uniform_initializer",
        given="",
        arguments="    minval: The lower bound.\n    maxval: The upper bound; None: 1.\n"
        "    seed: For the same numbers in every run.",
    )
    _draw = staticmethod(random.uniform)
    _names = ("minval", "maxval")

    def __init__(
        self, minval: Any = 0.0, maxval: Any = None, seed: Any = None, dtype: DTypeLike = dtypes.float32
    ) -> None:
        super().__init__(minval, maxval, seed, dtype)


class orthogonal_initializer(_Initializer):
    __doc__ = _DOC.format(
        does="A matrix with orthogonal rows or columns.",
        name="orthogonal_initializer",
        given="",
        arguments="    gain: A factor.\n    seed: For the same numbers in every run.",
    )

    def __init__(self, gain: Any = 1.0, seed: Any = None, dtype: DTypeLike = dtypes.float32) -> None:
        self._keep(dtype, gain=gain, seed=seed)

    def _of(self, shape: list[int], dtype: dtypes.DType) -> Any:
        if len(shape) < 2:
            raise ValueError(f"The tensor to initialize must be at least two-dimensional. Received shape={shape}")
        rows, columns = int(np.prod(shape[:-1])), shape[-1]
        q, r = linalg.qr(random.normal([max(rows, columns), min(rows, columns)], dtype=dtype, seed=self._given["seed"]))
        q = q * math.sign(linalg.diag_part(r))
        if rows < columns:
            q = linalg.matrix_transpose(q)
        return self._given["gain"] * arrays.reshape(q, shape)


class identity_initializer(_Initializer):
    __doc__ = _DOC.format(
        does="The identity matrix.", name="initializers.identity", given="", arguments="    gain: A factor."
    )

    def __init__(self, gain: Any = 1.0, dtype: DTypeLike = dtypes.float32) -> None:
        self._keep(dtype, gain=gain)

    def _of(self, shape: list[int], dtype: dtypes.DType) -> Any:
        if len(shape) != 2:
            raise ValueError(f"The tensor to initialize must be at least two-dimensional. Received shape={shape}")
        made = linalg.eye(shape[0], shape[1], dtype=dtype)
        return made if self._given["gain"] == 1.0 else self._given["gain"] * made


class variance_scaling_initializer(_Initializer):
    __doc__ = _DOC.format(
        does="Random values whose variance depends on the numbers of inputs and outputs.",
        name="variance_scaling_initializer",
        given="",
        arguments='    scale: A factor.\n    mode: "fan_in", "fan_out" or "fan_avg": what the variance is divided by.\n'
        '    distribution: "truncated_normal", "untruncated_normal" or "uniform".\n    seed: For the same numbers in every run.',
    )

    def __init__(
        self,
        scale: float = 1.0,
        mode: str = "fan_in",
        distribution: str = "truncated_normal",
        seed: Any = None,
        dtype: DTypeLike = dtypes.float32,
    ) -> None:
        if scale <= 0.0:
            raise ValueError(f"Argument `scale` must be a positive float. Received: {scale}")
        if mode not in ("fan_in", "fan_out", "fan_avg"):
            raise ValueError(f"Argument `mode` should be one of ('fan_in', 'fan_out', 'fan_avg'). Received: {mode}")
        if distribution not in ("normal", "uniform", "truncated_normal", "untruncated_normal"):
            raise ValueError(f"Argument `distribution` is no known one. Received: {distribution}")
        self._keep(dtype, scale=scale, mode=mode, distribution=distribution, seed=seed)

    def _of(self, shape: list[int], dtype: dtypes.DType) -> Any:
        field = int(np.prod(shape[:-2]))
        inputs, outputs = (shape[-2] * field, shape[-1] * field) if len(shape) > 1 else ((shape or [1])[0],) * 2
        divisor = {"fan_in": inputs, "fan_out": outputs, "fan_avg": (inputs + outputs) / 2.0}[self._given["mode"]]
        scale, seed = self._given["scale"] / max(1.0, divisor), self._given["seed"]
        if self._given["distribution"] == "uniform":
            limit = float(np.sqrt(3.0 * scale))
            return random.uniform(shape, -limit, limit, dtype, seed)
        if self._given["distribution"] == "untruncated_normal":
            return random.normal(shape, 0.0, float(np.sqrt(scale)), dtype, seed)
        # The deviation of a normal distribution that is cut at two deviations.
        return random.truncated_normal(shape, 0.0, float(np.sqrt(scale)) / 0.87962566103423978, dtype, seed)


class uniform_unit_scaling_initializer(_Initializer):
    __doc__ = _DOC.format(
        does="Uniform values whose limit depends on the number of inputs.",
        name="uniform_unit_scaling_initializer",
        given="",
        arguments="    factor: A factor.\n    seed: For the same numbers in every run.",
    )

    def __init__(self, factor: float = 1.0, seed: Any = None, dtype: DTypeLike = dtypes.float32) -> None:
        self._keep(dtype, factor=factor, seed=seed)

    def _of(self, shape: list[int], dtype: dtypes.DType) -> Any:
        limit = float(np.sqrt(3.0 / max(float(np.prod(shape[:-1])), 1.0))) * self._given["factor"]
        return random.uniform(shape, -limit, limit, dtype, self._given["seed"])


def _scaled(name: str, scale: float, mode: str, distribution: str) -> Any:
    class initializer(variance_scaling_initializer):
        def __init__(self, seed: Any = None, dtype: DTypeLike = dtypes.float32) -> None:
            super().__init__(scale, mode, distribution, seed, dtype)

        def get_config(self) -> dict[str, Any]:
            return {"seed": self._given["seed"], "dtype": self.dtype.name}

    initializer.__name__ = initializer.__qualname__ = name
    initializer.__doc__ = _DOC.format(
        does=f"`variance_scaling_initializer({scale}, {mode!r}, {distribution!r})`.",
        name=f"initializers.{name}" if not name.endswith("_initializer") else name,
        given="",
        arguments="    seed: For the same numbers in every run.",
    )
    return initializer


glorot_normal_initializer = _scaled("glorot_normal_initializer", 1.0, "fan_avg", "truncated_normal")
glorot_uniform_initializer = _scaled("glorot_uniform_initializer", 1.0, "fan_avg", "uniform")
he_normal = _scaled("he_normal", 2.0, "fan_in", "truncated_normal")
he_uniform = _scaled("he_uniform", 2.0, "fan_in", "uniform")
lecun_normal = _scaled("lecun_normal", 1.0, "fan_in", "truncated_normal")
lecun_uniform = _scaled("lecun_uniform", 1.0, "fan_in", "uniform")

# The classes by their names in `tf.compat.v1.initializers`.
NAMES = {
    "constant": constant_initializer,
    "glorot_normal": glorot_normal_initializer,
    "glorot_uniform": glorot_uniform_initializer,
    "he_normal": he_normal,
    "he_uniform": he_uniform,
    "identity": identity_initializer,
    "lecun_normal": lecun_normal,
    "lecun_uniform": lecun_uniform,
    "ones": ones_initializer,
    "orthogonal": orthogonal_initializer,
    "random_normal": random_normal_initializer,
    "random_uniform": random_uniform_initializer,
    "truncated_normal": truncated_normal_initializer,
    "uniform_unit_scaling": uniform_unit_scaling_initializer,
    "variance_scaling": variance_scaling_initializer,
    "zeros": zeros_initializer,
}
