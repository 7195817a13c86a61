"""`tf.optimize`: SciPy's optimizers on functions of variables, with the tape's gradients and Hessian-vector products.

For losses that are smooth and cheap enough to be evaluated on all data at once: fits, physics-informed nets, calibration.
L-BFGS takes tens of steps there where Adam takes thousands.
"""

from __future__ import annotations

import dataclasses
import itertools
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, overload

import numpy as np

from .base import nest
from .base.context import STATE
from .base.dtypes import Array
from .base.errors import invalid
from .base.namespaces import listing
from .base.types import Number
from .differentiation.backward import UnconnectedGradients
from .differentiation.slices import densify
from .differentiation.tape import GradientTape
from .native.callables import directly_callable
from .ops.array.layout import concat, reshape
from .ops.math.conversion import convert
from .trace.function import Function
from .values.tensor import IndexedSlices, Tensor, from_array, to_tensor
from .variables.variable import Variable

_WITH_HESSIAN_PRODUCTS = {"newton-cg", "trust-ncg", "trust-krylov", "trust-constr"}
_WITH_HESSIAN = {"dogleg", "trust-exact"}
_WITHOUT_GRADIENT = {"nelder-mead", "powell", "cobyla", "cobyqa"}
_WITH_GRADIENT = {"cg", "bfgs", "l-bfgs-b", "tnc", "slsqp"}
_DOUBLE = np.dtype(np.float64)
METHODS = sorted(_WITH_HESSIAN_PRODUCTS | _WITH_HESSIAN | _WITHOUT_GRADIENT | _WITH_GRADIENT)


@dataclasses.dataclass(frozen=True)
class Progress:
    """What a callback is given after each iteration.

    >>> import gradtape as tf
    >>> x, seen = tf.Variable(3.0), []
    >>> result = tf.optimize.minimize(lambda: (x - 1.0) ** 2, [x], callback=seen.append)
    >>> seen[-1].iteration == result.nit
    True

    Args:
        iteration: How many iterations are done.
        evaluations: How often the function was computed.
        fun: The value of the function there.
        gradient_norm: The largest absolute element of the gradient.

    Attributes:
        iteration: How many iterations are done.
        evaluations: How often the function was computed.
        fun: The value of the function there.
        gradient_norm: The largest absolute element of the gradient; nan for methods without one.
    """

    iteration: int
    evaluations: int
    fun: float
    gradient_norm: float


@dataclasses.dataclass(frozen=True)
class OptimizeResult:
    """How a minimization ended. The variables have the values of `x`.

    >>> import gradtape as tf
    >>> x = tf.Variable(3.0)
    >>> result = tf.optimize.minimize(lambda: (x - 1.0) ** 2, [x])
    >>> result.success, x.numpy().round(4)
    (True, np.float32(1.0))

    Args:
        x: Where it ended, in the structure of the variables.
        fun: The value there.
        success: Whether the method says that it converged.
        message: Why it ended, in words.
        nit: The number of iterations; 0 if Ctrl-C ended a run without a callback, in which nobody counted.
        nfev: How often the function was computed.
        njev: How often its gradient was computed.
        nhev: How many Hessian-vector products (or Hessians) were computed.
        scipy: SciPy's own result; None if the run was stopped.

    Attributes:
        x: Where it ended, in the structure of the variables.
        fun: The value there.
        success: Whether the method says that it converged.
        message: Why it ended, in words.
        nit: The number of iterations; 0 if Ctrl-C ended a run without a callback, in which nobody counted.
        nfev: How often the function was computed.
        njev: How often its gradient was computed.
        nhev: How many Hessian-vector products (or Hessians) were computed.
        scipy: SciPy's own result; None if the run was stopped.
    """

    x: Any
    fun: float
    success: bool
    message: str
    nit: int
    nfev: int
    njev: int
    nhev: int
    scipy: Any = dataclasses.field(repr=False)


