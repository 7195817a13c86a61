"""`fit`, `evaluate`, `predict` and their steps."""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
from keras.src import callbacks as callbacks_module
from keras.src import metrics as metrics_module
from keras.src import optimizers as optimizers_module
from keras.src import tree
from keras.src.backend import KerasTensor, config
from keras.src.losses import loss as loss_module
from keras.src.trainers import trainer as base_trainer
from keras.src.trainers.data_adapters import array_slicing, data_adapter_utils
from keras.src.trainers.data_adapters.array_data_adapter import ArrayDataAdapter
from keras.src.trainers.epoch_iterator import EpochIterator
from keras.src.utils import traceback_utils
from keras.src.utils.python_utils import pythonify_logs

import gradtape
from gradtape.base.dtypes import BY_NUMPY
from gradtape.base.seeds import GLOBAL
from gradtape.values.tensor import EagerTensor, from_array
from keras_gradtape import replicas
from keras_gradtape.dataset_adapter import is_dataset
from keras_gradtape.distribution_lib import distribute_data_input, distribution
from keras_gradtape.ops.core import compute_output_spec, convert_to_numpy, convert_to_tensor, shape
from keras_gradtape.slicing import as_tensors


class GradtapeTrainer(base_trainer.Trainer):
    """The training loop of Keras models on gradtape."""

    def __init__(self) -> None:
        super().__init__()
        self.train_function: Any = None
        self.test_function: Any = None
        self.predict_function: Any = None
        self._eval_epoch_iterator: Any = None
        self._strategy = replicas.current()

    @property
    def distribute_strategy(self) -> Any:
        """The strategy in whose scope the model was made."""
        return self._strategy or gradtape.distribute.get_strategy()

    def _aggregate_additional_loss(self, loss: Any) -> Any:
        return loss_module.scale_loss_for_distribution(super()._aggregate_additional_loss(loss))

    def _resolve_auto_jit_compile(self) -> bool:
        """What `jit_compile="auto"` means: False, as with TensorFlow on a CPU.

        Steps are compiled in any case. With True they may round in another way than eager code, once they are machine code, and
        a training that goes on from a file would differ from one that never stopped: that is for the user to ask for.
        """
        return False

    # --- one step ------------------------------------------------------------------------------------------------

    def train_step(self, data: Any) -> Any:
        """Update weights and metrics on one batch."""
        x, y, sample_weight = data_adapter_utils.unpack_x_y_sample_weight(data)
        with gradtape.GradientTape() as tape:
            y_pred = self._call_on(x, training=True)
            loss = self._compute_loss(x=x, y=y, y_pred=y_pred, sample_weight=sample_weight, training=True)
            scaled = loss if self.optimizer is None else self.optimizer.scale_loss(loss)
        self._track(loss, x)
        weights = self.trainable_weights
        if weights:
            self.optimizer.apply_gradients(zip(tape.gradient(scaled, weights), weights, strict=True))
        else:
            warnings.warn("The model does not have any trainable weights.", stacklevel=2)
        return self.compute_metrics(x, y, y_pred, sample_weight=sample_weight)

    def test_step(self, data: Any) -> Any:
        """Update metrics on one batch."""
        x, y, sample_weight = data_adapter_utils.unpack_x_y_sample_weight(data)
        y_pred = self._call_on(x, training=False)
        loss = self._compute_loss(x=x, y=y, y_pred=y_pred, sample_weight=sample_weight, training=False)
        self._track(loss, x)
        return self.compute_metrics(x, y, y_pred, sample_weight=sample_weight)

    def predict_step(self, data: Any) -> Any:
        """The model's output for one batch."""
        x, _, _ = data_adapter_utils.unpack_x_y_sample_weight(data)
        return self._call_on(x, training=False)

    def _track(self, loss: Any, x: Any) -> None:
        self._loss_tracker.update_state(loss_module.unscale_loss_for_distribution(loss), sample_weight=_batch_size(x))

    def _call_on(self, x: Any, training: bool) -> Any:
        return self(x, training=training) if self._call_has_training_arg else self(x)

    def make_train_function(self, force: bool = False) -> Any:
        """Prepare `train_function`, which takes a list of batches and returns the last logs."""
        if self.train_function is None or force:
            self.train_function = self._over_batches(self.train_step)
        return self.train_function

    def make_test_function(self, force: bool = False) -> Any:
        """Prepare `test_function`, which takes a list of batches and returns the last logs."""
        if self.test_function is None or force:
            self.test_function = self._over_batches(self.test_step)
        return self.test_function

    def make_predict_function(self, force: bool = False) -> Any:
        """Prepare `predict_function`, which takes a list of batches and returns their outputs as one."""
        if self.predict_function is None or force:
            step = self._compiled(self.predict_step)

            def predict(batches: Any) -> Any:
                outputs = [step(_as_tensors(data)) for data in batches]
                if len(outputs) == 1:
                    return outputs[0]
                return tree.map_structure(_joined, *outputs)

            self.predict_function = predict
        return self.predict_function

    def _over_batches(self, step: Callable[[Any], Any]) -> Callable[[Any], Any]:
        return _OverBatches(self._compiled(step))

    def _compiled(self, step: Callable[[Any], Any]) -> Callable[[Any], Any]:
        """The step as it is run: traced, unless `run_eagerly`.

        The first call is plain Python: it builds layers that are not built yet. A step that cannot be traced stays plain Python.
        """
        if self._strategy is not None:
            return replicas.OnReplicas(step, self._strategy, _build)
        if self.run_eagerly:
            return step
        return _Compiled(step, self.jit_compile)

    # --- many steps ----------------------------------------------------------------------------------------------

    @traceback_utils.filter_traceback
    def fit(
        self,
        x: Any = None,
        y: Any = None,
        batch_size: int | None = None,
        epochs: int = 1,
        verbose: Any = "auto",
        callbacks: Any = None,
        validation_split: float = 0.0,
        validation_data: Any = None,
        shuffle: bool = True,
        class_weight: Any = None,
        sample_weight: Any = None,
        initial_epoch: int = 0,
        steps_per_epoch: int | None = None,
        validation_steps: int | None = None,
        validation_batch_size: int | None = None,
        validation_freq: Any = 1,
    ) -> Any:
        """Train for a number of epochs; returns the history of losses and metrics."""
        self._assert_compile_called("fit")
        limit = config.max_epochs()
        if limit and limit < epochs:
            warnings.warn(f"Limiting epochs to {limit}", stacklevel=2)
            epochs = limit
        if validation_split and validation_data is None:
            (x, y, sample_weight), validation_data = array_slicing.train_validation_split(
                (x, y, sample_weight), validation_split=validation_split
            )
        training = _Epoch(
            x=x,
            y=y,
            sample_weight=sample_weight,
            batch_size=batch_size,
            steps_per_epoch=steps_per_epoch,
            shuffle=shuffle,
            class_weight=class_weight,
            steps_per_execution=self.steps_per_execution,
        )
        validation = None
        callbacks = self._callback_list(callbacks, verbose, epochs, training.num_batches, add_history=True)
        self.stop_training = False
        self.make_train_function()
        callbacks.on_train_begin()
        logs: Any = {}
        epoch_logs: Any = None
        for epoch in range(self._initial_epoch or initial_epoch, epochs):
            self.reset_metrics()
            callbacks.on_epoch_begin(epoch)
            for first, last, batches in training:
                callbacks.on_train_batch_begin(first)
                logs = self.train_function(batches)
                callbacks.on_train_batch_end(last, logs)
                if self.stop_training:
                    break
            epoch_logs = dict(self._get_metrics_result_or_logs(logs))
            if validation_data is not None and self._should_eval(epoch, validation_freq):
                if validation is None:
                    val_x, val_y, val_weight = data_adapter_utils.unpack_x_y_sample_weight(validation_data)
                    validation = _Epoch(
                        x=val_x,
                        y=val_y,
                        sample_weight=val_weight,
                        batch_size=validation_batch_size or batch_size,
                        steps_per_epoch=validation_steps,
                        shuffle=False,
                        steps_per_execution=self.steps_per_execution,
                    )
                self._eval_epoch_iterator = validation
                val_logs = self.evaluate(
                    x=val_x,
                    y=val_y,
                    sample_weight=val_weight,
                    batch_size=validation_batch_size or batch_size,
                    steps=validation_steps,
                    callbacks=callbacks,
                    return_dict=True,
                    _use_cached_eval_dataset=True,
                )
                epoch_logs.update({f"val_{name}": value for name, value in val_logs.items()})
            callbacks.on_epoch_end(epoch, epoch_logs)
            if self.stop_training:
                break
        if isinstance(self.optimizer, optimizers_module.Optimizer) and epochs > 0:
            self.optimizer.finalize_variable_values(self.trainable_weights)
        self._eval_epoch_iterator = None
        callbacks.on_train_end(logs=epoch_logs)
        return self.history

    @traceback_utils.filter_traceback
    def evaluate(
        self,
        x: Any = None,
        y: Any = None,
        batch_size: int | None = None,
        verbose: Any = "auto",
        sample_weight: Any = None,
        steps: int | None = None,
        callbacks: Any = None,
        return_dict: bool = False,
        **kwargs: Any,
    ) -> Any:
        """Loss and metrics on given data."""
        self._assert_compile_called("evaluate")
        use_cached = kwargs.pop("_use_cached_eval_dataset", False)
        if kwargs:
            raise ValueError(f"Arguments not recognized: {kwargs}")
        batches_of_epoch = self._eval_epoch_iterator if use_cached else None
        if batches_of_epoch is None:
            batches_of_epoch = _Epoch(
                x=x,
                y=y,
                sample_weight=sample_weight,
                batch_size=batch_size,
                steps_per_epoch=steps,
                shuffle=False,
                steps_per_execution=self.steps_per_execution,
            )
        callbacks = self._callback_list(callbacks, verbose, 1, batches_of_epoch.num_batches)
        self.make_test_function()
        self.stop_evaluating = False
        callbacks.on_test_begin()
        logs: Any = {}
        self.reset_metrics()
        for first, last, batches in batches_of_epoch:
            callbacks.on_test_batch_begin(first)
            logs = self.test_function(batches)
            callbacks.on_test_batch_end(last, logs)
            if self.stop_evaluating:
                break
        logs = pythonify_logs(self._get_metrics_result_or_logs(logs))
        callbacks.on_test_end(logs)
        return logs if return_dict else self._flatten_metrics_in_order(logs)

    @traceback_utils.filter_traceback
    def predict(
        self,
        x: Any,
        batch_size: int | None = None,
        verbose: Any = "auto",
        steps: int | None = None,
        callbacks: Any = None,
    ) -> Any:
        """The model's outputs as NumPy arrays. No tape follows them: call the model where a gradient is wanted.

        An output whose rows differ in length is a ragged tensor.
        """
        batches_of_epoch = _Epoch(
            x=x,
            batch_size=batch_size,
            steps_per_epoch=steps,
            shuffle=False,
            steps_per_execution=self.steps_per_execution,
        )
        callbacks = self._callback_list(callbacks, verbose, 1, batches_of_epoch.num_batches)
        self.make_predict_function()
        self.stop_predicting = False
        callbacks.on_predict_begin()
        parts: list[Any] = []
        for first, last, batches in batches_of_epoch:
            callbacks.on_predict_batch_begin(first)
            outputs = self.predict_function(batches)
            parts.append(tree.map_structure(_as_output, outputs))
            callbacks.on_predict_batch_end(last, {"outputs": outputs})
            if self.stop_predicting:
                break
        callbacks.on_predict_end()
        if not parts:
            raise ValueError("`predict` was given no data: there was not one batch.")
        return tree.map_structure(_joined, *parts)

    def _callback_list(
        self, callbacks: Any, verbose: Any, epochs: int, steps: int | None, add_history: bool = False
    ) -> Any:
        if isinstance(callbacks, callbacks_module.CallbackList):
            return callbacks
        made = callbacks_module.CallbackList(
            callbacks,
            add_history=add_history,
            add_progbar=verbose != 0,
            verbose=verbose,
            epochs=epochs,
            steps=steps,
            model=self,
        )
        # Logs are complete when a step returns, so computing them in another thread would gain nothing.
        made._async_train = made._async_test = made._async_predict = False
        return made

    # --- one batch, given by the caller --------------------------------------------------------------------------

    def train_on_batch(
        self,
        x: Any,
        y: Any = None,
        sample_weight: Any = None,
        class_weight: Any = None,
        return_dict: bool = False,
    ) -> Any:
        """One step of training."""
        self._assert_compile_called("train_on_batch")
        if class_weight is not None:
            if sample_weight is not None:
                raise ValueError(
                    "Arguments `sample_weight` and `class_weight` cannot be specified at the same time. "
                    f"Received: sample_weight={sample_weight}, class_weight={class_weight}"
                )
            sample_weight = data_adapter_utils.class_weight_to_sample_weights(y, class_weight)
        self.make_train_function()
        self.reset_metrics()
        logs = pythonify_logs(self.train_function([(x, y, sample_weight)]))
        return logs if return_dict else self._flatten_metrics_in_order(logs)

    def test_on_batch(self, x: Any, y: Any = None, sample_weight: Any = None, return_dict: bool = False) -> Any:
        """Loss and metrics on one batch."""
        self._assert_compile_called("test_on_batch")
        self.make_test_function()
        self.reset_metrics()
        logs = pythonify_logs(self.test_function([(x, y, sample_weight)]))
        return logs if return_dict else self._flatten_metrics_in_order(logs)

    def predict_on_batch(self, x: Any) -> Any:
        """The model's output for one batch."""
        self.make_predict_function()
        return tree.map_structure(_as_output, self.predict_function([(x,)]))

    # --- names that custom training steps written for TensorFlow use ---------------------------------------------

    @property
    def compiled_metrics(self) -> Any:
        """The metrics given to `compile`, as one object with `update_state`."""
        return _CompiledMetrics(self)

    def compiled_loss(self, y: Any, y_pred: Any, sample_weight: Any = None, regularization_losses: Any = None) -> Any:
        """The loss given to `compile`; `compute_loss` is the name in Keras 3."""
        return self.compute_loss(x=None, y=y, y_pred=y_pred, sample_weight=sample_weight)


