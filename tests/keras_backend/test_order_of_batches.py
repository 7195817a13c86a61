"""`fit` sees the batches in the order that Keras has on TensorFlow 2.21, epoch for epoch, once a global seed is set."""

from typing import Any

import keras
import numpy as np
import pytest

import gradtape as tf

X = np.arange(6, dtype="float32").reshape(6, 1)


class Watched(keras.Model):
    """Keeps the batches that it was trained and tested on."""

    def __init__(self) -> None:
        super().__init__()
        self.seen: list[Any] = []
        self.compile(run_eagerly=True, optimizer="sgd", loss="mse")

    def train_step(self, data: Any) -> Any:
        self.seen.append(np.ravel(data[0]).astype(int).tolist())
        return {}

    def test_step(self, data: Any) -> Any:
        self.seen.append(("test", np.ravel(data[0]).astype(int).tolist()))
        return {}


def dataset(seed: int | None = None) -> tf.data.Dataset:
    return tf.data.Dataset.from_tensor_slices((X, X)).shuffle(6, seed=seed)


def test_a_shuffled_dataset() -> None:
    keras.utils.set_random_seed(0)
    model = Watched()
    model.fit(dataset(seed=1).batch(3), epochs=3, verbose=0)
    assert model.seen == [[5, 1, 2], [0, 4, 3], [3, 0, 5], [4, 2, 1], [5, 4, 1], [0, 2, 3]]


def test_a_shuffled_dataset_for_validation() -> None:
    keras.utils.set_random_seed(0)
    model = Watched()
    model.fit(dataset(seed=1).batch(3), epochs=2, verbose=0, validation_data=dataset(seed=1).batch(3))
    epoch_1, epoch_2 = [[5, 1, 2], [0, 4, 3]], [[3, 0, 5], [4, 2, 1]]
    tested = [[("test", batch) for batch in epoch] for epoch in (epoch_1, epoch_2)]
    assert model.seen == [*epoch_1, *tested[0], *epoch_2, *tested[1]]


def test_a_dataset_without_end_goes_on() -> None:
    keras.utils.set_random_seed(0)
    rows, model = dataset(seed=1).batch(3).repeat(), Watched()
    model.fit(rows, epochs=2, steps_per_epoch=2, verbose=0)
    assert model.seen == [[5, 1, 2], [0, 4, 3], [2, 1, 4], [5, 0, 3]]


def test_arrays_have_one_order_in_all_epochs_as_on_tensorflow() -> None:
    keras.utils.set_random_seed(0)
    model = Watched()
    model.fit(X, X, batch_size=3, epochs=2, verbose=0)
    assert model.seen == [[0, 4, 5], [2, 3, 1]] * 2


def test_arrays_shuffled_batch_by_batch() -> None:
    keras.utils.set_random_seed(0)
    x = np.arange(12, dtype="float32").reshape(12, 1)
    model = Watched()
    model.fit(x, x, batch_size=4, epochs=2, verbose=0, shuffle="batch")
    assert model.seen == [[2, 0, 3, 1], [7, 4, 5, 6], [10, 9, 11, 8]] * 2


def test_a_last_batch_may_be_shorter() -> None:
    keras.utils.set_random_seed(0)
    model = Watched()
    model.fit(X, X, batch_size=4, verbose=0)
    assert model.seen == [[0, 4, 5, 2], [3, 1]]


@pytest.mark.parametrize("shuffle", [False, True])
def test_without_a_seed_every_row_is_seen_once_an_epoch(monkeypatch: pytest.MonkeyPatch, shuffle: bool) -> None:
    monkeypatch.setattr("gradtape.base.seeds.GLOBAL.seed", None)
    model = Watched()
    model.fit(X, X, batch_size=3, epochs=2, verbose=0, shuffle=shuffle)
    rows = [row for batch in model.seen for row in batch]
    assert [sorted(rows[:6]), sorted(rows[6:])] == [list(range(6))] * 2


def test_weights_of_classes_and_samples_stay_with_their_rows() -> None:
    keras.utils.set_random_seed(0)
    seen: list[Any] = []

    class Model(Watched):
        def train_step(self, data: Any) -> Any:
            seen.extend(zip(np.ravel(data[0]), np.ravel(data[2]), strict=True))
            return {}

    Model().fit(X, X, sample_weight=10 * X[:, 0], batch_size=4, verbose=0)
    assert all(weight == 10 * row for row, weight in seen)
