"""`tf.data.Options`: settings of a whole pipeline.

`deterministic` and `threading.private_threadpool_size` have an effect. The others tune machinery that is not here
(graph rewriting, autotuning, services); they are kept and shown, so that scripts that set them run.
"""

from __future__ import annotations

import enum
from typing import Any, ClassVar

from ..base.types import TensorLike


class AutoShardPolicy(enum.IntEnum):
    """How a dataset is divided among workers; there is one.

    >>> import gradtape as tf
    >>> options = tf.data.Options()
    >>> options.experimental_distribute.auto_shard_policy = tf.data.experimental.AutoShardPolicy.DATA
    """

    OFF = -1
    AUTO = 0
    FILE = 1
    DATA = 2
    HINT = 3


class AutotuneAlgorithm(enum.Enum):
    """How buffers and threads would be tuned.

    >>> import gradtape as tf
    >>> options = tf.data.Options()
    >>> options.autotune.autotune_algorithm = tf.data.experimental.AutotuneAlgorithm.HILL_CLIMB
    """

    DEFAULT = 0
    HILL_CLIMB = 1
    GRADIENT_DESCENT = 2
    MAX_PARALLELISM = 3
    STAGE_BASED = 4


class ExternalStatePolicy(enum.Enum):
    """What happens to state outside of the pipeline when it is saved.

    >>> import gradtape as tf
    >>> options = tf.data.Options()
    >>> options.experimental_external_state_policy = tf.data.experimental.ExternalStatePolicy.WARN
    """

    WARN = 0
    IGNORE = 1
    FAIL = 2


class _Settings:
    """Named settings, None unless they were set; others cannot be set."""

    _names: ClassVar[tuple[str, ...]]

    def __init__(self) -> None:
        for name in self._names:
            object.__setattr__(self, name, None)

    def __setattr__(self, name: str, value: TensorLike) -> None:
        if name not in self._names:
            raise AttributeError(
                f"Cannot set the property {name} on {type(self).__name__}. It has {', '.join(self._names)}."
            )
        object.__setattr__(self, name, value)

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and vars(self) == vars(other)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        given = ", ".join(f"{name}={value!r}" for name, value in vars(self).items() if value is not None)
        return f"{type(self).__name__}({given})"


class AutotuneOptions(_Settings):
    """How autotuning would work; kept, and without effect.

    >>> import gradtape as tf
    >>> options = tf.data.Options()
    >>> options.autotune.enabled = False
    >>> options.autotune
    AutotuneOptions(enabled=False)
    """

    _names = (*("autotune_algorithm", "cpu_budget", "enabled", "initial_parallelism", "min_parallelism", "ram_budget"),)


class DistributeOptions(_Settings):
    """How a dataset would be divided among workers; kept, and without effect.

    >>> import gradtape as tf
    >>> options = tf.data.Options()
    >>> options.experimental_distribute.num_devices = 1
    >>> options.experimental_distribute
    DistributeOptions(num_devices=1)
    """

    _names = ("auto_shard_policy", "num_devices")


class OptimizationOptions(_Settings):
    """Which rewritings of the pipeline would be tried; kept, and without effect.

    >>> import gradtape as tf
    >>> options = tf.data.Options()
    >>> options.experimental_optimization.map_fusion = True
    >>> options.experimental_optimization
    OptimizationOptions(map_fusion=True)
    """

    _names = (
        *("apply_default_optimizations", "filter_fusion", "filter_parallelization", "inject_prefetch"),
        *("map_and_batch_fusion", "map_and_filter_fusion", "map_fusion", "map_parallelization", "map_vectorization"),
        *("noop_elimination", "parallel_batch", "seq_interleave_prefetch", "shuffle_and_repeat_fusion"),
        *("autotune", "autotune_buffers", "autotune_cpu_budget", "autotune_ram_budget", "hoist_random_uniform"),
    )


class ThreadingOptions(_Settings):
    """How many threads a pipeline may use: `private_threadpool_size` bounds those of a step with AUTOTUNE.

    >>> import gradtape as tf
    >>> options = tf.data.Options()
    >>> options.threading.private_threadpool_size = 2
    >>> options.threading
    ThreadingOptions(private_threadpool_size=2)
    """

    private_threadpool_size: int | None
    _names = ("max_intra_op_parallelism", "private_threadpool_size")


class ServiceOptions(_Settings):
    """Settings of a data service; kept, and without effect.

    >>> import gradtape as tf
    >>> options = tf.data.experimental.ServiceOptions()
    >>> options.pinned = True
    >>> options
    ServiceOptions(pinned=True)
    """

    _names = ("pinned",)


class Options(_Settings):
    """Settings of a pipeline, put on it with `dataset.with_options(options)`.

    >>> options = tf.data.Options()
    >>> options.deterministic = False
    >>> tf.data.Dataset.range(3).with_options(options).options().deterministic
    False
    """

    autotune: AutotuneOptions
    deterministic: bool | None
    threading: ThreadingOptions
    experimental_distribute: DistributeOptions
    experimental_optimization: OptimizationOptions

    _names = (
        *("autotune", "dataset_name", "deterministic", "experimental_deterministic", "experimental_distribute"),
        *("experimental_external_state_policy", "experimental_optimization", "experimental_service"),
        *("experimental_slack", "experimental_symbolic_checkpoint", "experimental_threading"),
        *("experimental_warm_start", "framework_type", "threading"),
    )
    _parts: ClassVar[dict[str, type[_Settings]]] = {
        "autotune": AutotuneOptions,
        "experimental_distribute": DistributeOptions,
        "experimental_optimization": OptimizationOptions,
        "experimental_service": ServiceOptions,
        "threading": ThreadingOptions,
    }
    _old_names: ClassVar[dict[str, str]] = {
        "experimental_deterministic": "deterministic",
        "experimental_threading": "threading",
    }

    def __init__(self) -> None:
        super().__init__()
        for name, kind in self._parts.items():
            object.__setattr__(self, name, kind())

    def __setattr__(self, name: str, value: TensorLike) -> None:
        super().__setattr__(self._old_names.get(name, name), value)

    def __getattribute__(self, name: str) -> Any:
        return super().__getattribute__(Options._old_names.get(name, name))

    def merge(self, options: Options) -> Options:
        """These options, with those that were set in others in their place.

        >>> ours, others = tf.data.Options(), tf.data.Options()
        >>> others.deterministic = False
        >>> ours.merge(others).deterministic
        False

        Args:
            options: Other options.

        Returns:
            New options.

        Raises:
            TypeError: It is something else.
        """
        if not isinstance(options, Options):
            raise TypeError(f"Options.merge: got {options!r}, which is no tf.data.Options.")
        merged = Options()
        for given in (self, options):
            for name, value in vars(given).items():
                if isinstance(value, _Settings):
                    for inner, setting in vars(value).items():
                        if setting is not None:
                            setattr(getattr(merged, name), inner, setting)
                elif value is not None:
                    setattr(merged, name, value)
        return merged
