"""The modules that TensorFlow's tests import from `tensorflow.python`, made of a library's public names.

A test file is read with `tensorflow.python` replaced by `tf_private`, so the same text meets the same stand-ins on TensorFlow
and on gradtape. What a private module defines is taken from the public namespaces that export it (the table of
`gradtape/stand_in/private_modules.py`); decorators and base classes of tests are written here. Anything else fails when it is
used, on both libraries, and its test is not counted.
"""

from __future__ import annotations

import contextlib
import functools
import importlib
import importlib.util
import inspect
import itertools
import sys
import types
import unittest
import unittest.mock
from collections.abc import Callable, Iterator
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from pathlib import Path
from typing import Any

import numpy as np

PREFIX = "tf_private"
TABLE = Path(__file__).parents[3] / "src" / "gradtape" / "stand_in" / "private_modules.py"


# Private names whose public name is another one.
PUBLIC = {
    "autograph.core.converter.Feature": "autograph.experimental.Feature",
    "checkpoint.checkpoint_management.CheckpointManager": "train.CheckpointManager",
    "checkpoint.checkpoint_options.CheckpointOptions": "train.CheckpointOptions",
    "data.experimental.ops.random_access.at": "data.experimental.at",
    "distribute.mirrored_strategy.MirroredStrategy": "distribute.MirroredStrategy",
    "framework.sparse_tensor.SparseTensorValue": "compat.v1.SparseTensorValue",
    "framework.tensor_util.constant_value": "get_static_value",
    "ops.array_ops.batch_gather_nd": "gather_nd",
    "ops.array_ops.invert_permutation": "math.invert_permutation",
    "ops.array_ops.placeholder_with_default": "compat.v1.placeholder_with_default",
    "ops.array_ops.quantize_and_dequantize_v2": "quantization.quantize_and_dequantize_v2",
    "ops.array_ops.tensor_scatter_add": "tensor_scatter_nd_add",
    "ops.array_ops.tensor_scatter_max": "tensor_scatter_nd_max",
    "ops.array_ops.tensor_scatter_min": "tensor_scatter_nd_min",
    "ops.array_ops.tensor_scatter_sub": "tensor_scatter_nd_sub",
    "ops.array_ops.tensor_scatter_update": "tensor_scatter_nd_update",
    "ops.math_ops.div": "compat.v1.div",
    "ops.math_ops.div_no_nan": "math.divide_no_nan",
    "ops.math_ops.sparse_segment_sum": "sparse.segment_sum",
    "ops.nn_impl.fused_batch_norm": "compat.v1.nn.fused_batch_norm",
    "ops.nn_ops.general_dropout": "nn.experimental.general_dropout",
    "ops.nn_ops.stateless_dropout": "nn.experimental.stateless_dropout",
    "ops.ragged.ragged_factory_ops.constant_value": "compat.v1.ragged.constant_value",
    "ops.ragged.ragged_tensor.RaggedTensorSpec": "RaggedTensorSpec",
    "ops.ragged.dynamic_ragged_shape.DynamicRaggedShape": "experimental.DynamicRaggedShape",
    "ops.ragged.row_partition.RowPartition": "experimental.RowPartition",
    "ops.random_ops.random_normal": "random.normal",
    "ops.random_ops.random_uniform": "random.uniform",
    "ops.resource_variable_ops.ResourceVariable": "Variable",
    "ops.sparse_ops.sparse_reduce_sum_v2": "sparse.reduce_sum",
    "ops.variable_scope.variable_creator_scope": "variable_creator_scope",
    "ops.variable_v1.VariableV1": "compat.v1.Variable",
    "saved_model.save_options.SaveOptions": "saved_model.SaveOptions",
}
# Private names of ops that are public in tf.raw_ops alone, beside those of the modules gen_*_ops.
RAW = {
    "ops.array_ops": ("scatter_nd_non_aliasing_add", "strided_slice_grad"),
    "ops.math_ops": ("approximate_equal", "floor_div", "sparse_segment_sum_grad", "sparse_segment_sum_grad_v2"),
    "ops.nn_ops": ("data_format_dim_map", "data_format_vec_permute"),
}