@overload
def minimize(
    fn: Callable[[Tensor], Any],
    variables: Tensor | Array | Number,
    method: str = ...,
    *,
    bounds: Any = ...,
    constraints: Any = ...,
    tol: float | None = ...,
    options: Mapping[str, Any] | None = ...,
    callback: Callable[[Progress], Any] | None = ...,
    progress: Callable[[int, str], Any] | None = ...,
) -> OptimizeResult: ...
@overload
def minimize(
    fn: Callable[..., Any],
    variables: Variable | Sequence[Any] | Mapping[Any, Any],
    method: str = ...,
    *,
    bounds: Any = ...,
    constraints: Any = ...,
    tol: float | None = ...,
    options: Mapping[str, Any] | None = ...,
    callback: Callable[[Progress], Any] | None = ...,
    progress: Callable[[int, str], Any] | None = ...,
) -> OptimizeResult: ...
def minimize(
    fn: Callable[..., Any],
    variables: Any,
    method: str = "L-BFGS-B",
    *,
    bounds: Any = None,
    constraints: Any = (),
    tol: float | None = None,
    options: Mapping[str, Any] | None = None,
    callback: Callable[[Progress], Any] | None = None,
    progress: Callable[[int, str], Any] | None = None,
) -> OptimizeResult:
    """Find values of the variables that make a function small.

    >>> import gradtape as tf
    >>> x = tf.Variable([-1.0, 1.0], dtype=tf.float64)
    >>> def rosenbrock():
    ...     return (1.0 - x[0]) ** 2 + 100.0 * (x[1] - x[0] ** 2) ** 2
    >>> result = tf.optimize.minimize(rosenbrock, [x])
    >>> result.success, x.numpy().round(3).tolist()
    (True, [1.0, 1.0])

    Ctrl-C, or a callback that returns True, ends the run and leaves the variables at the best point so far. So does an
    exception in `fn`, which is raised again.

    Args:
        fn: With variables, a function without arguments that reads them; with tensors or arrays in their place, a function
            of one argument with their structure. It returns a scalar.
        variables: A variable or a structure of variables, which are assigned to; or the starting point.
        method: One of SciPy's: "L-BFGS-B" (the default), "BFGS", "CG", "TNC", "SLSQP"; "Newton-CG", "trust-ncg",
            "trust-krylov", "trust-constr" with Hessian-vector products; "trust-exact", "dogleg" with the Hessian;
            "Nelder-Mead", "Powell", "COBYLA", "COBYQA" without derivatives.
        bounds: `(low, high)`: each a number for all elements, None, or a structure like `variables` of numbers, arrays and
            None.
        constraints: As SciPy takes them, in terms of the vector of all elements.
        tol: When to stop; what it means depends on the method.
        options: Settings of the method, such as `{"maxiter": 500}`.
        callback: Called after each iteration; the run ends if it returns True.
        progress: Called after each iteration with its number and a few words, such as the `update` of a progress bar.

    Returns:
        An `OptimizeResult`: the best point as `x`, in the structure of `variables`, its value as `fun`, and `success`, `message`
        and the numbers of iterations and evaluations, as SciPy gives them.

    Raises:
        ValueError: `method` is not one of SciPy's.
        NotImplementedError: It is called inside a `tf.function`.
    """
    if not isinstance(method, str) or method.lower() not in METHODS:
        raise ValueError(f"optimize.minimize: method must be one of {', '.join(METHODS)}, got {method!r}.")
    if STATE.trace is not None:
        raise NotImplementedError(
            "optimize.minimize runs a loop of SciPy: call it outside of tf.function, with a traced fn."
        )
    problem = _Problem(fn, variables)
    start = problem.vector()
    kind = method.lower()
    settings: dict[str, Any] = {
        "method": method,
        "bounds": None if bounds is None else problem.flat_bounds(bounds),
        "constraints": constraints,
        "tol": tol,
        "options": None if options is None else dict(options),
    }
    if kind not in _WITHOUT_GRADIENT:
        settings["jac"] = True
    if kind in _WITH_HESSIAN_PRODUCTS:
        settings["hessp"] = problem.hessian_times
    elif kind in _WITH_HESSIAN:
        settings["hess"] = problem.hessian
    watcher = _Watcher(problem, callback, progress, trust_best=not constraints)
    # SciPy makes an object for each call of a callback, and a gradient's method counts its iterations itself.
    watched = callback is not None or progress is not None or bool(constraints) or kind in _WITHOUT_GRADIENT
    if watched:
        settings["callback"] = watcher
    found: Any = None
    try:
        function = problem.value if kind in _WITHOUT_GRADIENT else problem.value_and_gradient
        found = _scipy_minimize()(function, start, **settings)
        problem.assign(found.x)
        fun, success, message = float(found.fun), bool(found.success), str(found.message)
    except (_Stopped, KeyboardInterrupt) as stop:
        problem.assign(watcher.best_point(start))
        fun, success = watcher.best_value(), False
        message = "Stopped by the callback." if isinstance(stop, _Stopped) else "Stopped by KeyboardInterrupt."
    except BaseException:
        problem.assign(watcher.best_point(start))
        raise
    return OptimizeResult(
        x=problem.structure(),
        fun=fun,
        success=success,
        message=message,
        nit=watcher.iterations if watched or found is None else int(found.nit),
        nfev=problem.evaluations,
        njev=problem.gradients,
        nhev=problem.products,
        scipy=found,
    )


