"""Physics-informed network (PINN): Burgers' equation, solved by a net that never sees the solution.

The net u(x, t) is told only what must hold: u_t + u u_x = ν u_xx inside, a sine at the beginning, zero at both walls.
Its derivatives come from two nested tapes, the derivative of the loss from a third, and the steps from L-BFGS. The
solution is known for this equation, so the error can be measured.
"""

# %%
import matplotlib.pyplot as plt
import numpy as np

import gradtape as tf

ITERATIONS = 1500  # small: 150
POINTS = 1500  # small: 300
WIDTH = 24  # small: 12
VISCOSITY = 0.05 / np.pi  # small: 0.1
random = np.random.default_rng(0)

# %% [markdown]
# ## The net
#
# Two numbers in, one out, three hidden layers of tanh. In float64: L-BFGS goes far below the rounding of float32.


# %%
def layer(inputs, outputs):
    kernel = random.normal(0, np.sqrt(2 / (inputs + outputs)), (inputs, outputs))
    return tf.Variable(kernel), tf.Variable(np.zeros(outputs))


layers = [
    layer(2, WIDTH),
    layer(WIDTH, WIDTH),
    layer(WIDTH, WIDTH),
    layer(WIDTH, 1),
]


def net(x, t):
    value = tf.stack([x, 2 * t - 1], axis=1)
    for kernel, bias in layers[:-1]:
        value = tf.tanh(value @ kernel + bias)
    kernel, bias = layers[-1]
    return (value @ kernel + bias)[:, 0]


# %% [markdown]
# ## The equation
#
# The inner tape gives u_x and u_t at all points at once. The outer tape has recorded that, and gives u_xx.


# %%
def residual(x, t):
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch([x, t])
            u = net(x, t)
        u_x, u_t = inner.gradient(u, [x, t])
    u_xx = outer.gradient(u_x, x)
    return u_t + u * u_x - VISCOSITY * u_xx


# %% [markdown]
# ## The loss
#
# The equation at random points inside, and what is known: the sine at t = 0, zero at x = -1 and x = 1. What is known
# counts more, since an equation that holds from the wrong beginning is worth nothing.

# %%
inside_x, inside_t = (
    tf.constant(random.uniform(-1, 1, POINTS)),
    tf.constant(random.uniform(0, 1, POINTS)),
)
start, walls = np.linspace(-1, 1, 101), np.linspace(0, 1, 51)
known_x = tf.constant(np.concatenate([start, -np.ones(51), np.ones(51)]))
known_t = tf.constant(np.concatenate([np.zeros(101), walls, walls]))
known_u = tf.constant(np.concatenate([-np.sin(np.pi * start), np.zeros(102)]))


@tf.function
def loss():
    equation = tf.reduce_mean(residual(inside_x, inside_t) ** 2)
    known = tf.reduce_mean((net(known_x, known_t) - known_u) ** 2)
    return equation + 10 * known


# %% [markdown]
# `@tf.function` compiles the loss, with the tapes in it. `tf.optimize.minimize` runs SciPy's L-BFGS on the variables.

# %%
losses = []


def follow(progress):
    losses.append(progress.fun)
    if progress.iteration % (ITERATIONS // 5) == 0:
        print(f"iteration {progress.iteration:4}   loss {progress.fun:.1e}")


settings = {"maxiter": ITERATIONS, "maxcor": 50, "ftol": 1e-12, "gtol": 1e-9}
result = tf.optimize.minimize(
    loss, layers, method="L-BFGS-B", options=settings, callback=follow
)

# %% [markdown]
# ## Against the exact solution
#
# Cole and Hopf turned the equation into the heat equation. Its solution is an integral, which Gauss-Hermite points
# compute.


# %%
def exact(x, t, viscosity):
    nodes, weights = np.polynomial.hermite.hermgauss(80)
    y = x[:, None] - np.sqrt(4 * viscosity * t) * nodes
    log_f = -np.cos(np.pi * y) / (2 * np.pi * viscosity)
    f = weights * np.exp(log_f - log_f.max(axis=1, keepdims=True))
    return -(np.sin(np.pi * y) * f).sum(axis=1) / f.sum(axis=1)


x, t = np.linspace(-1, 1, 201), np.linspace(0, 1, 101)
grid_x, grid_t = (
    tf.constant(part.ravel()) for part in np.meshgrid(x, t, indexing="ij")
)
solved = net(grid_x, grid_t).numpy().reshape(201, 101)
truth = np.stack([exact(x, moment, VISCOSITY) for moment in t], axis=1)
error = np.abs(solved - truth).max()
print(
    f"largest error on {solved.size} points: {error:.1e}, where the solution goes from -1 to 1"
)

# %% picture
figure, (field, slices) = plt.subplots(2, 1, figsize=(6, 6.4))
image = field.imshow(
    solved,
    extent=(0, 1, -1, 1),
    origin="lower",
    aspect="auto",
    cmap="RdBu_r",
    vmin=-1,
    vmax=1,
)
figure.colorbar(image, ax=field)
field.set(
    title="u(x, t) of the net: a sine becomes a shock", xlabel="t", ylabel="x"
)
for number, moment in enumerate((0, 25, 50, 100)):
    slices.plot(
        x,
        truth[:, moment],
        color="0.5",
        alpha=0.4,
        linewidth=6,
        label=None if number else "exact",
    )
    slices.plot(
        x, solved[:, moment], color=f"C{number}", label=f"net, t = {t[moment]:g}"
    )
slices.set(title="The net on the exact solution", xlabel="x", ylabel="u")
slices.legend(fontsize=9)
figure.savefig("pinn.png")