class _Epoch(EpochIterator):
    """The batches of one epoch, `steps_per_execution` at a time.

    A shorter last group, and a dataset with `shuffle=True` (the default of `fit`), raise no warning.
    """

    def __init__(self, x: Any, shuffle: bool = False, **settings: Any) -> None:
        super().__init__(x, shuffle=shuffle and not is_dataset(x), **settings)
        seeded = GLOBAL.seed is not None and isinstance(self.data_adapter, ArrayDataAdapter)
        self._order = _order_of_tensorflow(self.data_adapter, shuffle) if shuffle and seeded else None

    def _get_iterator(self) -> Any:
        return super()._get_iterator() if self._order is None else self._in_order(self._order)

    def _in_order(self, order: gradtape.data.Dataset) -> Iterator[Any]:
        rows = array_slicing.convert_to_sliceable(self.data_adapter._inputs, target_backend="numpy")
        for places in order.as_numpy_iterator():
            yield tree.map_structure(partial(_rows_at, places), rows, none_is_leaf=False)

    def __next__(self) -> tuple[int, int, list[Any]]:
        first, last, batches = next(self._epoch_iterator)
        found = list(itertools.islice(batches, self.steps_per_execution))
        if not found:
            with self.catch_stop_iteration():
                raise StopIteration
            raise StopIteration
        return first, last, found