def _scipy_minimize() -> Any:
    try:
        from scipy.optimize import minimize as found
    except ImportError:
        raise ImportError("optimize.minimize needs SciPy: pip install scipy") from None
    return found


class _Stopped(Exception):
    """The callback asked for the end."""


class _Problem:
    """The function of variables as one of a vector of float64."""

    def __init__(self, fn: Callable[..., Any], variables: Any) -> None:
        leaves = nest.flatten(variables)
        if not leaves:
            raise ValueError("optimize.minimize: there is nothing to minimize over: `variables` is empty.")
        self._takes_no_argument = all(isinstance(leaf, Variable) for leaf in leaves)
        if not self._takes_no_argument and any(isinstance(leaf, Variable) for leaf in leaves):
            raise ValueError("optimize.minimize: `variables` must be all tf.Variable, or all tensors or arrays.")
        self._structure = variables
        self._sources: list[Any] = [v if isinstance(v, Variable) else Variable(to_tensor(v)) for v in leaves]
        for source in self._sources:
            if not source.dtype.is_floating:
                raise invalid(
                    f"optimize.minimize: variables must be floating, got {source.dtype.name} for {source.name}. "
                    "Use tf.cast, or two variables for a complex one."
                )
        self._shapes = [tuple(source._value.shape) for source in self._sources]
        self._sizes = [math.prod(shape) for shape in self._shapes]
        ends = list(itertools.accumulate(self._sizes, initial=0))
        self._length = ends[-1]
        self._parts = [
            (slice(start, stop), shape, source.dtype.numpy)
            for (start, stop), shape, source in zip(itertools.pairwise(ends), self._shapes, self._sources, strict=True)
        ]
        self._fn = fn
        self._evaluated: Callable[[Array], tuple[Any, Any]] = self._evaluate
        if isinstance(
            fn, Function
        ):  # traced once with its assignments and its gradient: one native call, if it is small
            name = tuple(source._id for source in self._sources)
            if name not in fn.derived:
                fn.derived[name] = directly_callable(Function)(self._evaluate, jit_compile=fn._jit_compile)
            self._evaluated = fn.derived[name]
        self.fun = math.nan
        self._slope: Array | None = None
        self.point: Array = self.vector()
        self.evaluations = self.gradients = self.products = 0
        self.best: tuple[float, Array] | None = None

    # --- vectors and variables -------------------------------------------------------------------------------------------

    def vector(self) -> Array:
        """The present values as one vector."""
        return np.concatenate([np.asarray(v._value._array, np.float64).reshape(-1) for v in self._sources])

    def split(self, vector: Any) -> list[Array]:
        """A vector as arrays of the variables' shapes and types."""
        whole = np.asarray(vector, np.float64)
        return [whole[part].astype(dtype).reshape(shape) for part, shape, dtype in self._parts]

    def assign(self, vector: Any) -> None:
        """Give the variables these values."""
        for source, part in zip(self._sources, self.split(vector)):  # noqa: B905 (they have one length; strict takes 0.3 us)
            source._store(part)

    def structure(self) -> Any:
        """The present values as tensors, in the structure in which the variables were given."""
        return nest.pack_sequence_as(self._structure, [from_array(v.numpy()) for v in self._sources])

    def flat_bounds(self, bounds: Any) -> list[tuple[Any, Any]]:
        """One pair of bounds for each element."""
        if not isinstance(bounds, (tuple, list)) or len(bounds) != 2:
            raise ValueError(f"optimize.minimize: bounds must be a pair (low, high), got {bounds!r}.")
        low, high = (self._flat_bound(bound) for bound in bounds)
        return list(zip(low, high, strict=True))

    def _flat_bound(self, bound: Any) -> list[Any]:
        if bound is None or isinstance(bound, (int, float)):
            return [bound] * sum(self._sizes)
        nest.assert_same_structure(self._structure, bound, check_types=False)
        found: list[Any] = []
        for part, shape, size in zip(nest.flatten(bound), self._shapes, self._sizes, strict=True):
            found += (
                [None] * size if part is None else np.broadcast_to(np.asarray(part, float), shape).reshape(-1).tolist()
            )
        return found

    @property
    def gradient_norm(self) -> float:
        """The largest element of the last gradient."""
        return math.nan if self._slope is None else float(np.max(np.abs(self._slope), initial=0.0))

    # --- what the methods ask for ----------------------------------------------------------------------------------------

    def _call(self) -> Any:
        value = self._fn() if self._takes_no_argument else self._fn(self._argument())
        tensor = to_tensor(value)
        if math.prod(tensor.shape) != 1:
            raise invalid(f"optimize.minimize: the function must return a scalar, got shape {tensor.shape}.")
        return reshape.public(tensor, ()) if tensor.ndim else tensor

    def _argument(self) -> Any:
        return nest.pack_sequence_as(self._structure, [source._read() for source in self._sources])

    def _note(self, vector: Any, value: Any) -> float:
        self.evaluations += 1
        self.point = np.array(vector, np.float64)
        self.fun = float(value)
        if self.evaluations == 1 and not math.isfinite(self.fun):
            raise invalid(
                f"optimize.minimize: the function is {self.fun} at the starting point. Start where it is finite."
            )
        if math.isfinite(self.fun) and (self.best is None or self.fun < self.best[0]):
            self.best = (self.fun, self.point)
        return self.fun

    def value(self, vector: Any) -> float:
        """The function at a point."""
        self.assign(vector)
        return self._note(vector, self._call())

    def value_and_gradient(self, vector: Any) -> tuple[float, Array]:
        """The function at a point and its gradient there."""
        value, slope = self._evaluated(vector)
        self._slope = slope._array
        self.gradients += 1
        return self._note(vector, value), self._slope.copy()  # (SciPy may write to what it is given)

    def _evaluate(self, vector: Any) -> tuple[Any, Any]:
        """The variables get the values of a vector; the function there, and its gradient as a vector."""
        whole = to_tensor(vector)
        for source, (part, shape, dtype) in zip(self._sources, self._parts, strict=True):
            source.assign(convert(reshape(whole[part], shape=shape), dtype=dtype))
        with GradientTape(watch_accessed_variables=False) as tape:
            tape.watch(self._sources)
            value = self._call()
        gradients = tape.gradient(value, self._sources, unconnected_gradients=UnconnectedGradients.ZERO)
        dense = (densify(g) if isinstance(g, IndexedSlices) else g for g in gradients)
        flat = [convert(reshape(g, shape=(-1,)), dtype=_DOUBLE) for g in dense]
        return value, flat[0] if len(flat) == 1 else concat(flat, axis=0)

    def hessian_times(self, vector: Any, direction: Any) -> Array:
        """The Hessian at a point times a direction."""
        self.assign(vector)
        with GradientTape(watch_accessed_variables=False) as tape:
            tape.watch(self._sources)
            value = self._call()
        self.products += 1
        return self._joined(tape.hvp(value, self._sources, self.split(direction)))

    def hessian(self, vector: Any) -> Array:
        """The Hessian at a point, one product for each column."""
        return np.stack([self.hessian_times(vector, row) for row in np.eye(len(vector))])

    def _joined(self, gradients: list[Any]) -> Array:
        """The gradients as one new vector (SciPy may write to what it is given)."""
        whole = np.zeros(self._length)
        for gradient, (part, _, _) in zip(gradients, self._parts):  # noqa: B905 (as in `assign`)
            if gradient is not None:
                dense = densify(gradient) if isinstance(gradient, IndexedSlices) else gradient
                whole[part] = dense._array.reshape(-1)
        return whole


