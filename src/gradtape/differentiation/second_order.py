"""Second derivatives of one tape, without a tape inside a tape."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar, overload

from ..base import nest
from ..base.context import Records
from ..base.errors import invalid
from ..base.types import Differentiables
from ..ops.math.reduce import reduce_sum
from ..values.tensor import Tensor, to_tensor
from ..variables.variable import Variable
from .backward import Gradient, checked_tensor, checked_tensors
from .jacobian import hessian_diagonal_of, hessian_vector_products, hessians_of

_Key = TypeVar("_Key")


class SecondOrder:
    """The methods of `GradientTape` for Hessians and what is computed from them."""

    if TYPE_CHECKING:

        def _begin(self) -> Records: ...
        def _end(self) -> None: ...

    @overload
    def hessian(self, target: Differentiables, sources: Tensor | Variable) -> Gradient: ...
    @overload
    def hessian(  # type: ignore[overload-overlap]
        self, target: Differentiables, sources: tuple[Tensor | Variable, ...]
    ) -> tuple[tuple[Gradient, ...], ...]: ...
    @overload
    def hessian(self, target: Differentiables, sources: Sequence[Tensor | Variable]) -> list[list[Gradient]]: ...
    @overload
    def hessian(
        self, target: Differentiables, sources: Mapping[_Key, Tensor | Variable]
    ) -> dict[_Key, dict[_Key, Gradient]]: ...
    @overload
    def hessian(self, target: Differentiables, sources: Differentiables) -> Any: ...
    def hessian(self, target: Any, sources: Any) -> Any:
        """The second derivatives of a scalar target.

        >>> import gradtape as tf
        >>> x = tf.constant([1.0, 2.0])
        >>> with tf.GradientTape() as tape:
        ...     tape.watch(x)
        ...     y = tf.reduce_sum(x**3)
        >>> tape.hessian(y, x).numpy()
        array([[ 6.,  0.],
               [ 0., 12.]], dtype=float32)

        Args:
            target: A tensor with one element and no axes.
            sources: A tensor or variable, or a structure of them, such as a list of variables.

        Returns:
            For one source a tensor of its shape twice. For a structure its structure twice: `hessian(y, [a, b])[0][1]` is the
            derivative by a, then by b. None where it is not connected.

        Raises:
            tf.errors.InvalidArgumentError: The target is not a scalar.
            RuntimeError: The one gradient of a tape that is not persistent was taken, or the tape was not entered yet.
        """
        rows = self._second_order("hessian", target, checked_tensors(sources, "source of hessian"), hessians_of)
        return nest.pack_sequence_as(sources, [nest.pack_sequence_as(sources, row) for row in rows])

    @overload
    def hvp(self, target: Differentiables, sources: Tensor | Variable, vectors: Any) -> Gradient: ...
    @overload
    def hvp(
        self, target: Differentiables, sources: tuple[Tensor | Variable, ...], vectors: Any
    ) -> tuple[Gradient, ...]: ...
    @overload
    def hvp(self, target: Differentiables, sources: Sequence[Tensor | Variable], vectors: Any) -> list[Gradient]: ...
    @overload
    def hvp(
        self, target: Differentiables, sources: Mapping[_Key, Tensor | Variable], vectors: Any
    ) -> dict[_Key, Gradient]: ...
    @overload
    def hvp(self, target: Differentiables, sources: Differentiables, vectors: Any) -> Any: ...
    def hvp(self, target: Any, sources: Any, vectors: Any) -> Any:
        """The Hessian of a scalar target times a vector, at the cost of two gradients.

        >>> x = tf.Variable([1.0, 2.0])
        >>> with tf.GradientTape() as tape:
        ...     y = tf.reduce_sum(x**3)
        >>> tape.hvp(y, x, tf.constant([1.0, 1.0])).numpy()
        array([ 6., 12.], dtype=float32)

        Args:
            target: A tensor with one element and no axes.
            sources: A tensor or variable, or a structure of them, such as a list of variables.
            vectors: For each source what its second derivatives are multiplied with: a tensor of its shape.

        Returns:
            For each source a tensor of its shape, or None.

        Raises:
            tf.errors.InvalidArgumentError: The target is not a scalar.
            RuntimeError: The one gradient of a tape that is not persistent was taken, or the tape was not entered yet.
        """
        nest.assert_same_structure(sources, vectors, check_types=False)
        flat = checked_tensors(sources, "source of hvp")
        given = nest.flatten(vectors)
        products = self._second_order("hvp", target, flat, lambda r, t, s: hessian_vector_products(r, t, s, given))
        return nest.pack_sequence_as(sources, products)

    def hessian_diagonal(self, target: Tensor | Variable, source: Tensor | Variable) -> Gradient:
        """The second derivative of a scalar target in each element of the source.

        >>> x = tf.Variable([1.0, 2.0])
        >>> with tf.GradientTape() as tape:
        ...     y = tf.reduce_sum(x**3)
        >>> tape.hessian_diagonal(y, x).numpy()
        array([ 6., 12.], dtype=float32)

        Args:
            target: A tensor with one element and no axes.
            source: A tensor or variable.

        Returns:
            A tensor of the source's shape, or None.

        Raises:
            tf.errors.InvalidArgumentError: The target is not a scalar.
            RuntimeError: The one gradient of a tape that is not persistent was taken, or the tape was not entered yet.
        """
        source = checked_tensor(source, "source of hessian_diagonal")
        return self._second_order("hessian_diagonal", target, source, hessian_diagonal_of)

    def laplacian(self, target: Tensor | Variable, source: Tensor | Variable) -> Gradient:
        """The sum of the second derivatives of a scalar target in all elements of the source.

        >>> x = tf.Variable([1.0, 2.0])
        >>> with tf.GradientTape() as tape:
        ...     y = tf.reduce_sum(x**3)
        >>> tape.laplacian(y, x).numpy()
        np.float32(18.0)

        Args:
            target: A tensor with one element and no axes.
            source: A tensor or variable.

        Returns:
            A scalar, or None.

        Raises:
            tf.errors.InvalidArgumentError: The target is not a scalar.
            RuntimeError: The one gradient of a tape that is not persistent was taken, or the tape was not entered yet.
        """
        source = checked_tensor(source, "source of laplacian")
        diagonal = self._second_order("laplacian", target, source, hessian_diagonal_of)
        return None if diagonal is None else reduce_sum.public(diagonal)

    def _second_order(self, name: str, target: Any, source: Any, compute: Callable[..., Any]) -> Any:
        target = checked_tensor(target, f"target of {name}")
        if to_tensor(target).ndim:
            raise invalid(f"{name}: the target must be a scalar, got shape {target.shape}. Use tf.reduce_sum first.")
        records = self._begin()
        try:
            return compute(records, target, source)
        finally:
            self._end()