def _order_of_tensorflow(arrays: ArrayDataAdapter, shuffle: bool | str) -> gradtape.data.Dataset:
    """The numbers of the rows of each batch, in the order that Keras has on TensorFlow where a global seed was set.

    There a dataset draws the order, so every epoch has the same one.
    """
    count, batch_size = arrays._num_samples, arrays.batch_size
    if shuffle == "batch":
        return gradtape.data.Dataset.range(count).batch(batch_size).map(gradtape.random.shuffle)

    def permutation(_: Any) -> Any:
        return gradtape.random.shuffle(gradtape.range(count, dtype=gradtape.int64))

    return gradtape.data.Dataset.range(1).map(permutation).unbatch().batch(batch_size)


def _rows_at(places: Any, rows: Any) -> Any:
    return rows.convert_to_numpy(rows[places])


class _CompiledMetrics:
    def __init__(self, model: Any) -> None:
        self._model = model

    def update_state(self, y: Any, y_pred: Any, sample_weight: Any = None) -> None:
        """Update every metric of the model."""
        for metric in self._model.metrics:
            if isinstance(metric, metrics_module.Mean):
                metric.update_state(y_pred, sample_weight=sample_weight)
            else:
                metric.update_state(y, y_pred, sample_weight=sample_weight)


class _OverBatches:
    """Runs a step on each of some batches, and returns the last logs.

    The callback TensorBoard looks for `function_spec` and `_concrete_stateful_fn`, and writes the graph that it finds there.
    """

    def __init__(self, step: Callable[[Any], Any]) -> None:
        self._step = step
        self._first: Any = None  # the data of the first call, until the second

    def __call__(self, batches: Any) -> Any:
        logs = None
        for data in batches:
            tensors = _as_tensors(data)
            self._first = tensors if self._first is None else ()
            logs = self._step(tensors)
        return logs

    @property
    def function_spec(self) -> Any:
        return self._traced().function_spec

    @property
    def _concrete_stateful_fn(self) -> Any:
        return self._traced().get_concrete_function(self._first)

    def _traced(self) -> Any:
        traced = getattr(self._step, "traced", None)
        if traced is None or not self._first:
            raise AttributeError("The step runs as plain Python, or was called more than once already.")
        return traced


