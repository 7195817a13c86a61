"""The words that every dialect has, and the one that has none: NumPy, where gradients are written by hand."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from operator import attrgetter
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from benchmarks.optimizers import Optimizer
from benchmarks.step import Array, Data, Step, Unavailable

if TYPE_CHECKING:
    from benchmarks.workload import Workload

Compiler = Callable[..., Callable[..., Any]]  # of a function, with options of its own
Loss = Callable[[Any, Sequence[Any], Sequence[Any]], Any]


def as_written(function: Callable[..., Any], **options: Any) -> Callable[..., Any]:
    """The compiler of eager contestants: none."""
    return function


class Speaker(ABC):
    """Builds the step of a workload for one library, and reads numbers back from it."""

    def __init__(self, module: Any) -> None:
        self.module = module

    @abstractmethod
    def build(self, workload: Workload, data: Data) -> Step:
        """The step of this workload."""

    def array(self, value: Any) -> Array | Sequence[Array]:
        """A value of the library as NumPy sees it; a sparse gradient is its values and its indices."""
        return np.asarray(value)

    def numbers(self, value: Any) -> Iterator[Array]:
        """All arrays in a result, in order. None, the gradient of what was not used, is left out."""
        if isinstance(value, list | tuple):
            for part in value:
                yield from self.numbers(part)
        elif value is not None:
            found = np.asarray(value) if isinstance(value, np.generic) else self.array(value)
            yield from [found] if isinstance(found, np.ndarray) else found


class ByHand(Speaker):
    """Plain NumPy."""

    def build(self, workload: Workload, data: Data) -> Step:
        return workload.by_hand(data)


class Dialect(Speaker):
    """A library with derivatives of its own.

    `words` says where in the library the plain functions are. They are looked up when first used and then
    stand on the instance: a word costs what the library's own function costs, and a missing one is missed
    only by the workloads that use it.
    """

    words: ClassVar[Mapping[str, str]]

    def __init__(self, module: Any, compiled: Compiler = as_written) -> None:
        super().__init__(module)
        self.compiled = compiled

    def __getattr__(self, word: str) -> Any:
        if word not in self.words:
            raise AttributeError(f"{type(self).__name__} has no word {word!r}", name=word, obj=self)
        function = attrgetter(self.words[word])(self.module)
        setattr(self, word, function)
        return function

    def build(self, workload: Workload, data: Data) -> Step:
        return workload.step(self, data)

    @abstractmethod
    def call(self, function: str, *operands: Array) -> Step:
        """One call of a function of the library on tensors, with nothing recorded."""

    def apply(self, function: Callable[..., Any], *operands: Array) -> Step:
        """One call of a function of tensors, with nothing recorded."""
        raise Unavailable("this library has no such row")

    def value(self, function: Loss, data: Data) -> Step:
        """A function of (dialect, parameters, inputs), with nothing recorded."""
        raise Unavailable("this library has no such row")

    def tracing(self, function: str, *operands: Array) -> Step:
        """A new function that calls one of the library's is traced, and nothing is computed; gives the shape of its result."""
        raise Unavailable("this library does not trace without running")

    @abstractmethod
    def gradient(self, loss: Loss, data: Data) -> Step:
        """The loss and its gradient with respect to the parameters."""

    def gradient_of_tensors(self, loss: Loss, data: Data) -> Step:
        """As `gradient`, where parameters are plain tensors; most libraries make no difference."""
        return self.gradient(loss, data)

    def gradient_of_rounds(self, loss: Loss, data: Data, rounds: int) -> Step:
        """As `gradient`; `rounds` is one more input, and where the library can have it an argument of the compiled function."""
        return self.gradient(lambda d, parameters, inputs: loss(d, parameters, [*inputs, rounds]), data)

    @abstractmethod
    def training(self, loss: Loss, data: Data, optimizer: Optimizer) -> Step:
        """The loss, its gradient, and the parameters moved by the optimizer."""

    @abstractmethod
    def jacobian(self, function: Loss, data: Data) -> Step:
        """The Jacobian of a function of (dialect, parameters, inputs) with respect to its only input."""

    def field(self, u: Callable[[Any, Any], Any], x: Any, t: Any) -> Sequence[Any]:
        """A function of points (x, t), one row each, with its derivatives: u, u_x, u_t, u_xx."""
        raise Unavailable("this library has no such row")

    def minimum(self, loss: Loss, data: Data, steps: int) -> Step:
        """Where L-BFGS arrives after so many steps, from the only parameter on."""
        raise Unavailable("this library has no such row")

    def batches(self, images: Array, labels: Array, size: int, maps: bool) -> Callable[[], Any]:
        """A function whose result is one pass over shuffled batches; with `maps`, of images scaled one by one."""
        raise Unavailable("this library has no input pipeline")

    def repeat(self, rounds: Any, turn: Callable[..., Any], state: tuple[Any, ...], rows: Any = None) -> Sequence[Any]:
        """A loop of the library, where it has one: `state = turn(*state)`, with a row of `rows` as one more argument."""
        for place in range(rounds):
            state = turn(*state, *(() if rows is None else (rows[place],)))
        return state

    # Elementwise functions and reductions to a scalar; a sum may be given an axis.
    sin: Callable[[Any], Any]
    tanh: Callable[[Any], Any]
    exp: Callable[[Any], Any]
    sigmoid: Callable[[Any], Any]
    square: Callable[[Any], Any]
    relu: Callable[[Any], Any]
    gelu: Callable[[Any], Any]  # the tanh form
    sum: Callable[..., Any]
    mean: Callable[[Any], Any]

    # Rows of a table, with a sparse gradient where the library has one.
    lookup: Callable[[Any, Any], Any]

    # Layout.
    stack: Callable[[Sequence[Any]], Any]
    reshape: Callable[[Any, tuple[int, ...]], Any]
    transpose: Callable[[Any, tuple[int, ...]], Any]

    def roll(self, x: Any, by: int) -> Any:
        """A vector whose elements have moved on, the last ones to the front."""
        return self.module.roll(x, by, 0)

    @abstractmethod
    def split(self, x: Any, parts: int) -> Sequence[Any]:
        """Equal parts along the last axis."""

    # Layers.

    @abstractmethod
    def dense(self, x: Any, weights: Any, bias: Any) -> Any: ...

    @abstractmethod
    def head(self, images: Any, kernel: Any, bias: Any) -> Any:
        """A dense layer over all positions and channels of images."""

    @abstractmethod
    def convolution(self, images: Any, kernel: Any, bias: Any) -> Any:
        """Stride 1, no padding."""

    @abstractmethod
    def same_convolution(self, images: Any, kernel: Any, stride: int) -> Any:
        """With padding to a size of ceil(size / stride), and without a bias."""

    @abstractmethod
    def batch_norm(self, images: Any, scale: Any, shift: Any) -> Any:
        """Over all positions of all images, by their own mean and variance; epsilon 1e-5."""

    @abstractmethod
    def mean_of_positions(self, images: Any) -> Any:
        """The mean of each channel of each image."""

    @abstractmethod
    def max_pool(self, images: Any) -> Any:
        """Windows of 2 x 2, stride 2, no padding."""

    @abstractmethod
    def layer_norm(self, x: Any, scale: Any, shift: Any) -> Any:
        """Over the last axis, epsilon 1e-5."""

    @abstractmethod
    def attention(self, q: Any, k: Any, v: Any) -> Any:
        """Scaled dot-product attention over the last two axes."""

    @abstractmethod
    def cross_entropy(self, logits: Any, labels: Any) -> Any:
        """The mean of the softmax cross entropies with integer labels."""
