"""GAN: two nets against each other, two tapes over one forward pass.

The generator turns noise into images of 8 x 8 pixels; the discriminator says whether an image is real. Both learn in one
step, each from its own tape. A classifier that never saw a drawing judges in the end which digits were drawn, and how sure
it is of them.
"""

# %%
import matplotlib.pyplot as plt
import numpy as np

import gradtape as tf
from gradtape.datasets import digits

EPOCHS = 80  # small: 8
HIDDEN = 128  # small: 64
NOISE = 16
tf.keras.utils.set_random_seed(1)

# %%
(images, labels), _ = digits.load_data()
images = images.reshape(-1, 64).astype(np.float32) / 8 - 1
batches = (
    tf.data.Dataset.from_tensor_slices(images)
    .shuffle(len(images))
    .batch(64, drop_remainder=True)
)

# %% [markdown]
# ## The two nets

# %%
layers = tf.keras.layers
generator = tf.keras.Sequential(
    [
        layers.Dense(HIDDEN, use_bias=False),
        layers.BatchNormalization(),
        layers.LeakyReLU(0.2),
        layers.Dense(HIDDEN, use_bias=False),
        layers.BatchNormalization(),
        layers.LeakyReLU(0.2),
        layers.Dense(64, activation="tanh"),
    ]
)
discriminator = tf.keras.Sequential(
    [
        layers.Dense(HIDDEN),
        layers.LeakyReLU(0.2),
        layers.Dropout(0.3),
        layers.Dense(HIDDEN),
        layers.LeakyReLU(0.2),
        layers.Dropout(0.3),
        layers.Dense(1),
    ]
)

# %% [markdown]
# ## One step, two gradients
#
# Both tapes record the same forward pass. Each is asked for the gradient of its own loss by its own weights. Real images
# count as 0.9: a discriminator that is never quite sure teaches more.

# %%
cross_entropy = tf.keras.losses.BinaryCrossentropy(from_logits=True)
generator_optimizer = tf.keras.optimizers.Adam(5e-4, beta_1=0.5)
discriminator_optimizer = tf.keras.optimizers.Adam(5e-4, beta_1=0.5)


@tf.function
def train_step(images):
    noise = tf.random.normal([tf.shape(images)[0], NOISE])
    with (
        tf.GradientTape() as generator_tape,
        tf.GradientTape() as discriminator_tape,
    ):
        drawn = generator(noise, training=True)
        real_scores = discriminator(images, training=True)
        drawn_scores = discriminator(drawn, training=True)
        generator_loss = cross_entropy(tf.ones_like(drawn_scores), drawn_scores)
        real_loss = cross_entropy(0.9 * tf.ones_like(real_scores), real_scores)
        discriminator_loss = real_loss + cross_entropy(
            tf.zeros_like(drawn_scores), drawn_scores
        )
    for tape, loss, net, optimizer in (
        (generator_tape, generator_loss, generator, generator_optimizer),
        (
            discriminator_tape,
            discriminator_loss,
            discriminator,
            discriminator_optimizer,
        ),
    ):
        gradients = tape.gradient(loss, net.trainable_variables)
        optimizer.apply_gradients(
            zip(gradients, net.trainable_variables, strict=True)
        )
    return generator_loss, discriminator_loss


# %%
same_noise = tf.random.normal([40, NOISE])
snapshots = {0: generator(same_noise).numpy()}
losses = []
for epoch in range(1, EPOCHS + 1):
    for batch in batches:
        losses.append([float(loss) for loss in train_step(batch)])
    if epoch in (EPOCHS // 8, EPOCHS):
        snapshots[epoch] = generator(same_noise).numpy()
    if epoch % (EPOCHS // 4) == 0:
        of_generator, of_discriminator = np.mean(losses[-len(batches) :], axis=0)
        print(
            f"epoch {epoch:3}   generator {of_generator:.2f}   discriminator {of_discriminator:.2f}"
        )
losses = np.array(losses)

# %% [markdown]
# ## Are these digits?
#
# A classifier that was trained on real digits names 1,000 drawings. If the generator had given up variety, some digits would
# be missing; if it drew mush, the classifier would not be sure.

# %%
judge = tf.keras.Sequential([layers.Dense(64, "relu"), layers.Dense(10, "softmax")])
judge.compile("adam", "sparse_categorical_crossentropy")
judge.fit(images, labels, epochs=15, verbose=0)


def judged(images):
    """How often each digit, and how sure the judge is."""
    chances = judge(tf.constant(images)).numpy()
    return np.bincount(chances.argmax(axis=1), minlength=10), chances.max(
        axis=1
    ).mean()


counts, sure = judged(generator(tf.random.normal([1000, NOISE])).numpy())
_, sure_of_real = judged(images)
_, sure_of_noise = judged(
    np.random.default_rng(0).uniform(-1, 1, images.shape).astype(np.float32)
)
print("digits 0 to 9 among 1000 drawings:", *counts)
print(
    f"how sure the judge is: drawings {sure:.2f}, real digits {sure_of_real:.2f}, noise {sure_of_noise:.2f}"
)

# %% picture
figure, rows = plt.subplots(len(snapshots), 1, figsize=(6, 8.4))
for axes, (epoch, drawn) in zip(rows, snapshots.items(), strict=True):
    tiles = np.pad(
        drawn.reshape(4, 10, 8, 8),
        ((0, 0), (0, 0), (1, 1), (1, 1)),
        constant_values=-1,
    )
    axes.imshow(
        tiles.swapaxes(1, 2).reshape(40, 100), cmap="gray_r", vmin=-1, vmax=1
    )
    axes.set(
        title=f"epoch {epoch}" if epoch else "before training", xticks=[], yticks=[]
    )
figure.savefig("gan.png")
