"""`tf.config`: what there is to compute on: the CPU, and the accelerators that JAX sees."""

from __future__ import annotations

import dataclasses
import os
import sys
from typing import Any, ClassVar, TypeAlias

from .api.interop import RESULTS
from .base.namespaces import listing, namespace
from .differentiation.slices import ROWS
from .trace import engines
from .trace.function import EAGERLY
from .xla import checked as _xla_is_here
from .xla import places
from .xla.names import LOGICAL
from .xla.names import LogicalDevice as LogicalDevice


@dataclasses.dataclass(frozen=True)
class PhysicalDevice:
    """A device of the machine.

    >>> import gradtape as tf
    >>> tf.config.list_physical_devices()[0].device_type
    'CPU'

    Args:
        name: The name, as "/physical_device:CPU:0".
        device_type: "CPU".
    """

    name: str
    device_type: str


@dataclasses.dataclass(frozen=True)
class LogicalDeviceConfiguration:
    """How a device is shared out to logical ones; accepted for compatibility.

    >>> import gradtape as tf
    >>> tf.config.LogicalDeviceConfiguration(memory_limit=1024).memory_limit
    1024

    Args:
        memory_limit: Ignored; accepted for compatibility with TensorFlow.
        experimental_priority: Ignored; accepted for compatibility with TensorFlow.
        experimental_device_ordinal: Ignored; accepted for compatibility with TensorFlow.
    """

    memory_limit: Any = None
    experimental_priority: Any = None
    experimental_device_ordinal: Any = None


def list_physical_devices(device_type: str | None = None) -> list[PhysicalDevice]:
    """The CPU, and the accelerators that JAX sees; [] for a kind that is not there.

    >>> import gradtape as tf
    >>> tf.config.list_physical_devices("CPU")
    [PhysicalDevice(name='/physical_device:CPU:0', device_type='CPU')]

    Args:
        device_type: "CPU", "GPU" or "TPU"; None: any.

    Returns:
        A list of devices.
    """
    found = [PhysicalDevice("/physical_device:CPU:0", "CPU")] if device_type in (None, "CPU") else []
    for kind in places.ACCELERATORS if device_type is None else [device_type]:
        if kind in places.ACCELERATORS:
            count = len(places.accelerators(kind, all_there_are=True))
            found += [PhysicalDevice(f"/physical_device:{kind}:{number}", kind) for number in range(count)]
    return found


def list_logical_devices(device_type: str | None = None) -> list[LogicalDevice]:
    """The devices that programs see: the CPU, or what it is shared out to, and visible accelerators.

    >>> import gradtape as tf
    >>> [device.name for device in tf.config.list_logical_devices("CPU")]
    ['/device:CPU:0']

    Args:
        device_type: "CPU", "GPU" or "TPU"; None: any.

    Returns:
        A list of devices.
    """
    found = LOGICAL.devices() if device_type in (None, "CPU") else []
    for kind in places.ACCELERATORS if device_type is None else [device_type]:
        if kind in places.ACCELERATORS:
            found += [LogicalDevice(f"/device:{kind}:{n}", kind) for n in range(len(places.accelerators(kind)))]
    return found


def get_visible_devices(device_type: str | None = None) -> list[PhysicalDevice]:
    """Those of `list_physical_devices` that programs see.

    >>> import gradtape as tf
    >>> [device.device_type for device in tf.config.get_visible_devices("CPU")]
    ['CPU']

    Args:
        device_type: "CPU", "GPU" or "TPU"; None: any.

    Returns:
        A list of devices.
    """
    visible = places.SEEN.visible
    return [
        device
        for device in list_physical_devices(device_type)
        if device.device_type not in visible or _number_of(device) in visible[device.device_type]
    ]


def _number_of(device: PhysicalDevice) -> int:
    return int(device.name.rpartition(":")[2])


