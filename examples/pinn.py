"""A physics-informed network: Burgers' equation solved by a net that never sees the solution, trained with L-BFGS.

    python examples/pinn.py

The net u(x, t) is told only what must hold: u_t + u u_x = nu u_xx inside, a sine at the beginning, zero at both walls. Its
derivatives come from two nested tapes, the derivative of the loss from a third, the steps from `tf.optimize.minimize`. The
picture compares it with the exact solution.
"""

import argparse
import math
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

import gradtape as tf


class Net(tf.Module):
    """Two numbers in, one out, hidden layers of tanh; in float64, since L-BFGS goes far below float32's rounding."""

    def __init__(self, widths: Sequence[int], random: np.random.Generator) -> None:
        super().__init__()
        sizes = list(zip([2, *widths], [*widths, 1], strict=True))
        self.kernels = [tf.Variable(random.normal(0, math.sqrt(2 / (a + b)), (a, b)), name="kernel") for a, b in sizes]
        self.biases = [tf.Variable(np.zeros(b), name="bias") for _, b in sizes]

    def __call__(self, x: tf.Tensor, t: tf.Tensor) -> tf.Tensor:
        value = tf.stack([x, 2 * t - 1], axis=1)
        for kernel, bias in zip(self.kernels[:-1], self.biases[:-1], strict=True):
            value = tf.tanh(value @ kernel + bias)
        return (value @ self.kernels[-1] + self.biases[-1])[:, 0]


class Problem:
    """Points where the equation, the beginning and the walls are asked for, and how far a net is from all of them."""

    def __init__(self, viscosity: float, points: int, random: np.random.Generator) -> None:
        self.viscosity = viscosity
        self.x, self.t = (tf.constant(random.uniform(low, 1, points)) for low in (-1, 0))
        start, walls = np.linspace(-1, 1, 101), np.linspace(0, 1, 51)
        known_x = np.concatenate([start, -np.ones(51), np.ones(51)])
        known_t = np.concatenate([np.zeros(101), walls, walls])
        known_u = np.concatenate([-np.sin(np.pi * start), np.zeros(102)])
        self.known_x, self.known_t, self.known_u = map(tf.constant, (known_x, known_t, known_u))

    def residual(self, net: Net) -> tf.Tensor:
        """u_t + u u_x - nu u_xx at the inner points."""
        with tf.GradientTape() as outer:
            outer.watch(self.x)
            with tf.GradientTape() as inner:
                inner.watch([self.x, self.t])
                u = net(self.x, self.t)
            u_x, u_t = inner.gradient(u, [self.x, self.t])
        u_xx = outer.gradient(u_x, self.x)
        return u_t + u * u_x - self.viscosity * u_xx

    def loss(self, net: Net) -> tf.Tensor:
        known = net(self.known_x, self.known_t) - self.known_u
        # What is known counts more: an equation that holds from the wrong beginning is worth nothing.
        return tf.reduce_mean(self.residual(net) ** 2) + 10 * tf.reduce_mean(known**2)


def exact(x: np.ndarray, t: float, viscosity: float) -> np.ndarray:
    """The solution by Cole and Hopf, an integral that Gauss and Hermite's points compute."""
    if t == 0:
        return -np.sin(np.pi * x)
    nodes, weights = np.polynomial.hermite.hermgauss(80)
    y = x[:, None] - math.sqrt(4 * viscosity * t) * nodes
    log_f = -np.cos(np.pi * y) / (2 * np.pi * viscosity)
    f = weights * np.exp(log_f - log_f.max(axis=1, keepdims=True))
    return -(np.sin(np.pi * y) * f).sum(axis=1) / f.sum(axis=1)


def draw(net: Net, losses: list[float], viscosity: float, output: Path) -> float:
    """Write the picture; the largest error on its grid."""
    x, t = np.linspace(-1, 1, 201), np.linspace(0, 1, 101)
    grid_x, grid_t = (tf.constant(part.reshape(-1)) for part in np.meshgrid(x, t, indexing="ij"))
    u = net(grid_x, grid_t).numpy().reshape(201, 101)
    truth = np.stack([exact(x, moment, viscosity) for moment in t], axis=1)
    error = float(np.abs(u - truth).max())

    figure = Figure(figsize=(14, 4.2), layout="constrained")
    curve, field, slices = figure.subplots(1, 3)
    curve.semilogy(losses)
    curve.set(title="Loss", xlabel="iteration of L-BFGS")
    image = field.imshow(u, extent=(0, 1, -1, 1), origin="lower", aspect="auto", cmap="RdBu_r", vmin=-1, vmax=1)
    figure.colorbar(image, ax=field)
    field.set(title="u(x, t) of the net", xlabel="t", ylabel="x")
    for number, moment in enumerate((0, 25, 50, 100)):
        slices.plot(x, truth[:, moment], color="0.75", linewidth=5, label="exact" if not number else None)
        slices.plot(x, u[:, moment], color=f"C{number}", linewidth=1.5, label=f"net, t = {t[moment]:g}")
    slices.set(title=f"The exact solution, and the net (error at most {error:.1g})", xlabel="x")
    slices.legend(frameon=False, fontsize="small")
    for axes in (curve, slices):
        axes.spines[["top", "right"]].set_visible(False)
    figure.savefig(output, dpi=120)
    return error


def main(arguments: Sequence[str] | None = None) -> tuple[list[float], float]:
    parser = argparse.ArgumentParser(
        description=__doc__.splitlines()[0], formatter_class=argparse.ArgumentDefaultsHelpFormatter
    )
    parser.add_argument("--iterations", type=int, default=1500, help="of L-BFGS")
    parser.add_argument("--points", type=int, default=1500, help="where the equation is asked for")
    parser.add_argument("--widths", type=int, nargs="+", default=[24, 24, 24], help="units of the hidden layers")
    parser.add_argument("--viscosity", type=float, default=0.05 / math.pi)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--output", type=Path, default=Path("pinn.png"), help="where the picture goes")
    options = parser.parse_args(arguments)

    random = np.random.default_rng(options.seed)
    net, problem = Net(options.widths, random), Problem(options.viscosity, options.points, random)
    losses: list[float] = []

    def follow(progress: tf.optimize.Progress) -> None:
        losses.append(progress.fun)
        if progress.iteration % 100 == 0:
            print(f"iteration {progress.iteration:4}   loss {progress.fun:.2e}", flush=True)

    result = tf.optimize.minimize(
        lambda: problem.loss(net),
        net.trainable_variables,
        method="L-BFGS-B",
        options={"maxiter": options.iterations, "maxcor": 50, "ftol": 1e-12, "gtol": 1e-9},
        callback=follow,
    )
    print(f"{result.nit} iterations, {result.nfev} evaluations, loss {result.fun:.2e}: {result.message}")
    error = draw(net, losses, options.viscosity, options.output)
    print(f"largest error {error:.1e}\nwrote {options.output}")
    return losses, error


if __name__ == "__main__":
    main()
