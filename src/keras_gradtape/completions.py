"""Additions to modules of Keras after their import (called by `hook`)."""

from __future__ import annotations

import functools
import sys
import warnings
from typing import Any

from keras_gradtape import aliases


def complete_dynamic_backend(module: Any) -> None:
    """`DynamicBackend`, through which preprocessing layers compute, knows gradtape too.

    In data pipelines, layers switch to TensorFlow's backend. Pipelines of gradtape run on gradtape; those of TensorFlow
    itself (tf.data beside Keras on gradtape) need TensorFlow's backend.
    """
    known = module.DynamicBackend

    def set_backend(self: Any, backend: str) -> None:
        if backend == "gradtape" or (backend == "tensorflow" and not in_graph_of_tensorflow()):
            self._backend = "gradtape"
        else:
            _set_backend(self, backend)

    def getattr_(self: Any, name: str) -> Any:
        if self._backend == "gradtape":
            from keras_gradtape import as_tensorflow

            return getattr(as_tensorflow, name)
        return _getattr(self, name)

    def in_graph_of_tensorflow() -> bool:
        tensorflow = sys.modules.get("tensorflow")
        stands_in = "tensorflow" in aliases.PACKAGES
        return tensorflow is not None and not stands_in and not tensorflow.executing_eagerly()

    _set_backend, _getattr = known.set_backend, known.__getattr__
    known.set_backend, known.__getattr__ = set_backend, getattr_


def complete_backend_name(module: Any) -> None:
    """While gradtape stands in for TensorFlow, callers outside Keras that ask for the backend's name are told tensorflow."""

    @functools.wraps(module.backend)
    def backend() -> str:
        if "tensorflow" not in aliases.PACKAGES:
            return known()
        asking = sys._getframe(1).f_globals.get("__name__", "")
        return known() if asking.partition(".")[0] in ("keras", "keras_gradtape") else "tensorflow"

    known, module.backend = module.backend, backend


def complete_kinds_of_datasets(module: Any) -> None:
    """`split_dataset` takes datasets of gradtape."""
    from gradtape.data import Dataset

    known = module.is_tf_dataset
    module.is_tf_dataset = lambda dataset: isinstance(dataset, Dataset) or known(dataset)


def complete_data_adapters(module: Any) -> None:
    """`fit`, `evaluate` and `predict` take datasets of gradtape."""
    from keras_gradtape import dataset_adapter

    known = module.is_tf_dataset
    module.is_tf_dataset = lambda x: dataset_adapter.is_dataset(x) or known(x)
    module.TFDatasetAdapter = dataset_adapter.DatasetAdapter


def complete_distribution(module: Any) -> None:
    """Of several processes each takes its part of a dataset of gradtape."""
    from gradtape.data import Dataset
    from keras_gradtape.distribution_lib import part_of_process

    known = module.Distribution.distribute_dataset

    @functools.wraps(known)
    def distribute_dataset(self: Any, dataset: Any) -> Any:
        shards = self._is_multi_process and self.auto_shard_dataset and isinstance(dataset, Dataset)
        return part_of_process(self, dataset) if shards else known(self, dataset)

    module.Distribution.distribute_dataset = distribute_dataset


def complete_json(module: Any) -> None:
    """Shapes are tuples here, and stay shapes in files of older formats."""
    import gradtape

    def encode_tuple(x: Any) -> Any:
        if isinstance(x, gradtape.TensorShape):
            return {"class_name": "TensorShape", "items": None if x.rank is None else x.as_list()}
        return encode(x)

    encode, module._encode_tuple = module._encode_tuple, encode_tuple


def complete_loss_scaling(module: Any) -> None:
    """The spellings of `tf.keras.mixed_precision` before Keras 3, beside its own.

    Keras 3 divides by the scale when gradients are applied. Gradients that the caller has divided already (and perhaps
    clipped) are multiplied back first; the scale is a power of two, so nothing is lost.
    """

    def get_scaled_loss(self: Any, loss: Any) -> Any:
        """The same as `scale_loss`."""
        return self.scale_loss(loss)

    def get_unscaled_gradients(self: Any, grads: Any) -> list[Any]:
        """The gradients of the loss from those of the scaled loss; the next `apply` then does not unscale them again."""
        self._gradients_are_unscaled = True
        scale = scale_of(self)
        return [None if grad is None else grad / scale for grad in grads]

    def apply(self: Any, grads: Any, trainable_variables: Any = None) -> Any:
        if getattr(self, "_gradients_are_unscaled", False):
            self._gradients_are_unscaled = False
            scale = scale_of(self)
            grads = [None if grad is None else grad * scale for grad in grads]
        return apply_scaled(self, grads, trainable_variables)

    def scale_of(self: Any) -> float:
        return float(self.dynamic_scale if self.built else self.initial_scale)

    cls = module.LossScaleOptimizer
    apply_scaled = cls.apply
    cls.get_scaled_loss, cls.get_unscaled_gradients, cls.apply = get_scaled_loss, get_unscaled_gradients, apply


def complete_normalization(module: Any) -> None:
    """Layer and RMS normalization in one op each, where Keras composes a dozen."""
    from keras_gradtape.ops.nn import layer_normalization, rms_normalization

    def fused_or_composed(x: Any, gamma: Any = None, beta: Any = None, rms_scaling: bool = False, **kwargs: Any) -> Any:
        if rms_scaling:
            return composed(x, gamma=gamma, beta=beta, rms_scaling=True, **kwargs)
        return layer_normalization(x, gamma, beta, **kwargs)

    composed = module._layer_normalization
    module._layer_normalization, module._rms_normalization = fused_or_composed, rms_normalization


