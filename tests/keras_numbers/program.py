"""Trains small models for 20 steps from given weights and writes losses and final weights; run by both interpreters.

python program.py (gradtape | tensorflow) OUTPUT.npz
"""

import os
import sys
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

STEPS = 20
BACKEND = sys.argv[1]
if BACKEND == "gradtape":
    import gradtape.keras  # noqa: F401
else:
    os.environ["KERAS_BACKEND"] = BACKEND
import keras  # noqa: E402
from keras import layers  # noqa: E402

Case = tuple[str, Callable[[], Any], tuple[int, ...], Any, Any]  # name, layers, input shape, optimizer, loss


def sequential(*parts: Any) -> Callable[[], Any]:
    return lambda: keras.Sequential([part() for part in parts])


def dense(units: int = 4, **options: Any) -> Callable[[], Any]:
    return lambda: layers.Dense(units, **options)


class SelfAttention(layers.Layer):
    """Multi-head attention of a sequence to itself."""

    def __init__(self) -> None:
        super().__init__()
        self.attention = layers.MultiHeadAttention(2, 4)

    def build(self, shape: Any) -> None:
        self.attention.build(shape, shape)

    def call(self, x: Any) -> Any:
        return self.attention(x, x)


LAYERS: dict[str, tuple[Callable[[], Any], tuple[int, ...]]] = {
    "dense": (dense(8, activation="relu"), (6,)),
    "einsum dense": (lambda: layers.EinsumDense("abc,cd->abd", (3, 5), bias_axes="d"), (3, 6)),
    "embedding": (lambda: layers.Embedding(9, 5), (7,)),
    "conv1d": (lambda: layers.Conv1D(4, 3, padding="causal", activation="tanh"), (9, 3)),
    "conv2d": (lambda: layers.Conv2D(4, 3, strides=2, padding="same", activation="relu"), (9, 9, 3)),
    "conv2d dilated": (lambda: layers.Conv2D(4, 3, dilation_rate=2), (9, 9, 3)),
    "conv2d groups": (lambda: layers.Conv2D(4, 3, groups=2), (7, 7, 4)),
    "conv3d": (lambda: layers.Conv3D(3, 2, padding="same"), (5, 5, 5, 2)),
    "conv2d transpose": (lambda: layers.Conv2DTranspose(3, 3, strides=2, padding="same"), (5, 5, 3)),
    "depthwise conv2d": (lambda: layers.DepthwiseConv2D(3, depth_multiplier=2), (7, 7, 3)),
    "separable conv2d": (lambda: layers.SeparableConv2D(4, 3), (7, 7, 3)),
    "max pooling": (sequential(lambda: layers.Conv2D(3, 3), lambda: layers.MaxPooling2D()), (8, 8, 2)),
    "average pooling": (
        sequential(lambda: layers.Conv2D(3, 3), lambda: layers.AveragePooling2D(3, 2, "same")),
        (8, 8, 2),
    ),
    "global max pooling": (sequential(dense(4), lambda: layers.GlobalMaxPooling1D()), (5, 3)),
    "up sampling": (
        sequential(lambda: layers.Conv2D(3, 3), lambda: layers.UpSampling2D(2, interpolation="bilinear")),
        (6, 6, 2),
    ),
    "batch normalization": (sequential(dense(5), lambda: layers.BatchNormalization()), (6,)),
    "layer normalization": (sequential(dense(5), lambda: layers.LayerNormalization()), (6,)),
    "group normalization": (sequential(lambda: layers.Conv2D(4, 3), lambda: layers.GroupNormalization(2)), (6, 6, 2)),
    "unit normalization": (sequential(dense(5), lambda: layers.UnitNormalization()), (6,)),
    "rms normalization": (sequential(dense(5), lambda: layers.RMSNormalization()), (6,)),
    "simple rnn": (lambda: layers.SimpleRNN(5), (6, 3)),
    "lstm": (lambda: layers.LSTM(5, return_sequences=True), (6, 3)),
    "gru": (lambda: layers.GRU(5), (6, 3)),
    "gru before": (lambda: layers.GRU(5, reset_after=False, go_backwards=True), (6, 3)),
    "bidirectional lstm": (lambda: layers.Bidirectional(layers.LSTM(4)), (6, 3)),
    "masked lstm": (sequential(lambda: layers.Embedding(9, 4, mask_zero=True), lambda: layers.LSTM(4)), (7,)),
    "conv lstm": (lambda: layers.ConvLSTM1D(3, 3), (4, 6, 2)),
    "time distributed": (lambda: layers.TimeDistributed(layers.Dense(4)), (5, 3)),
    "attention": (SelfAttention, (5, 6)),
    "dropout": (sequential(dense(8), lambda: layers.Dropout(0.3, seed=7)), (6,)),
    "gaussian noise": (sequential(dense(8), lambda: layers.GaussianNoise(0.1, seed=7)), (6,)),
    "prelu": (sequential(dense(8), lambda: layers.PReLU()), (6,)),
    "weights with a norm": (dense(6, kernel_constraint="max_norm", kernel_regularizer="l2"), (6,)),
    **{
        name: (dense(6, activation=name), (6,))
        for name in ("elu", "gelu", "hard_sigmoid", "leaky_relu", "mish", "selu", "silu", "softmax", "softplus", "tanh")
    },
}
OPTIMIZERS: dict[str, Callable[[], Any]] = {
    "sgd": lambda: keras.optimizers.SGD(0.05),
    "sgd nesterov": lambda: keras.optimizers.SGD(0.05, momentum=0.9, nesterov=True),
    "adam": lambda: keras.optimizers.Adam(0.01),
    "adam amsgrad": lambda: keras.optimizers.Adam(0.01, amsgrad=True),
    "adamw": lambda: keras.optimizers.AdamW(0.01, weight_decay=0.01),
    "rmsprop": lambda: keras.optimizers.RMSprop(0.01),
    "rmsprop centered": lambda: keras.optimizers.RMSprop(0.01, momentum=0.5, centered=True),
    "adagrad": lambda: keras.optimizers.Adagrad(0.1),
    "adadelta": lambda: keras.optimizers.Adadelta(1.0),
    "adamax": lambda: keras.optimizers.Adamax(0.01),
    "nadam": lambda: keras.optimizers.Nadam(0.01),
    "ftrl": lambda: keras.optimizers.Ftrl(0.05),
    "lion": lambda: keras.optimizers.Lion(0.005),
    "lamb": lambda: keras.optimizers.Lamb(0.01),
    "adafactor": lambda: keras.optimizers.Adafactor(0.01),
    "clipped": lambda: keras.optimizers.Adam(0.01, global_clipnorm=0.1),
    "moving average": lambda: keras.optimizers.SGD(0.05, use_ema=True, ema_overwrite_frequency=3),
    "accumulated": lambda: keras.optimizers.Adam(0.01, gradient_accumulation_steps=4),
    "scheduled": lambda: keras.optimizers.Adam(keras.optimizers.schedules.CosineDecay(0.02, 15)),
}
LOSSES = (
    *("mean_squared_error", "mean_absolute_error", "huber", "log_cosh", "cosine_similarity", "poisson", "hinge"),
    *("kl_divergence", "binary_crossentropy", "categorical_crossentropy", "squared_hinge"),
)


