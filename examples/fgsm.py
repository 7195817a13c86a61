"""FGSM: a step along the sign of the gradient fools a classifier, and training against it helps.

The fast gradient sign method (Goodfellow, Shlens and Szegedy, 2015) changes each pixel a little, in the direction in which
the loss grows. The gradient is by the image instead of the weights; nothing else changes. A net that is trained on such
images withstands them better.
"""

# %%
import matplotlib.pyplot as plt
import numpy as np

import gradtape as tf
from gradtape.datasets import digits

EPOCHS = 30  # small: 8
STRENGTHS = (0.0, 0.05, 0.1, 0.15, 0.2)
tf.keras.utils.set_random_seed(0)

# %%
(images, labels), (test_images, test_labels) = digits.load_data()
images, test_images = (
    part[..., np.newaxis].astype(np.float32) / 16 for part in (images, test_images)
)
labels, test_labels = labels.astype(np.int32), test_labels.astype(np.int32)
batches = (
    tf.data.Dataset.from_tensor_slices((images, labels))
    .shuffle(len(images))
    .batch(64)
)
cross_entropy = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)


def make_model():
    layers = tf.keras.layers
    return tf.keras.Sequential(
        [
            layers.Conv2D(16, 3, activation="relu"),
            layers.Conv2D(32, 3, activation="relu"),
            layers.Flatten(),
            layers.Dense(64, "relu"),
            layers.Dense(10),
        ]
    )


# %% [markdown]
# ## The attack
#
# One gradient by the image, its sign, one step. The repeated attack takes ten smaller steps and comes back into the
# permitted range after each (PGD, Madry and others, 2018).


# %%
def image_gradient(model, images, labels):
    with tf.GradientTape() as tape:
        tape.watch(images)
        loss = cross_entropy(labels, model(images))
    return tape.gradient(loss, images)


def fgsm(model, images, labels, strength):
    return tf.clip_by_value(
        images + strength * tf.sign(image_gradient(model, images, labels)), 0.0, 1.0
    )


def repeated(model, images, labels, strength, steps=10):
    changed = images
    for _ in range(steps):
        changed += (
            2.5 * strength / steps * tf.sign(image_gradient(model, changed, labels))
        )
        changed = tf.clip_by_value(changed, images - strength, images + strength)
        changed = tf.clip_by_value(changed, 0.0, 1.0)
    return changed


# %% [markdown]
# ## Two nets: one trained as usual, one against the attack


# %%
def train(attacked):
    model, optimizer = make_model(), tf.keras.optimizers.Adam(1e-3)

    @tf.function
    def step(images, labels):
        shown = fgsm(model, images, labels, 0.15) if attacked else images
        with tf.GradientTape() as tape:
            loss = cross_entropy(labels, model(shown))
        gradients = tape.gradient(loss, model.trainable_variables)
        optimizer.apply_gradients(
            zip(gradients, model.trainable_variables, strict=True)
        )

    for _ in range(EPOCHS):
        for batch in batches:
            step(*batch)
    return model


usual, hardened = train(attacked=False), train(attacked=True)

# %% [markdown]
# ## How many test images are still right?

# %%
x, y = tf.constant(test_images), tf.constant(test_labels)


def accuracy(model, images):
    return float(np.mean(tf.argmax(model(images), axis=1).numpy() == test_labels))


right = {}
print(
    "strength of the attack        "
    + "".join(f"{strength:8g}" for strength in STRENGTHS)
)
for name, model in (("usual", usual), ("hardened", hardened)):
    for attack in (fgsm, repeated):
        row = right[name, attack.__name__] = [
            accuracy(model, attack(model, x, y, s)) for s in STRENGTHS
        ]
        print(
            f"{name:10} {attack.__name__:18} "
            + "".join(f"{value:8.1%}" for value in row)
        )
noise = 0.15 * tf.sign(tf.random.normal(x.shape))
with_noise = accuracy(usual, tf.clip_by_value(x + noise, 0.0, 1.0))
print(f"the usual net with random signs of strength 0.15: {with_noise:.1%}")

# %% picture
figure = plt.figure(figsize=(6, 6.4))
top, bottom = figure.subfigures(2, 1, height_ratios=(3, 2))
axes = top.subplots()
for (name, attack), values in right.items():
    style = "-" if attack == "fgsm" else "--"
    axes.plot(
        STRENGTHS,
        [100 * v for v in values],
        style,
        color="C0" if name == "usual" else "C1",
        label=f"{name}, {attack}",
    )
axes.set(
    title="Test images that are still right",
    xlabel="strength",
    ylabel="%",
    ylim=(0, 102),
)
axes.legend(loc="lower left", fontsize=9)
changed = fgsm(usual, x, y, 0.15)
taken = tf.argmax(usual(changed), axis=1).numpy()
fooled = np.flatnonzero(
    (taken != test_labels) & (tf.argmax(usual(x), axis=1).numpy() == test_labels)
)[:5]
for column, (place, pair) in enumerate(
    zip(fooled, bottom.subplots(2, 5, squeeze=False).T, strict=False)
):
    for axes, image, title in zip(
        pair, (test_images, changed.numpy()), (test_labels, taken), strict=True
    ):
        axes.imshow(image[place, ..., 0], cmap="gray_r", vmin=0, vmax=1)
        axes.set(xticks=[], yticks=[], title=f"{title[place]}")
    if column == 0:
        pair[0].set_ylabel("image")
        pair[1].set_ylabel("0.15")
figure.savefig("fgsm.png")
