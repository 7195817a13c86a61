"""Small problems of science: networks of a few neurons, an equation of physics, a function that optimizers are tried on."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any, ClassVar
from unittest import mock

import numpy as np

from benchmarks.dialects import Dialect
from benchmarks.optimizers import Adam
from benchmarks.step import Array, Data, Step, Unavailable, float32
from benchmarks.timing import clock
from benchmarks.workload import Gradient, Reading, Training, Workload, aim

COMPILED: tuple[str, ...] = ("numpy", "gradtape function", "gradtape jit", "tf function", "tf XLA", "jax jit")


def _layers(rng: np.random.Generator, sizes: Sequence[int]) -> list[Array]:
    parameters = []
    for fan_in, fan_out in pairwise(sizes):
        parameters += [float32(rng, fan_in, fan_out, scale=fan_in**-0.5), float32(rng, fan_out, scale=0.1)]
    return parameters


class SmallMLP(Training):
    name = "mlp-small"
    title = "MLP 2-64-64-1, batch 32, Adam step"
    contestants: ClassVar[tuple[str, ...]] = (*COMPILED, "torch")
    limits = (aim("gradtape function", 0.5, "jax jit"),)
    optimizer = Adam(in_place=False)

    def data(self, rng: np.random.Generator) -> Data:
        return Data(_layers(rng, (2, 64, 64, 1)), [float32(rng, 32, 2), float32(rng, 32, 1)])

    def loss(self, d: Dialect, parameters: Sequence[Any], inputs: Sequence[Any]) -> Any:
        w1, b1, w2, b2, w3, b3 = parameters
        x, y = inputs
        hidden = d.tanh(d.dense(d.tanh(d.dense(x, w1, b1)), w2, b2))
        return d.mean(d.square(d.dense(hidden, w3, b3) - y))

    def loss_and_gradient(self, parameters: Sequence[Array], inputs: Sequence[Array]) -> tuple[Any, list[Array]]:
        w1, b1, w2, b2, w3, b3 = parameters
        x, y = inputs
        h1 = np.tanh(x @ w1 + b1)
        h2 = np.tanh(h1 @ w2 + b2)
        error = h2 @ w3 + b3 - y
        g3 = error * np.float32(2 / len(x))
        g2 = (g3 @ w3.T) * (1 - h2 * h2)
        g1 = (g2 @ w2.T) * (1 - h1 * h1)
        return np.mean(error * error), [x.T @ g1, g1.sum(0), h1.T @ g2, g2.sum(0), h2.T @ g3, g3.sum(0)]


class Burgers(Training):
    """A network u(x, t) that is to obey u_t + u u_x = 0.00318 u_xx at 256 points."""

    name = "pinn"
    title = "Burgers' equation, network 2-32-32-1, 256 points, Adam step"
    contestants = COMPILED
    limits = (aim("gradtape function", 0.6, "jax jit"),)
    optimizer = Adam(in_place=False)
    viscosity = 0.00318

    def data(self, rng: np.random.Generator) -> Data:
        return Data(_layers(rng, (2, 32, 32, 1)), [float32(rng, 256, 1), float32(rng, 256, 1)])

    def loss(self, d: Dialect, parameters: Sequence[Any], inputs: Sequence[Any]) -> Any:
        w1, b1, w2, b2, w3, b3 = parameters

        def network(x: Any, t: Any) -> Any:
            first = d.tanh(x * w1[0:1] + t * w1[1:2] + b1)
            return d.dense(d.tanh(d.dense(first, w2, b2)), w3, b3)

        u, u_x, u_t, u_xx = d.field(network, *inputs)
        return d.mean(d.square(u_t + u * u_x - self.viscosity * u_xx))

    def loss_and_gradient(self, parameters: Sequence[Array], inputs: Sequence[Array]) -> tuple[Any, list[Array]]:
        """A value is four arrays here: u, u_x, u_t, u_xx. Each goes through the layers, and its cotangent back."""
        weights, biases = parameters[::2], parameters[1::2]
        x, t = inputs
        zero, one = np.zeros_like(x), np.ones_like(x)
        value = [np.hstack(pair) for pair in ((x, t), (one, zero), (zero, one), (zero, zero))]
        kept = []
        for place, (w, b) in enumerate(zip(weights, biases, strict=True)):
            z = [part @ w for part in value]
            z[0] += b
            kept.append((value, z))
            value = _tanh(z) if place < len(weights) - 1 else z
        u, u_x, u_t, u_xx = value
        nu = np.float32(self.viscosity)
        residual = u_t + u * u_x - nu * u_xx
        g = residual * np.float32(2 / len(x))
        cotangent = [g * u_x, g * u, g, -nu * g]
        gradients: list[Array] = []
        for place in reversed(range(len(weights))):
            value, z = kept[place]
            if place < len(weights) - 1:
                cotangent = _tanh_back(z, cotangent)
            into = sum(v.T @ c for v, c in zip(value, cotangent, strict=True))
            gradients = [np.asarray(into), cotangent[0].sum(0), *gradients]
            cotangent = [c @ weights[place].T for c in cotangent]
        return np.mean(residual * residual), gradients


def _slopes(z: Array) -> tuple[Array, Array, Array, Array]:
    """tanh and its first three derivatives."""
    a = np.tanh(z)
    first = 1 - a * a
    return a, first, -2 * a * first, first * (6 * a * a - 2)


def _tanh(z: Sequence[Array]) -> list[Array]:
    z0, z_x, z_t, z_xx = z
    a, first, second, _ = _slopes(z0)
    return [a, first * z_x, first * z_t, second * z_x * z_x + first * z_xx]


def _tanh_back(z: Sequence[Array], cotangent: Sequence[Array]) -> list[Array]:
    z0, z_x, z_t, z_xx = z
    g, g_x, g_t, g_xx = cotangent
    _, first, second, third = _slopes(z0)
    into = g * first + second * (g_x * z_x + g_t * z_t) + g_xx * (third * z_x * z_x + second * z_xx)
    return [into, g_x * first + 2 * g_xx * second * z_x, g_t * first, g_xx * first]


class Rosenbrock(Gradient):
    name = "rosenbrock"
    title = "Rosenbrock's function of 20 numbers, gradient"
    contestants = COMPILED
    limits = (aim("gradtape function", 0.6, "jax jit"),)

    def data(self, rng: np.random.Generator) -> Data:
        return Data([float32(rng, 20)], [])

    def step(self, dialect: Dialect, data: Data) -> Step:
        return dialect.gradient_of_tensors(self.loss, data)

    def loss(self, d: Dialect, parameters: Sequence[Any], inputs: Sequence[Any]) -> Any:
        (x,) = parameters
        return d.sum(100.0 * d.square(x[1:] - d.square(x[:-1])) + d.square(1.0 - x[:-1]))

    def loss_and_gradient(self, parameters: Sequence[Array], inputs: Sequence[Array]) -> tuple[Any, list[Array]]:
        (x,) = parameters
        before, rest = x[:-1], x[1:] - x[:-1] * x[:-1]
        g = np.zeros_like(x)
        g[1:] = 200 * rest
        g[:-1] += -400 * before * rest - 2 * (1 - before)
        return np.sum(100 * rest * rest + (1 - before) ** 2), [g]


class LBFGS(Workload):
    """Twenty steps of SciPy's L-BFGS-B; what differs is who gives it the function and its gradient."""

    name = "l-bfgs"
    title = "L-BFGS on Rosenbrock's function of 20 numbers, 20 steps"
    contestants = ("numpy", "gradtape function", "jax jit")
    limits = (aim("gradtape function", 0.6, "jax jit"),)
    tolerance = 1e-2  # (of float32, in a valley so narrow that rounding shows)
    steps = 20

    def data(self, rng: np.random.Generator) -> Data:
        return Data([np.full(20, -0.5, np.float32)], [])

    def step(self, dialect: Dialect, data: Data) -> Step:
        return dialect.minimum(Rosenbrock().loss, data, self.steps)

    def by_hand(self, data: Data) -> Step:
        from scipy.optimize import minimize

        def function(vector: Array) -> tuple[float, Array]:
            value, (gradient,) = Rosenbrock().loss_and_gradient([vector.astype(np.float32)], [])
            return float(value), gradient.astype(np.float64)

        def run(start: Array) -> Any:
            return minimize(function, start, jac=True, method="L-BFGS-B", options={"maxiter": self.steps}).x

        return Step(run, tuple(data.parameters))


