"""Per-example gradients: find the wrong labels of a data set.

A gradient of a batch is a mean, and says nothing of single examples. `tf.autodiff.per_example_gradients` keeps them
apart, in one pass. Here some labels were changed at random. Their gradients
are long, which gives them away.
"""

# %%
import time

import matplotlib.pyplot as plt
import numpy as np

import gradtape as tf
from gradtape.datasets import digits

EPOCHS = 8  # small: 4
WRONG = 60
tf.keras.utils.set_random_seed(0)

# %% [markdown]
# ## Digits, some of them with a wrong label

# %%
(images, labels), _ = digits.load_data()
images, labels = (
    images.reshape(-1, 64).astype(np.float32) / 16,
    labels.astype(np.int32),
)
random = np.random.default_rng(0)
changed = random.choice(len(labels), WRONG, replace=False)
labels[changed] = (labels[changed] + random.integers(1, 10, WRONG)) % 10
is_wrong = np.isin(np.arange(len(labels)), changed)

model = tf.keras.Sequential(
    [tf.keras.layers.Dense(32, "relu"), tf.keras.layers.Dense(10)]
)
model.compile(
    "adam", tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)
)
model.fit(images, labels, epochs=EPOCHS, batch_size=16, verbose=0)

# %% [markdown]
# ## The gradient of each example
#
# The loss is written for one example, without a batch. The answer has the examples as first axis.


# %%
def loss(image, label):
    scores = model(image[tf.newaxis])
    return tf.nn.sparse_softmax_cross_entropy_with_logits(
        labels=label[tf.newaxis], logits=scores
    )[0]


weights = model.trainable_variables
start = time.process_time()
each = tf.autodiff.per_example_gradients(
    loss, weights, tf.constant(images), tf.constant(labels)
)
together = time.process_time() - start
print([tuple(gradient.shape) for gradient in each])

# %% [markdown]
# The same numbers come from a loop of tapes, one for each example, and take longer:

# %%
start, difference = time.process_time(), 0.0
for number in range(100):
    with tf.GradientTape() as tape:
        value = loss(tf.constant(images[number]), tf.constant(labels[number]))
    for alone, found in zip(tape.gradient(value, weights), each, strict=True):
        difference = max(
            difference, float(tf.reduce_max(tf.abs(alone - found[number])))
        )
loop = (time.process_time() - start) * len(images) / 100
print(
    f"largest difference {difference:.0e}; a loop over all would take {loop / together:.0f} times as long"
)

# %% [markdown]
# ## Who pulls hardest?
#
# The net agrees with most labels, so most gradients are short. A wrong label is one that it still wants to move for.

# %%
norm = np.sqrt(
    sum(
        (gradient.numpy().reshape(len(images), -1) ** 2).sum(axis=1)
        for gradient in each
    )
)
by_norm = is_wrong[np.argsort(-norm)[:WRONG]].sum()
print(f"{WRONG} of {len(labels)} labels are wrong")
print(
    f"of the {WRONG} longest gradients, {by_norm} are theirs; by chance it would be {WRONG**2 / len(labels):.1f}"
)

# %% picture
figure, (axes, row) = plt.subplots(2, 1, figsize=(6, 6), height_ratios=(3, 2))
edges = np.linspace(0, np.percentile(norm, 99.9), 50)
axes.hist(norm[~is_wrong], edges, color="C0", alpha=0.7, label="right label")
axes.hist(norm[is_wrong], edges, color="C1", alpha=0.8, label="wrong label")
axes.set(
    title="Gradients of single examples",
    xlabel="norm",
    ylabel="examples",
    yscale="log",
)
axes.legend()
worst = np.argsort(-norm)[:12]
tiles = np.pad(images[worst].reshape(2, 6, 8, 8), ((0, 0), (0, 0), (1, 1), (1, 1)))
row.imshow(tiles.swapaxes(1, 2).reshape(20, 60), cmap="gray_r", vmin=0, vmax=1)
for number, place in enumerate(worst):
    colour = "C1" if is_wrong[place] else "C0"
    row.text(
        10 * (number % 6) + 0.3,
        10 * (number // 6) + 2,
        labels[place],
        color=colour,
        fontweight="bold",
    )
row.set(title="The twelve longest, with their labels", xticks=[], yticks=[])
figure.savefig("per_example_gradients.png")