def complete_tensorboard(module: Any) -> None:
    """The callback `TensorBoard` writes with `gradtape.summary`."""

    def summary(self: Any) -> Any:
        import gradtape.summary

        return gradtape.summary

    def keras_model_summary(name: str, data: Any, step: Any = None) -> Any:
        """Write a model's configuration, from which TensorBoard draws its layers."""
        from gradtape.summary import write
        from gradtape.summary.event_file import messages

        metadata = messages("summary_pb2").SummaryMetadata()
        metadata.plugin_data.plugin_name, metadata.plugin_data.content = "graph_keras_model", b"1"
        try:
            configuration = data.to_json()
        except Exception as error:  # a failed picture must not stop the training
            warnings.warn(f"Model failed to serialize as JSON. Ignoring... {error}", stacklevel=2)
            return False
        return write(name, configuration, step, metadata)

    module.TensorBoard.summary, module.keras_model_summary = property(summary), keras_model_summary


def complete_export(module: Any) -> None:
    """In Keras 3.13 the archive of `model.export` is a class over the backend's that refuses backends it does not know."""
    if issubclass(module.ExportArchive, module.BackendExportArchive):
        module.ExportArchive = module.BackendExportArchive


def complete_saved_model_layer(module: Any) -> None:
    """The layer `TFSMLayer` loads what gradtape has saved or exported."""
    import gradtape
    from keras_gradtape.variable import adopted

    def adopt(self: Any, weight: Any) -> None:
        self._track_variable(adopted(weight))

    module.tf, module.TFSMLayer._add_existing_weight = gradtape, adopt


def complete_array_slicing(module: Any) -> None:
    """Batches of sparse and ragged tensors."""
    from keras_gradtape import slicing

    slicing.complete(module)


def complete_kinds_of_tensors(module: Any) -> None:
    """What Keras asks of TensorFlow's sparse and ragged tensors holds for gradtape's."""
    from gradtape import RaggedTensor, SparseTensor

    def is_sparse(value: Any) -> bool:
        return isinstance(value, SparseTensor) or bool(sparse(value))

    def is_ragged(value: Any) -> bool:
        return isinstance(value, RaggedTensor) or bool(ragged(value))

    sparse, ragged = module.is_tensorflow_sparse, module.is_tensorflow_ragged
    module.is_tensorflow_sparse, module.is_tensorflow_ragged = is_sparse, is_ragged


def complete_ragged_tensors(module: Any) -> None:
    """Layers that make ragged tensors dense know those of gradtape."""
    from gradtape.ragged import RaggedTensor

    module.is_ragged_tensor = lambda x: isinstance(x, RaggedTensor)


class DownloadError(OSError):
    """A file that Keras needs could not be downloaded."""


def complete_downloads(module: Any) -> None:
    """`get_file`, behind `datasets.*.load_data` and pretrained weights, explains what to do without a network."""

    def get_file_or_say(fname: Any = None, origin: Any = None, *args: Any, **kwargs: Any) -> Any:
        try:
            return get_file(fname, origin, *args, **kwargs)
        except Exception as error:
            if "URL fetch failure" not in str(error):
                raise
            folder = kwargs.get("cache_subdir", "datasets")
            raise DownloadError(
                f"{fname or origin} could not be downloaded ({error}). Without a network, put the file into "
                f"~/.keras/{folder}/ yourself, or use gradtape.datasets.digits.load_data(): its images ship with gradtape."
            ) from error

    get_file = module.get_file
    get_file_or_say.__doc__ = get_file.__doc__
    module.get_file = get_file_or_say


def forget_tensorflow(module: Any) -> None:
    """Under `gradtape run`, scripts import gradtape as tensorflow, but Keras finds no TensorFlow.

    Paths that Keras takes for remote go to gradtape's `tf.io.gfile`, which reports what it cannot reach.
    """
    if "tensorflow" in aliases.PACKAGES:
        module.tensorflow._available = False
        module.gfile.name = "gradtape.io.gfile"


def complete_layers(module: Any) -> None:
    """A layer that runs under a tape notes the line that called it, and its path, for questions to the tape."""
    module.Layer.__call__ = _noted(module.Layer.__call__)


def complete_losses(module: Any) -> None:
    """A loss notes the same."""
    module.Loss.__call__ = _noted(module.Loss.__call__)


def _noted(known: Any) -> Any:
    from gradtape.base.context import ACTIVE, STATE, next_id
    from gradtape.base.notes import SPANS

    @functools.wraps(known)
    def call(self: Any, *args: Any, **kwargs: Any) -> Any:
        if not (ACTIVE and STATE.tapes):
            return known(self, *args, **kwargs)
        first = next_id()
        result = known(self, *args, **kwargs)
        frame = sys._getframe(1)
        path = getattr(self, "path", None) or self.name
        SPANS.append((first, next_id(), path, frame.f_code, frame.f_lasti))
        return result

    return call


def complete_datasets(module: Any) -> None:
    """`keras.datasets.digits`: images that need no download."""
    from gradtape.datasets import digits

    module.digits = digits
    sys.modules[f"{module.__name__}.digits"] = digits
