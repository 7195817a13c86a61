"""What a tape is asked beyond gradients: why one is None, where a nan began, what is held, how long it took, a picture."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, overload

from ..base.types import Differentiables
from ..values.tensor import Tensor
from ..variables.variable import Variable
from .backward import checked_tensors

if TYPE_CHECKING:
    from ..diagnostics.agreement import Agreement
    from ..diagnostics.explanation import Explanation
    from ..diagnostics.memory import Memory
    from ..diagnostics.nonfinite import NonFinite
    from ..diagnostics.profile import Profile
    from ..diagnostics.view.view import View


class Questions:
    """The methods of `GradientTape` that diagnostics/ answers; it is imported when one of them is asked."""

    @overload
    def explain(
        self: Any, target: Differentiables, sources: Tensor | Variable, *, connected: bool = ...
    ) -> Explanation: ...
    @overload
    def explain(self: Any, target: Differentiables, sources: Differentiables, *, connected: bool = ...) -> Any: ...
    def explain(self: Any, target: Any, sources: Any, *, connected: bool = False) -> Any:
        """Why the gradient of the target in a source is None: the line that cuts the way between them, and a repair.

        A plain tape answers after `gradient` too, if a None came out. See docs/guide/why-none.md.

        >>> import gradtape as tf
        >>> x = tf.constant(3.0)
        >>> with tf.GradientTape() as tape:
        ...     y = x * x
        >>> tape.gradient(y, x)
        >>> answer = tape.explain(y, x)
        >>> answer.kind.value, answer.repair
        ('never watched', 'tape.watch(x)')

        Args:
            target: A tensor, or a structure of tensors.
            sources: A tensor or variable, or a structure of them.
            connected: Whether a source that has a gradient gets the way to the target, with the norm of the gradient at each op.

        Returns:
            For each source an `Explanation` with `kind`, `where`, `repair` and `path`; in the structure of the sources.
        """
        from ..diagnostics import asking

        return asking.explain(self, target, sources, connected)

    def explain_nonfinite(self: Any, target: Differentiables, sources: Differentiables) -> NonFinite:
        """Where the first nan or inf comes from, forward and backward: the op, its line, the ranges there, and a rewrite.

        A plain tape has to be asked before `gradient`. See docs/guide/nan.md.

        >>> import gradtape as tf
        >>> x = tf.Variable([0.0, 4.0])
        >>> with tf.GradientTape() as tape:
        ...     y = tf.reduce_sum(tf.sqrt(x))
        >>> found = tape.explain_nonfinite(y, x)
        >>> found.forward is None, found.backward.op, found.backward.repair
        (True, 'sqrt', 'y = tf.reduce_sum(tf.sqrt(tf.maximum(x, 1e-12)))')

        Args:
            target: A tensor, or a structure of tensors.
            sources: A tensor or variable, or a structure of them.

        Returns:
            A `NonFinite`: `forward` and `backward` are what was found in each pass, or None.
        """
        from ..diagnostics import nonfinite

        return nonfinite.explain_nonfinite(self, target, sources)

    def check(self: Any, sources: Differentiables | None = None) -> Agreement:
        """Whether the rules of the recorded ops agree: reverse against forward against finite differences, op by op.

        The answer names the first op, or custom gradient, that disagrees, with its line and the size of the error. A plain tape
        has to be asked before `gradient`.

        >>> import gradtape as tf
        >>> @tf.custom_gradient
        ... def square(x):
        ...     return x * x, lambda upstream: upstream * 3.0 * x
        >>> x = tf.constant(2.0)
        >>> with tf.GradientTape() as tape:
        ...     tape.watch(x)
        ...     y = square(x)
        >>> found = tape.check()
        >>> found.ok, found.first.op
        (False, 'the custom gradient of square')

        Args:
            sources: Tensors that the computation began with. An op is checked if its operands are known: from these, from
                what the records hold, and from variables.

        Returns:
            An `Agreement`: `ok`, and in `first` what disagrees.
        """
        from ..diagnostics import agreement

        return agreement.check(self, [] if sources is None else checked_tensors(sources, "source"))

    def memory(self: Any) -> Memory:
        """What the records hold: bytes by line, op and layer, the peak of the backward pass, and what recomputing would save.

        See docs/guide/memory.md.

        >>> import gradtape as tf
        >>> x = tf.Variable(tf.ones([100]))
        >>> with tf.GradientTape() as tape:
        ...     y = tf.reduce_sum(tf.exp(x))
        >>> tape.memory().total
        400

        Returns:
            The answer, which prints itself as a table: `total`, `peak` and `recomputable` in bytes; `by_line`, `by_op` and
                `by_layer`.
        """
        from ..diagnostics import memory

        return memory.held_by(self)

    def profile(self: Any) -> Profile:
        """The time of what ran in the block and in `gradient`, by line, op and layer; for a tape made with `profile=True`.

        Printed, it is a table; `svg()` is a flame picture, `chrome_trace()` JSON for Perfetto.

        >>> x = tf.Variable(2.0)
        >>> with tf.GradientTape(profile=True) as tape:
        ...     y = tf.sin(x)
        >>> [event.name for event in tape.profile().events if event.name != "Python"]
        ['sin']

        Returns:
            A `Profile`.

        Raises:
            RuntimeError: The tape was made without `profile=True`.
        """
        raise RuntimeError("This tape measures nothing. Make it with tf.GradientTape(profile=True).")

    def view(self: Any, target: Differentiables | None = None, sources: Differentiables | None = None) -> View:
        """A picture of what was recorded, grouped by layer, name scope, function and loop; see docs/guide/view.md.

        In a notebook it shows itself. `view.save("view.html")` writes one page that needs no network; .svg, .png and .dot are
        written too. A plain tape has to be asked before `gradient`, unless it was made with `profile=True`, which keeps times and
        norms.

        >>> import gradtape as tf
        >>> x = tf.Variable([1.0, 2.0])
        >>> with tf.GradientTape() as tape:
        ...     y = tf.reduce_sum(tf.tanh(x))
        >>> [node.name for node in tape.view(y).pictures[0].nodes]
        ['Variable', 'tanh', 'reduce_sum']

        Args:
            target: A tensor, or a structure of tensors: each box has the norm of its gradient there. None for a picture without.
            sources: Tensors and variables: those whose gradient is None are marked, with the explanation.

        Returns:
            A `View`.
        """
        from ..diagnostics.view import tapes, view

        return view.View([tapes.picture_of_tape(self, target, sources)])