class OutsideOfSciPy(Reading):
    """What is left of a run of L-BFGS when SciPy's own work is taken off: all that SciPy asks the library for."""

    name = "l-bfgs-outside"
    title = "L-BFGS on Rosenbrock's function of 20 numbers, 20 steps, less SciPy's own time"
    contestants = ("gradtape function", "jax jit")
    limits = (aim("gradtape function", 0.3, "jax jit"),)
    runs = 200

    def read(self, module: str) -> float:
        raise Unavailable("it is measured on a step")

    def step(self, dialect: Dialect, data: Data) -> Step:
        row = LBFGS()
        whole = row.step(dialect, row.data(np.random.default_rng(0)))
        for _ in range(self.runs):  # (until everything is compiled)
            whole()
        alone = _replayed(whole)
        return Step(lambda: self._best(whole) - self._best(alone))

    def _best(self, run: Callable[[], Any]) -> float:
        """The fastest of many runs: in between SciPy's BLAS waits for threads now and then."""
        now = clock()
        times = []
        for _ in range(self.runs):
            start = now()
            run()
            times.append(now() - start)
        return min(times)


def _replayed(run: Callable[[], Any]) -> Callable[[], Any]:
    """SciPy's part of a run: it is given the same values and gradients again, which cost nothing now."""
    from scipy import optimize

    kept: list[Any] = []
    original = optimize.minimize

    def noted(function: Callable[..., Any], start: Array, *args: Any, **options: Any) -> Any:
        answers: list[tuple[float, Array]] = []

        def asked(vector: Array) -> tuple[float, Array]:
            value, slope = function(vector)
            answers.append((value, np.array(slope)))
            return value, slope

        kept.append((answers, np.array(start), args, {**options, "callback": None}))  # (a callback is the library's)
        return original(asked, start, *args, **options)

    with mock.patch.object(optimize, "minimize", noted):
        run()
    ((answers, start, args, options),) = kept

    def alone() -> Any:
        following = iter(answers)
        return original(lambda _: next(following), start, *args, **options)

    return alone
