"""Saliency and integrated gradients: which pixels made the net say so?

The gradient of a score by the image says which pixels would change it. Integrated gradients (Sundararajan, Taly and Yan,
2017) add up gradients on the way from an empty image, and their sum is exactly the change of the score. That is tested here,
and so is what matters more: blacking out the pixels that were named must hurt more than blacking out others.
"""

# %%
import matplotlib.pyplot as plt
import numpy as np

import gradtape as tf
from gradtape.datasets import digits

EPOCHS = 25  # small: 6
POINTS = 64  # small: 32
tf.keras.utils.set_random_seed(0)

# %%
(images, labels), (test_images, test_labels) = digits.load_data()
images, test_images = (
    part[..., np.newaxis].astype(np.float32) / 16 for part in (images, test_images)
)
layers = tf.keras.layers
model = tf.keras.Sequential(
    [
        layers.Conv2D(16, 3, activation="softplus"),
        layers.Conv2D(32, 3, activation="softplus"),
        layers.Flatten(),
        layers.Dense(64, "softplus"),
        layers.Dense(10),
    ]
)
model.compile(
    "adam",
    tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True),
    metrics=["accuracy"],
)
model.fit(images, labels, epochs=EPOCHS, verbose=0)
print(
    f"test images that are right: {model.evaluate(test_images, test_labels, verbose=0)[1]:.1%}"
)

# %% [markdown]
# ## The gradient by the image
#
# `tape.watch` makes the images sources. The scores are summed, and no image touches another's score, so one call gives the
# gradient of each.

# %%
labels_of_scores = tf.constant(test_labels, tf.int32)


def score(images, classes):
    return tf.gather(model(images), classes, axis=1, batch_dims=1)


def saliency(images, classes):
    with tf.GradientTape() as tape:
        tape.watch(images)
        scores = score(images, classes)
    return tape.gradient(scores, images)


# %% [markdown]
# ## Integrated gradients
#
# Images on the straight way from empty paper, the gradient at each of them, and the mean by Gauss's points, which need few
# evaluations for a smooth function. Times the change of each pixel.


# %%
def integrated_gradients(images, classes):
    nodes, weights = np.polynomial.legendre.leggauss(POINTS)
    total = tf.zeros_like(images)
    for node, weight in zip(nodes, weights, strict=True):
        total += float(weight) / 2 * saliency(float(node + 1) / 2 * images, classes)
    return images * total


x = tf.constant(test_images)
attribution = integrated_gradients(x, labels_of_scores)
change = score(x, labels_of_scores) - score(tf.zeros_like(x), labels_of_scores)
gap = np.abs(tf.reduce_sum(attribution, axis=[1, 2, 3]) - change).max()
print(f"change of the score: {change.numpy().mean():.2f} on average")
print(f"largest difference between it and the sum over the pixels: {gap:.0e}")

# %% [markdown]
# ## The test that counts
#
# Black out the pixels with the highest attribution, a few at a time, and see how many images are still right. Against it:
# the same number of random pixels among those with ink.

# %%
counts = (0, 2, 4, 6, 8, 10)
ink = test_images.reshape(len(test_images), 64) > 0
random = np.random.default_rng(0).uniform(size=ink.shape)
orders = {
    "integrated gradients": attribution.numpy().reshape(-1, 64),
    "gradient": np.where(
        ink, saliency(x, labels_of_scores).numpy().reshape(-1, 64), -np.inf
    ),
    "random ink": np.where(ink, random, -np.inf),
}


def right_without(order, count):
    kept = test_images.reshape(-1, 64).copy()
    np.put_along_axis(kept, np.argsort(-order, axis=1)[:, :count], 0, axis=1)
    scores = model(tf.constant(kept.reshape(test_images.shape)))
    return float(np.mean(tf.argmax(scores, axis=1).numpy() == test_labels))


print(
    "still right without so many pixels" + "".join(f"{count:7}" for count in counts)
)
still_right = {}
for name, order in orders.items():
    still_right[name] = [right_without(order, count) for count in counts]
    print(f"{name:34}" + "".join(f"{value:7.0%}" for value in still_right[name]))

# %% picture
figure = plt.figure(figsize=(6, 7.2))
top, bottom = figure.subfigures(2, 1, height_ratios=(4, 3))
panels = top.subplots(3, 5)
for column, digit in enumerate((0, 3, 4, 7, 8)):
    place = np.flatnonzero(test_labels == digit)[1]
    maps = (
        test_images[place, ..., 0],
        saliency(x, labels_of_scores)[place, ..., 0],
        attribution[place, ..., 0],
    )
    for row, (axes, shown) in enumerate(zip(panels[:, column], maps, strict=True)):
        edge = float(np.abs(shown).max())
        axes.imshow(
            shown,
            cmap="gray_r" if row == 0 else "RdBu_r",
            vmin=0 if row == 0 else -edge,
            vmax=edge,
        )
        axes.set(xticks=[], yticks=[])
for axes, name in zip(
    panels[:, 0], ("image", "gradient", "integrated"), strict=True
):
    axes.set_ylabel(name)
axes = bottom.subplots()
for (name, values), colour in zip(
    still_right.items(), ("C0", "C1", "C7"), strict=True
):
    axes.plot(
        counts, [100 * value for value in values], ".-", color=colour, label=name
    )
axes.set(
    title="Right without the pixels that were named",
    xlabel="pixels removed",
    ylabel="%",
    ylim=(0, 102),
)
axes.legend(loc="center left", bbox_to_anchor=(1, 0.5), fontsize=9)
figure.savefig("saliency.png")