def set_visible_devices(devices: object, device_type: str | None = None) -> None:
    """Choose the accelerators that programs see, which are numbered anew; the CPU stays visible.

    >>> import gradtape as tf
    >>> tf.config.set_visible_devices([], "GPU")
    >>> tf.config.list_logical_devices("GPU")
    []

    Args:
        devices: A device, or a list of them, of `list_physical_devices`.
        device_type: The kind of devices that is meant; None: all.

    Raises:
        ValueError: The CPU would be hidden, or one of them is no device of that kind.
    """
    chosen: list[Any] = list(devices) if isinstance(devices, (list, tuple)) else [devices]
    if device_type in (None, "CPU") and not any(getattr(d, "device_type", None) == "CPU" for d in chosen):
        raise ValueError("The CPU cannot be hidden: functions begin and end there.")
    known = list_physical_devices(device_type)
    for device in chosen:
        if device not in known:
            raise ValueError(f"Unrecognized device: {device!r}. Those of {device_type or 'any kind'} are: {known}.")
    for kind in places.ACCELERATORS if device_type is None else [device_type]:
        if kind in places.ACCELERATORS:
            places.SEEN.visible[kind] = [_number_of(device) for device in chosen if device.device_type == kind]
    engines.renew()


def set_soft_device_placement(enabled: bool) -> None:
    """Whether the CPU takes the place of a device that is not there; else `tf.device` of such a one is an error.

    >>> import gradtape as tf
    >>> tf.config.set_soft_device_placement(True)

    Args:
        enabled: Whether it does.
    """
    places.SEEN.is_soft = bool(enabled)


def get_soft_device_placement() -> bool:
    """Whether the CPU takes the place of a device that is not there.

    >>> import gradtape as tf
    >>> tf.config.get_soft_device_placement()
    True

    Returns:
        True or False; True at first.
    """
    return places.SEEN.is_soft


def get_logical_device_configuration(device: object) -> list[LogicalDeviceConfiguration] | None:
    """How the CPU is shared out; None where it is one device.

    >>> import gradtape as tf
    >>> cpu = tf.config.list_physical_devices("CPU")[0]
    >>> tf.config.get_logical_device_configuration(cpu)

    Args:
        device: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A list of `LogicalDeviceConfiguration`, or None.
    """
    return LOGICAL.configuration


def set_logical_device_configuration(device: object, logical_devices: Any) -> None:
    """Let the CPU stand for several devices, which functions on a mesh and strategies use; memory is taken as it is needed.

    >>> import gradtape as tf
    >>> cpu = tf.config.list_physical_devices("CPU")[0]
    >>> tf.config.set_logical_device_configuration(cpu, [tf.config.LogicalDeviceConfiguration()])

    Args:
        device: Ignored; accepted for compatibility with TensorFlow.
        logical_devices: A list of `LogicalDeviceConfiguration`, one for each logical device.

    Raises:
        RuntimeError: Several devices are asked for after the first use of XLA, or without the extra `xla`.
    """
    count = 1 if logical_devices is None else len(logical_devices)
    if count > 1:
        try:
            _xla_is_here()
        except ModuleNotFoundError as error:
            raise RuntimeError(
                f"{count} logical devices were asked for, and without XLA gradtape has one CPU. {error} Or leave this call out: "
                "tf.distribute.MirroredStrategy() then runs with one replica."
            ) from None
        from .xla import logical

        logical.divide_cpu(count)
        LOGICAL.configuration = list(logical_devices)


def experimental_connect_to_cluster(
    cluster_spec_or_resolver: object,
    job_name: str = "localhost",
    task_index: int = 0,
    protocol: str | None = None,
    make_master_device_default: bool = True,
    cluster_device_filters: object = None,
) -> None:
    """Not offered: there is no cluster. `gradtape launch` starts several processes.

    >>> import gradtape as tf
    >>> tf.config.experimental_connect_to_cluster(None)
    Traceback (most recent call last):
    RuntimeError: gradtape connects to no cluster: `gradtape launch` starts processes. ...

    Args:
        cluster_spec_or_resolver: Ignored.
        job_name: Ignored.
        task_index: Ignored.
        protocol: Ignored.
        make_master_device_default: Ignored.
        cluster_device_filters: Ignored.

    Raises:
        RuntimeError: Always.
    """
    raise RuntimeError(
        "gradtape connects to no cluster: `gradtape launch` starts processes. Use tf.distribute.MultiWorkerMirroredStrategy()."
    )