class _Watcher:
    """Called by SciPy after each iteration: counts, reports, and ends the run when the user wants that."""

    def __init__(
        self,
        problem: _Problem,
        callback: Callable[[Progress], Any] | None,
        progress: Callable[[int, str], Any] | None,
        trust_best: bool,
    ) -> None:
        self._problem = problem
        self._callback = callback
        self._progress = progress
        self._trust_best = trust_best  # False under constraints, which the smallest value may violate
        self._last: tuple[float, Array] | None = None
        self.iterations = 0

    def __call__(self, *where: Any) -> None:
        problem = self._problem
        self.iterations += 1
        point = np.array(where[0], np.float64)
        fun = problem.fun
        if not np.array_equal(point, problem.point) and problem.best is not None:
            fun = problem.best[0]  # the last evaluation of a line search may be at another point
        self._last = (fun, point)
        if self._progress is not None:
            self._progress(self.iterations, f"value {fun:.6g}, gradient {problem.gradient_norm:.2g}")
        if self._callback is not None:
            state = Progress(self.iterations, problem.evaluations, fun, problem.gradient_norm)
            if self._callback(state) is True:
                raise _Stopped

    def _best(self) -> tuple[float, Array] | None:
        return self._problem.best if self._trust_best or self._last is None else self._last

    def best_point(self, start: Array) -> Array:
        """Where to leave the variables when the run did not end by itself."""
        best = self._best()
        return start if best is None else best[1]

    def best_value(self) -> float:
        best = self._best()
        return math.nan if best is None else best[0]


__all__ = [
    "OptimizeResult",
    "Progress",
    "minimize",
]

__dir__ = listing(globals())
