"""MAML: learn to learn, with a gradient through the steps of gradient descent.

Each task is a sine with an amplitude and a phase of its own, of which ten points are seen. Model-agnostic
meta-learning (Finn, Abbeel and Levine, 2017) looks for weights from which one step of gradient descent on ten points
gives a good fit. That needs the derivative of a result that was itself computed with a derivative: a tape around
tapes.
"""

# %%
import matplotlib.pyplot as plt
import numpy as np

import gradtape as tf

META_STEPS = 6000  # small: 800
TASKS = 16  # small: 8
POINTS, INNER_RATE = 10, 0.02
tf.random.set_seed(0)

# %% [markdown]
# ## The model is a function of its weights
#
# The inner step makes new weights, so weights are arguments. They are tensors of a plain dictionary. A first axis for
# the tasks is added later, by `vmap`.


# %%
def net(weights, x):
    hidden = tf.tanh(x @ weights["w1"] + weights["b1"])
    hidden = tf.tanh(hidden @ weights["w2"] + weights["b2"])
    return hidden @ weights["w3"] + weights["b3"]


def error(weights, x, y):
    return tf.reduce_mean((net(weights, x) - y) ** 2)


def start(wide=40):
    sizes = {
        "w1": [1, wide],
        "b1": [wide],
        "w2": [wide, wide],
        "b2": [wide],
        "w3": [wide, 1],
        "b3": [1],
    }
    scale = {"w1": 1.0, "w2": wide**-0.5, "w3": wide**-0.5}
    return {
        name: tf.Variable(tf.random.normal(size, stddev=scale.get(name, 0.5)))
        for name, size in sizes.items()
    }


# %% [markdown]
# ## Adapt, and be judged after it
#
# `adapt` is one step of gradient descent on the ten points that are seen. `meta_loss` is the error of the adapted
# weights on other points of the same task. Nothing else is special: `tf.autodiff.grad` inside, a tape outside.


# %%
def adapt(weights, x, y, steps=1):
    for _ in range(steps):
        gradients = tf.autodiff.grad(error)(weights, x, y)
        weights = {
            name: weights[name] - INNER_RATE * gradients[name] for name in weights
        }
    return weights


def meta_loss(weights, seen_x, seen_y, new_x, new_y):
    def one_task(seen_x, seen_y, new_x, new_y):
        return error(adapt(weights, seen_x, seen_y), new_x, new_y)

    return tf.reduce_mean(tf.autodiff.vmap(one_task)(seen_x, seen_y, new_x, new_y))


def sines(tasks):
    """Points of random sines: what is seen, and what is asked for."""
    amplitude, phase = (
        tf.random.uniform([tasks, 1, 1], 0.5, 4.0),
        tf.random.uniform([tasks, 1, 1], 0.0, np.pi),
    )
    x = tf.random.uniform([tasks, 2 * POINTS, 1], -5.0, 5.0)
    y = amplitude * tf.sin(x + phase)
    return x[:, :POINTS], y[:, :POINTS], x[:, POINTS:], y[:, POINTS:]


# %% [markdown]
# ## Train
#
# The same loop trains a net for comparison, without the inner step: the usual way to use many tasks.


# %%
def train(loss_of):
    weights, optimizer = start(), tf.keras.optimizers.Adam(1e-3)
    optimizer.build(list(weights.values()))

    @tf.function
    def step():
        batch = sines(TASKS)
        with tf.GradientTape() as tape:
            loss = loss_of(weights, *batch)
        gradients = tape.gradient(loss, weights)
        optimizer.apply_gradients(
            [(gradients[name], weights[name]) for name in weights]
        )
        return loss

    return weights, [float(step()) for _ in range(META_STEPS)]


def plain_loss(weights, seen_x, seen_y, new_x, new_y):
    return error(weights, new_x, new_y)


meta, meta_losses = train(meta_loss)
plain, plain_losses = train(plain_loss)

# %% [markdown]
# ## Ten points of new sines
#
# Both nets start from what they learned, and take the same steps of gradient descent on the same ten points.

# %%
seen_x, seen_y, new_x, new_y = sines(200)


def error_after(weights, steps):
    def one_task(seen_x, seen_y, new_x, new_y):
        return error(adapt(weights, seen_x, seen_y, steps), new_x, new_y)

    return float(
        tf.reduce_mean(tf.autodiff.vmap(one_task)(seen_x, seen_y, new_x, new_y))
    )


counts = [0, 1, 2, 5, 10]
errors = {
    name: [error_after(w, n) for n in counts]
    for name, w in (("MAML", meta), ("plain", plain))
}
print("mean squared error on 200 new sines after so many steps")
print("steps " + "".join(f"{count:8}" for count in counts))
for name, row in errors.items():
    print(f"{name:6}" + "".join(f"{value:8.3f}" for value in row))

# %% picture
figure, panels = plt.subplots(2, 1, figsize=(6, 6), sharex=True)
x = tf.linspace(-5.0, 5.0, 200)[:, tf.newaxis]
points_x = tf.random.uniform([POINTS, 1], -5.0, 0.0)
points_y = 3.0 * tf.sin(points_x + 1.0)
for axes, weights, name in zip(
    panels, (meta, plain), ("MAML", "Trained on all sines at once"), strict=True
):
    axes.plot(
        x[:, 0],
        3.0 * tf.sin(x + 1.0)[:, 0],
        color="0.5",
        alpha=0.4,
        linewidth=6,
        label="sine",
    )
    for steps, style in ((0, ":"), (1, "--"), (10, "-")):
        fit = net(adapt(weights, points_x, points_y, steps), x)
        axes.plot(
            x[:, 0],
            fit[:, 0],
            style,
            color="C0" if axes is panels[0] else "C1",
            label=f"after {steps}",
        )
    axes.plot(points_x[:, 0], points_y[:, 0], "o", color="C3", label="seen")
    axes.set(title=name, ylabel="y", ylim=(-4.5, 4.5))
    axes.legend(loc="center left", bbox_to_anchor=(1, 0.5))
panels[1].set_xlabel("x: only the left half is seen")
figure.savefig("maml.png")
