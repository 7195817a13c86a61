"""`tf.experimental.ExtensionTypeBatchEncoder`: how values of an extension type are stacked, where not field by field."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..base import nest
from ..base.shapes import TensorShape
from ..values.composite import COMPOSITES, Rows
from ..values.tensor import to_tensor
from .layout import stack

_MARK = 60013  # a size that no shape has: a change of shapes is asked what it does with it


class ExtensionTypeBatchEncoder:
    """What makes batches of an extension type: its values become tensors that can be stacked, and values again.

    >>> import gradtape as tf
    >>> class Pairs(tf.experimental.ExtensionTypeBatchEncoder):
    ...     def encode(self, spec, value, minimum_rank=0):
    ...         return [value.low, value.high - value.low]
    ...     def decode(self, spec, encoded_value):
    ...         return Span(encoded_value[0], encoded_value[0] + encoded_value[1])
    >>> class Span(tf.experimental.BatchableExtensionType):
    ...     __batch_encoder__ = Pairs()
    ...     low: tf.Tensor
    ...     high: tf.Tensor
    >>> spans = tf.data.Dataset.from_tensor_slices(Span([1, 2, 3], [4, 5, 6])).batch(2)
    >>> [span.high.numpy().tolist() for span in spans]
    [[4, 5], [6]]

    A class takes the place of the usual way with `__batch_encoder__`, and replaces the methods that it needs.
    """

    def batch(self, spec: Any, batch_size: int | None) -> Any:
        """The spec of a batch of values with this spec.

        >>> class Point(tf.experimental.BatchableExtensionType):
        ...     x: tf.Tensor
        >>> tf.experimental.ExtensionTypeBatchEncoder().batch(Point.Spec(tf.TensorSpec([2])), 3).x
        TensorSpec(shape=(3, 2), dtype=tf.float32, name=None)

        Args:
            spec: The spec of a value.
            batch_size: The number of values; None: any.

        Returns:
            A spec.
        """
        return spec._with_fields_changed(lambda sizes: None if sizes.rank is None else (batch_size, *sizes))

    def unbatch(self, spec: Any) -> Any:
        """The spec of a value in a batch with this spec.

        >>> class Point(tf.experimental.BatchableExtensionType):
        ...     x: tf.Tensor
        >>> tf.experimental.ExtensionTypeBatchEncoder().unbatch(Point.Spec(tf.TensorSpec([3, 2]))).x
        TensorSpec(shape=(2,), dtype=tf.float32, name=None)

        Args:
            spec: The spec of a batch.

        Returns:
            A spec.
        """
        return spec._with_fields_changed(lambda sizes: None if sizes.rank is None else sizes[1:])

    def encode(self, spec: Any, value: Any, minimum_rank: int = 0) -> Any:
        """A value as tensors that can be stacked and taken apart.

        >>> class Point(tf.experimental.BatchableExtensionType):
        ...     x: tf.Tensor
        >>> point = Point([1, 2])
        >>> [part.shape for part in tf.experimental.ExtensionTypeBatchEncoder().encode(Point.Spec.from_value(point), point)]
        [TensorShape([2])]

        Args:
            spec: The spec of the value.
            value: The value.
            minimum_rank: How often the tensors must be taken apart: along so many first axes they have one shape.

        Returns:
            Tensors, or a structure of them.
        """
        return COMPOSITES[spec.value_type].parts(value)

    def decode(self, spec: Any, encoded_value: Any) -> Any:
        """The value of tensors that `encode` gave, stacked or taken apart since.

        >>> class Point(tf.experimental.BatchableExtensionType):
        ...     x: tf.Tensor
        >>> encoder, spec = tf.experimental.ExtensionTypeBatchEncoder(), Point.Spec(tf.TensorSpec([2], tf.int32))
        >>> encoder.decode(spec, [tf.constant([1, 2])]).x.numpy()
        array([1, 2], dtype=int32)

        Args:
            spec: The spec of the value that comes out.
            encoded_value: The tensors.

        Returns:
            A value.
        """
        return spec._from_components(encoded_value)

    def encoding_specs(self, spec: Any) -> Any:
        """The specs of what `encode` gives.

        >>> class Point(tf.experimental.BatchableExtensionType):
        ...     x: tf.Tensor
        >>> tf.experimental.ExtensionTypeBatchEncoder().encoding_specs(Point.Spec(tf.TensorSpec([2])))
        [TensorSpec(shape=(2,), dtype=tf.float32, name=None)]

        Args:
            spec: The spec of a value.

        Returns:
            Specs, in the structure that `encode` gives.
        """
        return list(spec._component_specs)


def changed(encoder: ExtensionTypeBatchEncoder, spec: Any, change: Any) -> Any:
    """A spec whose shapes are changed by an axis more or less in front, by the encoder."""
    sizes = TensorShape(change(TensorShape([_MARK]))).as_list()
    if sizes == []:
        return encoder.unbatch(spec)
    if len(sizes) == 2 and sizes[1] == _MARK:
        return encoder.batch(spec, sizes[0])
    return spec._with_fields_changed(change)


def rows_of(encoder: ExtensionTypeBatchEncoder) -> Rows[Any]:
    """Rows along the first axis of values, by the encoder."""

    def count(value: Any) -> int:
        first = nest.flatten(encoder.encode(value._type_spec, value, minimum_rank=1))[0]
        kind = COMPOSITES.get(first.__class__)
        return int(first.shape[0]) if kind is None or kind.rows is None else kind.rows.count(first)

    def at(value: Any, place: int) -> Any:
        spec = value._type_spec
        encoded = encoder.encode(spec, value, minimum_rank=1)
        return encoder.decode(encoder.unbatch(spec), nest.map_structure(lambda part: _at(part, place), encoded))

    def stacked(values: Sequence[Any]) -> Any:
        specs = [value._type_spec for value in values]
        common = specs[0]
        for spec in specs[1:]:
            common = common if common == spec else common.most_specific_compatible_type(spec)
        encoded = [encoder.encode(spec, value) for spec, value in zip(specs, values, strict=True)]
        whole = nest.map_structure(lambda *parts: _together(parts), *encoded)
        return encoder.decode(encoder.batch(common, len(values)), whole)

    return Rows(count=count, at=at, stack=stacked)


def _at(part: Any, place: int) -> Any:
    kind = COMPOSITES.get(part.__class__)
    return to_tensor(part)[place] if kind is None or kind.rows is None else kind.rows.at(part, place)


def _together(parts: Sequence[Any]) -> Any:
    kind = COMPOSITES.get(parts[0].__class__)
    return stack(parts) if kind is None or kind.rows is None else kind.rows.stack(parts)