def experimental_connect_to_host(remote_host: object = None, job_name: str = "worker") -> None:
    """Not offered: there is no other host.

    >>> import gradtape as tf
    >>> tf.config.experimental_connect_to_host("worker:1")
    Traceback (most recent call last):
    RuntimeError: gradtape connects to no host: ...

    Args:
        remote_host: Ignored.
        job_name: Ignored.

    Raises:
        RuntimeError: Always.
    """
    raise RuntimeError("gradtape connects to no host: `gradtape launch` starts processes on this machine.")


def set_engine(name: str) -> None:
    """Choose what runs functions that ask for no engine: "native", or with the extra `xla` "xla" or "xla-checked".

    >>> import gradtape as tf
    >>> tf.config.set_engine("native")

    Args:
        name: The name of the engine.

    Raises:
        ValueError: There is no engine of that name.
        ModuleNotFoundError: The package that it needs is not installed.
    """
    engines.choose(name)


def get_engine() -> str:
    """The engine of functions that ask for none.

    >>> import gradtape as tf
    >>> tf.config.get_engine()
    'native'

    Returns:
        The name of the engine.
    """
    return engines.CHOICE.name


@namespace("gradtape.config.optimizer")
class optimizer:
    """`tf.config.optimizer`: what TensorFlow does to graphs before it runs them; accepted and returned."""

    _options: ClassVar[dict[str, Any]] = {"disable_model_pruning": False, "disable_meta_optimizer": False}
    _jit = ""

    @staticmethod
    def get_jit() -> str:
        """The argument of `set_jit`.

        >>> import gradtape as tf
        >>> tf.config.optimizer.get_jit()
        ''

        Returns:
            "" or "autoclustering".
        """
        return optimizer._jit

    @staticmethod
    def set_jit(enabled: bool | str) -> None:
        """Accepted: tf.function(jit_compile=True) is what compiles.

        >>> import gradtape as tf
        >>> tf.config.optimizer.set_jit(False)

        Args:
            enabled: True, False or "autoclustering".

        Raises:
            ValueError: It is something else.
        """
        if enabled not in (True, False, "", "autoclustering"):
            raise ValueError(f"set_jit: True, False or 'autoclustering' is needed, got {enabled!r}.")
        optimizer._jit = "autoclustering" if enabled else ""

    @staticmethod
    def get_experimental_options() -> dict[str, Any]:
        """The argument of `set_experimental_options`.

        >>> import gradtape as tf
        >>> tf.config.optimizer.get_experimental_options()["disable_meta_optimizer"]
        False

        Returns:
            A dict.
        """
        return dict(optimizer._options)

    @staticmethod
    def set_experimental_options(options: dict[str, Any]) -> None:
        """Accepted: there is no graph optimizer to set.

        >>> import gradtape as tf
        >>> tf.config.optimizer.set_experimental_options({"disable_meta_optimizer": False})

        Args:
            options: A dict from names of options to values; those that are not named stay.
        """
        optimizer._options = {**optimizer._options, **options}


@namespace("gradtape.config.threading")
class threading:
    """`tf.config.threading`: how many threads the linear algebra library may use."""

    @staticmethod
    def get_inter_op_parallelism_threads() -> int:
        """1: ops run one after the other.

        >>> import gradtape as tf
        >>> tf.config.threading.get_inter_op_parallelism_threads()
        1

        Returns:
            1.
        """
        return 1

    @staticmethod
    def get_intra_op_parallelism_threads() -> int:
        """What OPENBLAS_NUM_THREADS or OMP_NUM_THREADS say, else 0 for the library's choice.

        >>> import gradtape as tf
        >>> tf.config.threading.get_intra_op_parallelism_threads() >= 0
        True

        Returns:
            A whole number.
        """
        return int(os.environ.get("OPENBLAS_NUM_THREADS") or os.environ.get("OMP_NUM_THREADS") or 0)

    @staticmethod
    def set_inter_op_parallelism_threads(num_threads: int) -> None:
        """Accepted: ops run one after the other.

        >>> import gradtape as tf
        >>> tf.config.threading.set_inter_op_parallelism_threads(2)

        Args:
            num_threads: Ignored; accepted for compatibility with TensorFlow.
        """

    @staticmethod
    def set_intra_op_parallelism_threads(num_threads: int) -> None:
        """Not possible once NumPy is loaded: the error says which environment variable to set.

        >>> import gradtape as tf
        >>> tf.config.threading.set_intra_op_parallelism_threads(2)
        Traceback (most recent call last):
        RuntimeError: The number of threads is read when NumPy is imported: ...

        Args:
            num_threads: Ignored; accepted for compatibility with TensorFlow.

        Raises:
            RuntimeError: Always.
        """
        raise RuntimeError(
            "The number of threads is read when NumPy is imported: set the environment variable OPENBLAS_NUM_THREADS before "
            "starting Python."
        )