class Private(unittest.SkipTest):
    """A private part of TensorFlow that has no public name."""


def _table() -> dict[str, tuple[str, ...]]:
    spec = importlib.util.spec_from_file_location("private_modules", TABLE)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return dict(module.NAMESPACES)


class _Absent:
    """Stands for a private name: harmless while a file is imported, a skip as soon as it is used."""

    importing = False

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return _Absent(f"{self._name}.{name}")

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if _Absent.importing:
            return _Absent(f"{self._name}()")
        raise Private(self._name)

    def __mro_entries__(self, bases: Any) -> tuple[type, ...]:
        return (_AbsentBase,)

    def _used(self, *args: Any) -> Any:
        raise Private(self._name)

    __iter__ = __enter__ = __getitem__ = __add__ = __radd__ = __bool__ = __len__ = _used

    def __exit__(self, *error: object) -> None: ...


@contextlib.contextmanager
def importing_a_file() -> Iterator[None]:
    """A block in which calls of private names give private names: a file uses some of them in bodies of classes."""
    _Absent.importing = True
    try:
        yield
    finally:
        _Absent.importing = False


class _AbsentBase:
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        raise Private("a private base class")


class _Module(types.ModuleType):
    def __init__(self, name: str, tf: Any, namespaces: tuple[str, ...], extra: dict[str, Any]) -> None:
        super().__init__(name)
        self.__path__ = []
        self._tf, self._namespaces = tf, namespaces
        vars(self).update(extra)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        short = self.__name__.partition(".")[2]
        if (public := PUBLIC.get(f"{short}.{name}")) is not None:
            with contextlib.suppress(AttributeError):
                return _at(self._tf, public)
            return _Absent(f"tf.{public}")
        if short.startswith("ops.gen_") or name in RAW.get(short, ()):
            return _raw(self._tf, name) or _Absent(f"{self.__name__}.{name}")
        for namespace in self._namespaces:
            for spelling in (name, name.removesuffix("_v2")):
                try:
                    return _at(self._tf, f"{namespace}.{spelling}".strip("."))
                except AttributeError:
                    continue
        with contextlib.suppress(ImportError):
            return importlib.import_module(f"{self.__name__}.{name}")
        return _Absent(f"{self.__name__}.{name}")

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """(A private function of a module that has no public names is taken for a module below it.)"""
        raise Private(self.__name__)


def _at(tf: Any, dotted: str) -> Any:
    return functools.reduce(getattr, dotted.split("."), tf)


def _raw(tf: Any, name: str) -> Any:
    """The raw op of a function in a module gen_*_ops, which takes positional arguments too; None if there is none."""
    letters = name.replace("_", "")
    found = [op for op in dir(tf.raw_ops) if op.lower() == letters and not op.startswith("_")]
    if not found:
        return None
    op = getattr(tf.raw_ops, found[0])
    names = list(inspect.signature(op).parameters)
    return lambda *args, **kwargs: op(**dict(zip(names, args, strict=False)), **kwargs)


