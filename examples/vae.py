"""Variational autoencoder (VAE): handwritten digits in a plane, and what lies between them.

The encoder gives a normal distribution over two numbers for each image, one draw of it is decoded again, and the loss
is the negative evidence lower bound. The gradient goes through the draw: the noise is an input, mean and deviation
are computed.
"""

# %%
import matplotlib.pyplot as plt
import numpy as np

import gradtape as tf
from gradtape.datasets import digits

EPOCHS = 60  # small: 6
HIDDEN = 128  # small: 64
tf.keras.utils.set_random_seed(0)

# %% [markdown]
# ## Digits of 8 x 8 pixels
#
# They ship with gradtape: 1,442 images to train on, 355 to test.

# %%
(images, _), (test_images, test_labels) = digits.load_data()
images, test_images = (
    part.reshape(-1, 64).astype(np.float32) / 16 for part in (images, test_images)
)
batches = tf.data.Dataset.from_tensor_slices(images).shuffle(len(images)).batch(32)

# %% [markdown]
# ## The model and the bound
#
# The bound has two parts, both in nats: how badly the image is rebuilt, and how far the encoder's distribution is
# from a standard normal one.

# %%
dense = tf.keras.layers.Dense
encoder = tf.keras.Sequential(
    [dense(HIDDEN, "relu"), dense(HIDDEN, "relu"), dense(4)]
)
decoder = tf.keras.Sequential(
    [dense(HIDDEN, "relu"), dense(HIDDEN, "relu"), dense(64)]
)


def parts_of_the_bound(images):
    mean, log_variance = tf.split(encoder(images), 2, axis=1)
    code = mean + tf.exp(0.5 * log_variance) * tf.random.normal(tf.shape(mean))
    scores = decoder(code)
    rebuilt = tf.reduce_sum(
        tf.nn.sigmoid_cross_entropy_with_logits(labels=images, logits=scores),
        axis=1,
    )
    distance = 0.5 * tf.reduce_sum(
        mean**2 + tf.exp(log_variance) - log_variance - 1, axis=1
    )
    return tf.reduce_mean(rebuilt), tf.reduce_mean(distance)


# %% [markdown]
# ## Train

# %%
optimizer = tf.keras.optimizers.Adam(2e-3)


@tf.function
def train_step(images):
    with tf.GradientTape() as tape:
        rebuilt, distance = parts_of_the_bound(images)
        loss = rebuilt + distance
    variables = encoder.trainable_variables + decoder.trainable_variables
    optimizer.apply_gradients(
        zip(tape.gradient(loss, variables), variables, strict=True)
    )


def test():
    rebuilt, distance = (
        float(part) for part in parts_of_the_bound(tf.constant(test_images))
    )
    return rebuilt, distance


bounds = [sum(test())]
for epoch in range(1, EPOCHS + 1):
    for batch in batches:
        train_step(batch)
    bounds.append(sum(test()))
    if epoch % (EPOCHS // 3) == 0:
        print(f"epoch {epoch:2}   {bounds[-1]:.2f} nats per test image")

# %% [markdown]
# How good is that? A model that knows only how bright each pixel is on average needs this many:

# %%
brightness = np.clip(images.mean(axis=0), 1e-3, 1 - 1e-3)
independent = (
    -(test_images * np.log(brightness) + (1 - test_images) * np.log(1 - brightness))
    .sum(axis=1)
    .mean()
)
rebuilt, distance = test()
print(f"pixels one by one   {independent:.2f} nats")
print(
    f"autoencoder         {rebuilt + distance:.2f} nats: {rebuilt:.2f} to rebuild, {distance:.2f} for the two numbers"
)

# %% picture
figure, (plane, atlas) = plt.subplots(2, 1, figsize=(5, 8.6))
means = encoder(tf.constant(test_images))[:, :2].numpy()
edge, count = 2.5, 9
for (x, y), digit in zip(means, test_labels, strict=True):
    plane.text(
        x,
        y,
        str(digit),
        color=f"C{digit}",
        ha="center",
        va="center",
        fontsize=9,
        clip_on=True,
    )
plane.set(
    title="Where the test images lie",
    aspect="equal",
    xlim=(-edge, edge),
    ylim=(-edge, edge),
)
places = np.linspace(-edge, edge, count, dtype=np.float32)
codes = np.stack(np.meshgrid(places, places[::-1]), axis=-1).reshape(-1, 2)
tiles = np.pad(
    tf.sigmoid(decoder(tf.constant(codes))).numpy().reshape(-1, 8, 8),
    ((0, 0), (1, 1), (1, 1)),
)
atlas.imshow(
    tiles.reshape(count, count, 10, 10)
    .swapaxes(1, 2)
    .reshape(10 * count, 10 * count),
    extent=(-edge, edge, -edge, edge),
    cmap="gray_r",
)
atlas.set(title="What lies at each place")
for axes in (plane, atlas):
    axes.set(xlabel="first number", ylabel="second number")
figure.savefig("vae.png")