@namespace("gradtape.config.experimental")
class experimental:
    """`tf.config.experimental`: names that older programs use."""

    list_physical_devices = staticmethod(list_physical_devices)
    list_logical_devices = staticmethod(list_logical_devices)
    get_visible_devices = staticmethod(get_visible_devices)
    set_visible_devices = staticmethod(set_visible_devices)

    VirtualDeviceConfiguration: TypeAlias = LogicalDeviceConfiguration
    get_virtual_device_configuration = staticmethod(get_logical_device_configuration)
    set_virtual_device_configuration = staticmethod(set_logical_device_configuration)

    @staticmethod
    def enable_op_determinism() -> None:
        """Accepted: ops give the same bits each time they are given the same bits.

        >>> import gradtape as tf
        >>> tf.config.experimental.enable_op_determinism()
        """

    @staticmethod
    def enable_tensor_float_32_execution(enabled: bool) -> None:
        """Accepted: products are computed in the type of their operands.

        >>> import gradtape as tf
        >>> tf.config.experimental.enable_tensor_float_32_execution(False)

        Args:
            enabled: Ignored; accepted for compatibility with TensorFlow.
        """

    @staticmethod
    def tensor_float_32_execution_enabled() -> bool:
        """Whether products are computed in shorter numbers than their operands have: always False.

        >>> import gradtape as tf
        >>> tf.config.experimental.tensor_float_32_execution_enabled()
        False

        Returns:
            False.
        """
        return False

    @staticmethod
    def get_synchronous_execution() -> bool:
        """Always True: an op has run when its call returns.

        >>> import gradtape as tf
        >>> tf.config.experimental.get_synchronous_execution()
        True

        Returns:
            True.
        """
        return True

    @staticmethod
    def set_synchronous_execution(enable: bool) -> None:
        """Accepted: an op has run when its call returns.

        >>> import gradtape as tf
        >>> tf.config.experimental.set_synchronous_execution(True)

        Args:
            enable: Ignored; accepted for compatibility with TensorFlow.
        """

    @staticmethod
    def get_device_policy() -> str:
        """Always "silent": there is one device.

        >>> import gradtape as tf
        >>> tf.config.experimental.get_device_policy()
        'silent'

        Returns:
            "silent".
        """
        return "silent"

    @staticmethod
    def set_device_policy(device_policy: str | None) -> None:
        """Accepted: there is one device, so that nothing is ever copied to another.

        >>> import gradtape as tf
        >>> tf.config.experimental.set_device_policy("silent")

        Args:
            device_policy: Ignored; accepted for compatibility with TensorFlow.
        """

    @staticmethod
    def get_device_details(device: object) -> dict[str, Any]:
        """What is known of a device: nothing, of the CPU.

        >>> import gradtape as tf
        >>> tf.config.experimental.get_device_details(tf.config.list_physical_devices()[0])
        {}

        Args:
            device: Ignored; accepted for compatibility with TensorFlow.

        Returns:
            An empty dict.
        """
        return {}

    @staticmethod
    def get_memory_info(device: object) -> dict[str, int]:
        """The bytes that this process holds now, and the most it ever held.

        >>> import gradtape as tf
        >>> memory = tf.config.experimental.get_memory_info("CPU:0")
        >>> 0 < memory["current"] <= memory["peak"]
        True

        Args:
            device: Ignored; accepted for compatibility with TensorFlow.

        Returns:
            A dict with "current" and "peak".
        """
        current = _resident()
        return {"current": current, "peak": max(current, _most_resident())}

    @staticmethod
    def get_memory_usage(device: object) -> int:
        """The bytes that this process holds now.

        >>> import gradtape as tf
        >>> tf.config.experimental.get_memory_usage("CPU:0") > 0
        True

        Args:
            device: Ignored; accepted for compatibility with TensorFlow.

        Returns:
            A whole number.
        """
        return _resident()

    @staticmethod
    def reset_memory_stats(device: object) -> None:
        """Not possible: the operating system keeps the peak.

        >>> import gradtape as tf
        >>> tf.config.experimental.reset_memory_stats("CPU:0")
        Traceback (most recent call last):
        RuntimeError: The peak is kept by the operating system ...

        Args:
            device: Ignored; accepted for compatibility with TensorFlow.

        Raises:
            RuntimeError: Always.
        """
        raise RuntimeError("The peak is kept by the operating system for the whole run and cannot be reset.")

    @staticmethod
    def set_memory_growth(device: object, enable: bool) -> None:
        """Accepted: memory is taken as it is needed.

        >>> import gradtape as tf
        >>> for gpu in tf.config.list_physical_devices("GPU"):
        ...     tf.config.experimental.set_memory_growth(gpu, True)

        Args:
            device: Ignored; accepted for compatibility with TensorFlow.
            enable: Ignored; accepted for compatibility with TensorFlow.
        """

    @staticmethod
    def get_memory_growth(device: object) -> bool:
        """Whether memory is taken as it is needed: always True.

        >>> import gradtape as tf
        >>> tf.config.experimental.get_memory_growth(tf.config.list_physical_devices()[0])
        True

        Args:
            device: Ignored; accepted for compatibility with TensorFlow.

        Returns:
            True.
        """
        return True