class _Compiled:
    """A step that is traced when it is called for the second time."""

    def __init__(self, step: Callable[[Any], Any], jit_compile: bool) -> None:
        self._step = step
        self.traced: Any = gradtape.function(step, reduce_retracing=True, jit_compile=jit_compile, autograph=False)
        self._called = False

    def __call__(self, data: Any) -> Any:
        if not self._called and distribution() is not None and self.traced is not None:
            self._called = True
            _build(self._step, data)
        if not self._called or self.traced is None or gradtape.config.functions_run_eagerly():
            self._called = True
            return self._step(data)
        try:
            concrete, tensors = self.traced._found((data,), {})
        except Exception as error:  # a user's step may do anything that cannot be recorded
            warnings.warn(
                f"{getattr(self._step, '__qualname__', self._step)} could not be traced and runs as plain Python, which is "
                f"slower ({type(error).__name__}: {error}). Say so yourself with compile(..., run_eagerly=True).",
                stacklevel=4,
            )
            self.traced = None
            return self._step(data)
        return concrete.run(tensors)


def _build(step: Any, data: Any) -> None:
    """Build what a step needs without running it: of several processes none has all of the first batch."""
    model = step.__self__
    if step.__name__ != "predict_step":
        model._symbolic_build(data_batch=data)
    elif not all(layer.built for layer in model._flatten_layers()):
        x, _, _ = data_adapter_utils.unpack_x_y_sample_weight(data)
        symbolic = tree.map_structure(lambda part: KerasTensor(tuple(part.shape), part.dtype.name), x)
        compute_output_spec(model, symbolic, training=False)


