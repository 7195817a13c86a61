"""DP-SGD: training with differential privacy, and the price of it.

No single image may change the result by much, and how much is known. Each step takes a random part of the images, cuts the
gradient of each image to a norm, adds them up and adds noise. `tf.train.per_example_gradients` gives the sum of the cut
gradients, at little more than the price of a plain gradient.
"""

# %%
import math

import matplotlib.pyplot as plt
import numpy as np

import gradtape as tf
from gradtape.datasets import digits

EPOCHS = 15  # small: 4
HIDDEN = 64  # small: 32
NOISES = (0.0, 1.0, 2.0, 4.0)  # small: (0.0, 2.0)
BATCH, CLIP, RATE, DELTA = 64, 1.0, 0.5, 1e-4

# %%
(images, labels), (test_images, test_labels) = digits.load_data()
images, test_images = (
    part.reshape(-1, 64).astype(np.float32) / 16 for part in (images, test_images)
)
labels, test_labels = labels.astype(np.int32), test_labels.astype(np.int32)

# %% [markdown]
# ## The net, and the loss of one image


# %%
class Classifier(tf.Module):
    def __init__(self):
        self.w1 = tf.Variable(
            tf.random.normal([64, HIDDEN], stddev=math.sqrt(2 / 64))
        )
        self.b1 = tf.Variable(tf.zeros([HIDDEN]))
        self.w2 = tf.Variable(
            tf.random.normal([HIDDEN, 10], stddev=math.sqrt(1 / HIDDEN))
        )
        self.b2 = tf.Variable(tf.zeros([10]))

    def __call__(self, images):
        return tf.nn.relu(images @ self.w1 + self.b1) @ self.w2 + self.b2

    def loss(self, image, label):
        scores = self(image[tf.newaxis])
        return tf.nn.sparse_softmax_cross_entropy_with_logits(
            labels=label[tf.newaxis], logits=scores
        )[0]

    def accuracy(self):
        return float(
            np.mean(tf.argmax(self(test_images), axis=1).numpy() == test_labels)
        )


# %% [markdown]
# ## A private step
#
# The noise is in units of the cut. The sum is divided by the expected size of a batch: the true one would tell something
# about who is in it.


# %%
def private_step(model, images, labels, noise):
    weights = model.trainable_variables
    sums = tf.train.per_example_gradients(
        model.loss, weights, images, labels, clip_norm=CLIP, reduction="sum"
    )
    for weight, total in zip(weights, sums, strict=True):
        noisy = total + tf.random.normal(weight.shape, stddev=noise * CLIP)
        weight.assign_sub(RATE / BATCH * noisy)


# %% [markdown]
# ## What was spent
#
# ε bounds how much more likely any result is with an image than without it: by a factor of exp(ε), but for a chance δ. It
# follows from the noise, the share of images in a step and the number of steps, by the Rényi divergences of the sampled
# Gaussian mechanism (Mironov, Talwar and Zhang, 2019).


# %%
def epsilon(noise, share, steps, delta):
    if not noise:
        return math.inf
    best = math.inf
    for order in range(2, 129):
        terms = [
            math.log(math.comb(order, k))
            + (order - k) * math.log1p(-share)
            + k * math.log(share)
            + (k * k - k) / (2 * noise**2)
            for k in range(order + 1)
        ]
        divergence = float(np.logaddexp.reduce(terms)) / (order - 1)
        best = min(best, steps * divergence + math.log(1 / delta) / (order - 1))
    return best


# %% [markdown]
# ## Train with more and more noise

# %%
share = BATCH / len(images)
steps_per_epoch = round(1 / share)
curves, spent = {}, {}
for noise in NOISES:
    tf.random.set_seed(0)
    sampler = np.random.default_rng(0)
    model = Classifier()
    curves[noise] = [model.accuracy()]
    for _ in range(EPOCHS):
        for _ in range(steps_per_epoch):
            chosen = (
                sampler.random(len(images)) < share
            )  # each image by itself: what the bound is for
            if chosen.any():
                private_step(
                    model,
                    tf.constant(images[chosen]),
                    tf.constant(labels[chosen]),
                    noise,
                )
        curves[noise].append(model.accuracy())
    spent[noise] = epsilon(noise, share, EPOCHS * steps_per_epoch, DELTA)
    print(
        f"noise {noise:g}   ε {spent[noise]:6.2f} at δ {DELTA:g}   accuracy {curves[noise][-1]:.1%}"
    )

# %% picture
figure, axes = plt.subplots(figsize=(6, 4.2))
for noise, values in curves.items():
    name = (
        f"noise {noise:g}: ε = {spent[noise]:.1f}"
        if noise
        else "cut only: no privacy"
    )
    axes.plot(
        range(EPOCHS + 1), [100 * value for value in values], ".-", label=name
    )
axes.set(
    title="What privacy costs",
    xlabel="epoch",
    ylabel="test images that are right (%)",
    ylim=(0, 100),
)
axes.legend(loc="lower right")
figure.savefig("dp_sgd.png")