def _most_resident() -> int:
    try:
        import resource
    except ImportError:  # (Windows)
        return 0
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024


def _resident() -> int:
    try:
        with open("/proc/self/statm", encoding="ascii") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except OSError:  # no Linux: the peak is an upper bound
        return _most_resident()


def run_functions_eagerly(run_eagerly: bool) -> None:
    """Let every `tf.function` run as the plain Python function, to debug it; False goes back to graphs.

    >>> import gradtape as tf
    >>> tf.config.run_functions_eagerly(True)
    >>> tf.function(lambda: tf.inside_function())()
    False
    >>> tf.config.run_functions_eagerly(False)

    Args:
        run_eagerly: True or False.
    """
    EAGERLY.on = bool(run_eagerly)


def functions_run_eagerly() -> bool:
    """Whether every `tf.function` runs as plain Python.

    >>> import gradtape as tf
    >>> tf.config.functions_run_eagerly()
    False

    Returns:
        True or False.
    """
    return EAGERLY.on


def sum_repeated_rows(enabled: bool) -> None:
    """Whether Keras's optimizers add up the rows of a sparse gradient that belong to one id, before they square them.

    They do (True), so that a step is that of the dense gradient. With False each row is squared by itself, as in TensorFlow: for
    runs that have to give TensorFlow's numbers. `gradtape.as_tensorflow()` sets False.

    >>> import gradtape as tf
    >>> tf.config.sum_repeated_rows(True)

    Args:
        enabled: True or False.
    """
    ROWS.summed = bool(enabled)


def return_tensors_from_numpy(enabled: bool) -> None:
    """Let NumPy's functions give tensors wherever gradtape has the function, also where no tape follows the arguments.

    >>> import gradtape as tf
    >>> import numpy as np
    >>> np.mean(tf.constant([1.0, 3.0]))
    np.float32(2.0)
    >>> tf.config.return_tensors_from_numpy(True)
    >>> np.mean(tf.constant([1.0, 3.0]))
    <tf.Tensor: shape=(), dtype=float32, numpy=2.0>
    >>> tf.config.return_tensors_from_numpy(False)

    Args:
        enabled: True or False.
    """
    RESULTS.tensors = bool(enabled)


def numpy_returns_tensors() -> bool:
    """Whether NumPy's functions give tensors also where no tape follows the arguments.

    >>> import gradtape as tf
    >>> tf.config.numpy_returns_tensors()
    False

    Returns:
        True or False.
    """
    return RESULTS.tensors


experimental_run_functions_eagerly = run_functions_eagerly
experimental_functions_run_eagerly = functions_run_eagerly

__dir__ = listing(globals())
