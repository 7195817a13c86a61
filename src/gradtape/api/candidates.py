"""Candidate samplers of `tf.random`: a few classes out of many, with the expected count of each."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from ..base import dtypes
from ..base.dtypes import Array
from ..base.errors import invalid
from ..base.philox import Words
from ..base.types import IntLike, TensorLike
from ..op.arguments import flag, text
from ..op.attributes import as_float, as_int
from ..values.tensor import Tensor, from_array, to_tensor

_TRIES = 10_000  # draws for each class that is wanted

_WORDS_EACH = 2048  # what TensorFlow sets aside for each class that is drawn, in 32-bit words


class _Drawn(NamedTuple):
    sampled_candidates: Tensor
    true_expected_count: Tensor
    sampled_expected_count: Tensor


class UniformCandidateSampler(_Drawn):
    """What `tf.random.uniform_candidate_sampler` returns."""

    __slots__ = ()


class LogUniformCandidateSampler(_Drawn):
    """What `tf.random.log_uniform_candidate_sampler` returns."""

    __slots__ = ()


class LearnedUnigramCandidateSampler(_Drawn):
    """What `tf.random.learned_unigram_candidate_sampler` returns."""

    __slots__ = ()


class FixedUnigramCandidateSampler(_Drawn):
    """What `tf.random.fixed_unigram_candidate_sampler` returns."""

    __slots__ = ()


class AllCandidateSampler(_Drawn):
    """What `tf.random.all_candidate_sampler` returns."""

    __slots__ = ()


class CandidateSamplers:
    """All samplers; `stream(op, seed, blocks)` gives them their bits."""

    def __init__(self, stream: Callable[[Any, Any, int], Any]) -> None:
        self._stream = stream
        self._learned: dict[Any, Array] = {}  # how often each class was seen, for each learning sampler

    def _bits(self, name: str, settings: tuple[Any, ...], seed: object, sampled: int) -> Words:
        return Words(self._stream((name, *settings), seed, sampled * _WORDS_EACH // 4))

    def uniform(
        self,
        true_classes: TensorLike,
        num_true: IntLike,
        num_sampled: IntLike,
        unique: bool,
        range_max: TensorLike,
        seed: object = None,
        name: str | None = None,
    ) -> UniformCandidateSampler:
        """Classes below `range_max`, each as likely as the others.

        >>> import gradtape as tf
        >>> classes, of_true, of_sampled = tf.random.uniform_candidate_sampler([[3]], 1, 4, False, range_max=10)
        >>> classes.shape, of_true.numpy()
        (TensorShape([4]), array([[0.4]], dtype=float32))

        Args:
            true_classes: The classes that are right for each example, a row for each example.
            num_true: How many classes are right for one example.
            num_sampled: How many classes to draw.
            unique: Whether no class is drawn twice.
            range_max: How many classes there are.
            seed: Where the random numbers begin.
            name: Ignored; accepted for compatibility with TensorFlow.

        Returns:
            The classes that were drawn, and how often each true and each drawn class is expected among them.
        """
        classes, settings = _checked(true_classes, num_true, num_sampled, unique, range_max)
        _, sampled, _, limit = settings
        words = self._bits("uniform_candidates", settings, seed, sampled)
        probability = np.full(limit, 1 / limit)
        return UniformCandidateSampler(
            *_sampled(classes, sampled, bool(unique), lambda: words.below_wide(limit), probability)
        )

    def log_uniform(
        self,
        true_classes: TensorLike,
        num_true: IntLike,
        num_sampled: IntLike,
        unique: bool,
        range_max: TensorLike,
        seed: TensorLike | None = None,
        name: str | None = None,
    ) -> LogUniformCandidateSampler:
        """Classes below `range_max` by Zipf's law: class k with probability log((k + 2) / (k + 1)) / log(range_max + 1).

        The classes should be numbered from the most frequent to the rarest.

        >>> import gradtape as tf
        >>> classes, of_true, of_sampled = tf.random.log_uniform_candidate_sampler([[0], [99]], 1, 4, False, 100, seed=1)
        >>> of_true.numpy().round(2)
        array([[0.6 ],
               [0.01]], dtype=float32)

        Args:
            true_classes: The classes that are right for each example, a row for each example.
            num_true: How many classes are right for one example.
            num_sampled: How many classes to draw.
            unique: Whether no class is drawn twice.
            range_max: How many classes there are.
            seed: Where the random numbers begin.
            name: Ignored; accepted for compatibility with TensorFlow.

        Returns:
            The classes that were drawn, and how often each true and each drawn class is expected among them.
        """
        classes, settings = _checked(true_classes, num_true, num_sampled, unique, range_max)
        _, sampled, _, limit = settings
        words = self._bits("log_uniform_candidates", settings, seed, sampled)
        span = float(np.log1p(limit))
        numbers = np.arange(limit)
        probability = np.log((numbers + 2.0) / (numbers + 1.0)) / span

        def draw() -> int:
            return (int(np.exp(words.double() * span)) - 1) % limit

        return LogUniformCandidateSampler(*_sampled(classes, sampled, bool(unique), draw, probability))

    def learned_unigram(
        self,
        true_classes: TensorLike,
        num_true: IntLike,
        num_sampled: IntLike,
        unique: bool,
        range_max: TensorLike,
        seed: TensorLike | None = None,
        name: str | None = None,
    ) -> LearnedUnigramCandidateSampler:
        """Classes below `range_max`, as likely as they were among the true classes of earlier calls (at first, all equally).

        >>> import gradtape as tf
        >>> for _ in range(2):
        ...     classes, of_true, of_sampled = tf.random.learned_unigram_candidate_sampler([[3], [3]], 1, 4, False, 5, seed=1)
        ...     print(of_true.numpy()[0].round(2))
        [0.8]
        [1.71]

        Args:
            true_classes: The classes that are right for each example, a row for each example.
            num_true: How many classes are right for one example.
            num_sampled: How many classes to draw.
            unique: Whether no class is drawn twice.
            range_max: How many classes there are.
            seed: Where the random numbers begin; calls with one seed learn together.
            name: Ignored; accepted for compatibility with TensorFlow.

        Returns:
            The classes that were drawn, and how often each true and each drawn class is expected among them.
        """
        classes, settings = _checked(true_classes, num_true, num_sampled, unique, range_max)
        _, sampled, _, limit = settings
        words = self._bits("learned_candidates", settings, seed, sampled)
        seen = self._learned.setdefault((settings, None if seed is None else as_int(seed)), np.ones(limit, np.int64))
        cumulative = np.cumsum(seen)

        def draw() -> int:
            return int(np.searchsorted(cumulative, words.below(int(cumulative[-1])), side="right"))

        result = _sampled(classes, sampled, bool(unique), draw, seen / cumulative[-1])
        np.add.at(seen, classes.reshape(-1), 1)
        return LearnedUnigramCandidateSampler(*result)

    def fixed_unigram(
        self,
        true_classes: TensorLike,
        num_true: IntLike,
        num_sampled: IntLike,
        unique: bool,
        range_max: TensorLike,
        vocab_file: str = "",
        distortion: float = 1.0,
        num_reserved_ids: int = 0,
        num_shards: int = 1,
        shard: int = 0,
        unigrams: Sequence[TensorLike] = (),
        seed: TensorLike | None = None,
        name: str | None = None,
    ) -> FixedUnigramCandidateSampler:
        """Classes below `range_max`, as likely as their weight to the power of `distortion`.

        The weights are `unigrams`, or the last column of the lines in `vocab_file`; classes below `num_reserved_ids` have none.

        >>> import gradtape as tf
        >>> classes, of_true, of_sampled = tf.random.fixed_unigram_candidate_sampler(
        ...     [[0]], 1, 4, False, range_max=3, unigrams=[8.0, 1.0, 1.0], seed=1
        ... )
        >>> of_true.numpy()
        array([[3.2]], dtype=float32)

        Args:
            true_classes: The classes that are right for each example, a row for each example.
            num_true: How many classes are right for one example.
            num_sampled: How many classes to draw.
            unique: Whether no class is drawn twice.
            range_max: How many classes there are.
            vocab_file: A file with the weights, if `unigrams` does not have them.
            distortion: The power that the weights are raised to; 0 makes all classes equally likely.
            num_reserved_ids: How many classes at the beginning are never drawn.
            num_shards: In how many parts the classes are divided, to draw from one of them.
            shard: Which part to draw from.
            unigrams: How often each class is drawn, in relation to the others: one number for each.
            seed: Where the random numbers begin.
            name: Ignored; accepted for compatibility with TensorFlow.

        Returns:
            The classes that were drawn, and how often each true and each drawn class is expected among them.

        Raises:
            tf.errors.InvalidArgumentError: There are no weights, or not as many as classes.
        """
        classes, settings = _checked(true_classes, num_true, num_sampled, unique, range_max)
        _, sampled, _, limit = settings
        given = [as_float(weight) for weight in unigrams]
        text("vocab_file", vocab_file)
        if bool(vocab_file) == bool(given):
            raise invalid("fixed_unigram_candidate_sampler: provide either vocab_file or unigrams.")
        if vocab_file:
            with open(vocab_file, encoding="utf-8") as lines:
                given = [float(line.rsplit(",", 1)[-1]) for line in lines if line.strip()]
        shards, own = as_int(num_shards), as_int(shard)
        if shards < 1 or not 0 <= own < shards:
            raise invalid(f"fixed_unigram_candidate_sampler: shard {own} of {shards} does not exist.")
        everything = np.array([0.0] * as_int(num_reserved_ids) + given)
        weights = np.where(np.arange(len(everything)) < as_int(num_reserved_ids), 0.0, everything**distortion)[
            own::shards
        ]
        if len(weights) != limit:
            raise invalid(
                f"fixed_unigram_candidate_sampler: range_max is {limit}, but there are {len(weights)} weights."
            )
        if not (
            np.isfinite(weights).all()
            and weights.min() >= 0
            and np.count_nonzero(weights) >= (sampled if unique else 1)
        ):
            raise invalid("fixed_unigram_candidate_sampler: weights must be non-negative, and enough of them positive.")
        words = self._bits("fixed_candidates", settings, seed, sampled)
        cumulative = np.cumsum(weights)

        def draw() -> int:
            return int(np.searchsorted(cumulative, words.double() * cumulative[-1], side="right"))

        return FixedUnigramCandidateSampler(*_sampled(classes, sampled, bool(unique), draw, weights / cumulative[-1]))

    def all(
        self,
        true_classes: TensorLike,
        num_true: IntLike,
        num_sampled: IntLike,
        unique: bool,
        seed: TensorLike | None = None,
        name: str | None = None,
    ) -> AllCandidateSampler:
        """All `num_sampled` classes: for tests, in place of a sampler.

        >>> import gradtape as tf
        >>> tf.random.all_candidate_sampler([[1]], 1, 3, True)[0].numpy()
        array([0, 1, 2])

        Args:
            true_classes: The classes that are right for each example, a row for each example.
            num_true: How many classes are right for one example.
            num_sampled: How many classes there are.
            unique: Ignored; accepted for compatibility with TensorFlow.
            seed: Ignored; accepted for compatibility with TensorFlow.
            name: Ignored; accepted for compatibility with TensorFlow.

        Returns:
            All classes, and ones: each of them is expected once.
        """
        classes, (_, sampled, _, _) = _checked(true_classes, num_true, num_sampled, unique, num_sampled)
        counts = np.ones(classes.shape, np.float32), np.ones(sampled, np.float32)
        return AllCandidateSampler(from_array(np.arange(sampled)), from_array(counts[0]), from_array(counts[1]))


def _checked(
    true_classes: TensorLike, num_true: IntLike, num_sampled: IntLike, unique: object, range_max: object
) -> tuple[Array, tuple[int, int, bool, int]]:
    flag("unique", unique)
    classes = np.asarray(to_tensor(true_classes, dtypes.int64)._array)
    true, sampled, limit = as_int(num_true), as_int(num_sampled), as_int(range_max)
    for label, value in (("num_true", true), ("num_sampled", sampled), ("range_max", limit)):
        if value < 1:
            raise invalid(f"candidate sampler: {label} must be at least 1, got {value}.")
    if classes.ndim != 2 or classes.shape[1] != true:
        raise invalid(
            f"candidate sampler: true_classes must be a matrix with {true} columns, got shape {classes.shape}."
        )
    if classes.size and (classes.min() < 0 or classes.max() >= limit):
        raise invalid(
            f"candidate sampler: true classes must be in [0, {limit}), got {classes.min()} to {classes.max()}."
        )
    if unique and sampled > limit:
        raise invalid(f"candidate sampler: {sampled} different classes cannot be drawn from {limit}.")
    return classes, (true, sampled, bool(unique), limit)


def _sampled(
    classes: Array, count: int, unique: bool, draw: Callable[[], int], probability: Array
) -> tuple[Tensor, Tensor, Tensor]:
    """The classes that were drawn, and the expected counts of the true and of the drawn ones."""
    picked: list[int] = []
    tries = 0
    used: set[int] = set()
    while len(picked) < count:
        tries += 1
        if tries > _TRIES * count:
            raise invalid(
                f"candidate sampler: {count} different classes are not found in {tries} draws: some are too unlikely."
            )
        value = draw()
        if not unique or value not in used:
            used.add(value)
            picked.append(value)
    chosen = np.array(picked, np.int64)

    def expected(values: Array) -> Array:
        p = probability[values]
        # With `unique`, about the chance to be among so many tries; else the number of tries times the probability.
        return (p * count if tries == count else -np.expm1(tries * np.log1p(-p))).astype(np.float32)

    return from_array(chosen), from_array(expected(classes)), from_array(expected(chosen))