def _as_output(x: Any) -> Any:
    """What `predict` returns: arrays, and sparse and ragged tensors as they are."""
    return x if isinstance(x, (gradtape.SparseTensor, gradtape.RaggedTensor)) else convert_to_numpy(x)


def _joined(*parts: Any) -> Any:
    """Outputs of several batches as one; rows of different lengths are a ragged tensor."""
    first = parts[0]
    if len(parts) == 1:
        return first
    if first.__class__ is gradtape.SparseTensor:
        return gradtape.sparse.concat(0, parts, expand_nonconcat_dims=True)
    if first.__class__ is gradtape.RaggedTensor:
        return gradtape.concat(parts, axis=0)
    sizes = list(zip(*(part.shape[1:] for part in parts), strict=True))
    ragged = [axis for axis, column in enumerate(sizes, 1) if len(set(column)) > 1]
    if ragged:
        return gradtape.concat([gradtape.RaggedTensor.from_tensor(part, ragged_rank=ragged[-1]) for part in parts], 0)
    return np.concatenate(parts) if isinstance(first, np.ndarray) else gradtape.concat(parts, axis=0)


def _as_tensors(data: Any) -> Any:
    tensors, spread = tree.map_structure(_as_tensor, data), distribution()
    return tensors if spread is None else tree.map_structure(partial(_laid_out, spread), tensors)


def _laid_out(spread: Any, tensor: Any) -> Any:
    """A part of a batch, on the devices."""
    if tensor.__class__ is not EagerTensor:
        return tensor
    return distribute_data_input(tensor, spread.get_data_layout(tuple(tensor.shape)), spread.batch_dim_name)


def _as_tensor(value: Any) -> Any:
    if value is None or isinstance(value, str):
        return value
    if value.__class__ is np.ndarray and value.dtype in BY_NUMPY and value.dtype.kind != "O":
        return from_array(value)  # of one step: no copy is needed
    return convert_to_tensor(as_tensors(value))


def _batch_size(x: Any) -> Any:
    return shape(next(part for part in tree.flatten(x) if part is not None))[0]