class Finder(MetaPathFinder, Loader):
    """Makes the modules below `tf_private`."""

    def __init__(self, tf: Any) -> None:
        self._tf, self._table, self._extras = tf, _table(), extras(tf)

    def find_spec(self, fullname: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        return ModuleSpec(fullname, self, is_package=True) if fullname.split(".")[0] == PREFIX else None

    def create_module(self, spec: ModuleSpec) -> types.ModuleType:
        short = spec.name.partition(".")[2]
        parent, _, last = short.rpartition(".")
        if short not in self._table and (parent in self._table or parent in self._extras or last[:1].isupper()):
            raise ImportError(f"{spec.name} is no module")
        return _Module(spec.name, self._tf, self._table.get(short, ()), self._extras.get(short, {}))

    def exec_module(self, module: types.ModuleType) -> None: ...


# --- what the tests themselves stand on -------------------------------------------------------------------------------


def extras(tf: Any) -> dict[str, dict[str, Any]]:
    """For each private module of tests, its names."""
    test_case = _test_case(tf)
    return {
        "platform.test": {"TestCase": test_case, "main": lambda: None, "mock": unittest.mock},
        "platform.googletest": {"TestCase": test_case, "main": lambda: None},
        "framework.test_util": {"TensorFlowTestCase": test_case, **_decorators()},
        "framework.test_combinations": _combinations(),
        "framework.combinations": _combinations(),
        "distribute.combinations": _combinations(),
        "data.kernel_tests.test_base": _test_base(tf, test_case),
        "data.kernel_tests.checkpoint_test_base": {"CheckpointTestBase": _test_base(tf, test_case)["DatasetTestBase"]}
        | {"default_test_combinations": lambda: []},
        "eager.context": {
            "executing_eagerly": tf.executing_eagerly,
            "eager_mode": contextlib.nullcontext,
            "num_gpus": lambda: 0,
        },
        "eager.test": {"TestCase": test_case, "main": lambda: None},
        # (A graph that is built and run later, by a session, is TensorFlow 1; its name is public in TensorFlow.)
        "framework.ops": {"executing_eagerly_outside_functions": lambda: True, "Graph": _Absent("tf.Graph")},
        # (Tests that use several CPUs ask for them before each test of the file, most of which need one.)
        "framework.config": {"set_logical_device_configuration": lambda *args: None},
        "data.ops.dataset_ops": {
            f"get_legacy_output_{part}s": functools.partial(_of_elements, tf, part) for part in ("type", "shape")
        },
        "compat.compat": {"forward_compatible": lambda *date: True},
        "framework.dtypes": {
            "float8_e5m2": tf.dtypes.experimental.float8_e5m2,
            "float8_e4m3fn": tf.dtypes.experimental.float8_e4m3fn,
        },
        "ops.gradient_checker_v2": {"compute_gradient": tf.test.compute_gradient, "max_error": _max_error},
        "util.compat": {"as_bytes": tf.compat.as_bytes, "as_str": tf.compat.as_str, "as_text": tf.compat.as_text},
    }


def _of_elements(tf: Any, part: str, dataset: Any) -> Any:
    """The types or shapes of a dataset's elements, as TensorFlow 1 asked for them."""
    return tf.nest.map_structure(lambda spec: spec.dtype if part == "type" else spec.shape, dataset.element_spec)


def _max_error(first: Any, second: Any) -> float:
    return max((float(np.max(np.abs(a - b))) for a, b in zip(first, second, strict=True) if np.size(a)), default=0.0)


def _test_case(tf: Any) -> type:
    class TestCase(tf.test.TestCase):  # type: ignore[misc, name-defined]
        """The public TestCase, with the older names of its methods."""

        @contextlib.contextmanager
        def cached_session(self, *args: Any, **kwargs: Any) -> Iterator[Any]:
            yield types.SimpleNamespace(run=self.evaluate)

        session = cached_session

        def test_session(self, *args: Any, **kwargs: Any) -> Any:
            """The oldest name of it (which a loader takes for a test)."""
            if self.id().endswith(".test_session"):
                self.skipTest("Not a test.")
            return self.cached_session()

    return TestCase


def _same(*args: Any, **kwargs: Any) -> Any:
    """A decorator, with or without arguments, that changes nothing."""
    if len(args) == 1 and not kwargs and callable(args[0]):
        return args[0]
    return lambda decorated: decorated


def _skipping(reason: str) -> Callable[..., Any]:
    def decorator(*args: Any, **kwargs: Any) -> Any:
        if len(args) == 1 and callable(args[0]):
            return unittest.skip(reason)(args[0])
        return unittest.skip(reason)

    return decorator


def _decorators() -> dict[str, Any]:
    plain = (
        "run_in_graph_and_eager_modes run_all_in_graph_and_eager_modes run_v2_only disable_xla disable_tfrt disable_mlir_bridge "
        "run_without_tensor_float_32 run_all_without_tensor_float_32 with_forward_compatibility_horizons assert_no_new_tensors "
        "assert_no_new_pyobjects_executing_eagerly assert_no_garbage_created enable_control_flow_v2 with_control_flow_v2 "
        "run_all_with_forward_compatibility run_functions_eagerly_off build_as_function_and_v1_graph with_eager_op_as_function "
        "disable_eager_op_as_function also_run_as_tf_function run_in_async_and_sync_mode deprecated_graph_mode_or_eager "
        "disable_asan disable_tsan disable_msan disable_ubsan xla_allow_fallback disable_all_xla enable_output_all_intermediates "
        "set_xla_env_flag run_all_in_deprecated_graph_mode_only_off disable_cudnn_autotune enable_eager_op_as_function "
        "skip_if disable_for_tpu run_cpu_only enable_quantized_dtypes_training"
    )
    graph = (
        "run_v1_only run_deprecated_v1 deprecated_graph_mode_only run_all_in_deprecated_graph_mode_only build_as_graph "
        "disable_control_flow_v2"
    )
    decorators: dict[str, Any] = dict.fromkeys(plain.split(), _same)
    decorators.update(dict.fromkeys(graph.split(), _skipping("a test of TensorFlow 1's graph mode")))
    decorators["run_gpu_only"] = decorators["run_cuda_only"] = _skipping("needs a GPU")
    decorators.update(
        is_gpu_available=lambda *args, **kwargs: False,
        IsMklEnabled=lambda: False,
        is_xla_enabled=lambda: False,
        is_mlir_bridge_enabled=lambda: False,
        gpu_device_name=lambda: "",
        use_gpu=contextlib.nullcontext,
        force_cpu=contextlib.nullcontext,
        force_gpu=contextlib.nullcontext,
        device=lambda *args, **kwargs: contextlib.nullcontext(),
        forward_compatibility_horizon=contextlib.nullcontext,
        GpuSupportsHalfMatMulAndConv=lambda: False,
        # (Applies a decorator to each test of a class; those of graph mode are not used in this way.)
        for_all_test_methods=lambda *args, **kwargs: _same,
        NCHWToNHWC=lambda shape: [shape[0], *shape[2:], shape[1]],
        NHWCToNCHW=lambda shape: [shape[0], shape[-1], *shape[1:-1]],
    )
    return decorators


def _combinations() -> dict[str, Any]:
    def combine(**kwargs: Any) -> list[dict[str, Any]]:
        lists = [value if isinstance(value, (list, tuple)) else [value] for value in kwargs.values()]
        return [dict(zip(kwargs, values, strict=True)) for values in itertools.product(*lists)]

    def times(*combined: list[dict[str, Any]]) -> list[dict[str, Any]]:
        return [functools.reduce(lambda a, b: {**a, **b}, parts, {}) for parts in itertools.product(*combined)]

    def generate(combined: list[dict[str, Any]], **kwargs: Any) -> Any:
        from absl.testing import parameterized

        eager = [c for c in combined if c.get("mode", "eager") == "eager" and c.get("tf_api_version", 2) == 2]
        ours = [{k: v for k, v in c.items() if k not in ("mode", "tf_api_version")} for c in eager]
        different = [c for n, c in enumerate(ours) if c not in ours[:n]]
        if different == [{}] or not different:
            return _same if different else _skipping("a test of TensorFlow 1's graph mode")
        return parameterized.named_parameters(
            *({"testcase_name": "_".join(["", str(n)]), **c} for n, c in enumerate(different))
        )

    class NamedObject:
        def __init__(self, name: str, obj: Any) -> None:
            self._name, self._obj = name, obj

        def __getattr__(self, name: str) -> Any:
            return getattr(self._obj, name)

        def __call__(self, *args: Any, **kwargs: Any) -> Any:
            return self._obj(*args, **kwargs)

    return {"combine": combine, "times": times, "generate": generate, "NamedObject": NamedObject}


def _test_base(tf: Any, test_case: type) -> dict[str, Any]:
    class DatasetTestBase(test_case):  # type: ignore[misc, valid-type]
        """What the tests of tf.data ask of a dataset."""

        def getNext(self, dataset: Any, requires_initialization: bool = False, shared_name: Any = None) -> Any:
            iterator = iter(dataset)

            def following() -> Any:
                try:
                    return next(iterator)
                except StopIteration:
                    raise tf.errors.OutOfRangeError(None, None, "End of sequence") from None

            return following

        def getDatasetOutput(self, dataset: Any, requires_initialization: bool = False) -> list[Any]:
            return [self.evaluate(element) for element in dataset]

        def assertValuesEqual(self, expected: Any, actual: Any) -> None:
            if hasattr(actual, "dense_shape"):
                self.assertAllEqual(expected.indices, actual.indices)
                self.assertAllEqual(expected.values, actual.values)
            else:
                self.assertAllEqual(expected, actual)

        def assertDatasetProduces(
            self,
            dataset: Any,
            expected_output: Any = None,
            expected_shapes: Any = None,
            expected_error: Any = None,
            requires_initialization: bool = False,
            num_test_iterations: int = 1,
            assert_items_equal: bool = False,
            expected_error_iter: int = 1,
        ) -> None:
            if expected_error is not None:
                kind, text = expected_error if isinstance(expected_error, tuple) else (expected_error, "")
                with self.assertRaisesRegex(kind, text):
                    following = self.getNext(dataset)
                    for _ in range(expected_error_iter):
                        self.evaluate(following())
                return
            if expected_shapes is not None:
                shapes = tf.nest.map_structure(lambda spec: spec.shape, dataset.element_spec)
                self.assertEqual(expected_shapes, shapes)
            for _ in range(num_test_iterations):
                found = self.getDatasetOutput(dataset)
                expected = list(expected_output)
                self.assertEqual(len(expected), len(found))
                if assert_items_equal:
                    self.assertCountEqual(
                        [tuple(np.ravel(part).tolist() for part in tf.nest.flatten(e)) for e in expected],
                        [tuple(np.ravel(part).tolist() for part in tf.nest.flatten(e)) for e in found],
                    )
                    continue
                for want, got in zip(expected, found, strict=True):
                    tf.nest.assert_same_structure(want, got)
                    for a, b in zip(tf.nest.flatten(want), tf.nest.flatten(got), strict=True):
                        self.assertValuesEqual(a, b)

        def checkDeterminism(self, dataset_fn: Any, expect_determinism: bool, expected_elements: Any) -> None:
            if not expect_determinism:
                raise Private("an order that depends on the time of threads")
            self.assertDatasetProduces(dataset_fn(delay_ms=1), expected_output=expected_elements)

        def structuredElement(self, structure: Any, shape: Any = (), dtype: Any = tf.int64) -> Any:
            """Zeros in a structure whose leaves are None."""
            if structure is None:
                return tf.zeros(shape, dtype)
            if isinstance(structure, dict):
                return {key: self.structuredElement(part, shape, dtype) for key, part in structure.items()}
            return tuple(self.structuredElement(part, shape, dtype) for part in structure)

        def structuredDataset(self, structure: Any, shape: Any = (), dtype: Any = tf.int64) -> Any:
            """One such element as a dataset."""
            return tf.data.Dataset.from_tensors(self.structuredElement(structure, shape, dtype))

    return {
        "DatasetTestBase": DatasetTestBase,
        "default_test_combinations": lambda: [{"tf_api_version": 2, "mode": "eager"}],
        "eager_only_combinations": lambda: [{"tf_api_version": 2, "mode": "eager"}],
        "graph_only_combinations": list,
        "v1_only_combinations": list,
        "v2_only_combinations": lambda: [{"tf_api_version": 2, "mode": "eager"}],
        "v2_eager_only_combinations": lambda: [{"tf_api_version": 2, "mode": "eager"}],
    }


def install(tf: Any) -> None:
    """Let imports of `tf_private` find the stand-ins for this library."""
    sys.meta_path.insert(0, Finder(tf))