def cases() -> Iterator[Case]:
    for name, (layer, shape) in LAYERS.items():
        yield f"layer: {name}", layer, shape, lambda: keras.optimizers.SGD(0.05), "mean_squared_error"
    for name, optimizer in OPTIMIZERS.items():
        yield f"optimizer: {name}", dense(8, activation="tanh"), (6,), optimizer, "mean_squared_error"
    for loss in LOSSES:
        yield f"loss: {loss}", dense(8, activation="sigmoid"), (6,), lambda: keras.optimizers.SGD(0.05), loss


def train(layer: Any, shape: tuple[int, ...], optimizer: Any, loss: str) -> dict[str, Any]:
    rng = np.random.default_rng(1)
    keras.utils.set_random_seed(1)
    looks_up = "embedding" in str(layer).lower() or any(
        "embedding" in str(part).lower() for part in getattr(layer, "layers", ())
    )
    x = rng.integers(0, 9, (STEPS, 8, *shape)) if looks_up else rng.normal(size=(STEPS, 8, *shape)).astype("float32")
    inputs = keras.Input(shape, dtype="int32" if looks_up else "float32")
    hidden = layer(inputs)
    if len(hidden.shape) > 2:
        hidden = layers.Flatten()(hidden)
    of_classes = loss.startswith("categorical")
    last = "softmax" if of_classes else "sigmoid"
    model = keras.Model(inputs, layers.Dense(3, activation=last)(hidden))
    for weight in model.trainable_weights:
        weight.assign(rng.normal(size=weight.shape).astype("float32") * 0.3)
    model.compile(optimizer, loss)
    targets = rng.uniform(0.1, 0.9, (STEPS, 8, 3)).astype("float32")
    if of_classes:
        targets /= targets.sum(-1, keepdims=True)
    losses = [float(model.train_on_batch(x[i], targets[i])) for i in range(STEPS)]
    return {"losses": losses, **{f"weight {i}": np.array(w) for i, w in enumerate(model.trainable_weights)}}


def main() -> None:
    results = {}
    for name, layer, shape, optimizer, loss in cases():
        for key, value in train(layer(), shape, optimizer(), loss).items():
            results[f"{name} | {key}"] = np.asarray(value)
    np.savez(sys.argv[2], **results)


if __name__ == "__main__":
    main()
