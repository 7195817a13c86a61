"""gradtape under the name tensorflow. What changes the process is tried in an interpreter of its own."""

import inspect
import pathlib
import subprocess
import sys
import textwrap
import types

import pytest

import gradtape as tf
from gradtape.base.absent import MissingPartError

MODULES = (pathlib.Path(__file__).parent / "tensorflow_modules.txt").read_text(encoding="utf-8").split()
STAND_IN = "import gradtape; tf = gradtape.as_tensorflow()\n"


def run(program: str) -> subprocess.CompletedProcess[str]:
    script = textwrap.dedent(program)
    return subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)


def answer(program: str) -> list[str]:
    done = run(program)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def test_the_name_and_the_version_are_those_of_tensorflow_and_gradtape_keeps_its_own():
    assert answer(
        STAND_IN
        + """
import importlib.metadata, importlib.util, tensorflow, tensorflow.compat.v2
assert tensorflow is tf is tensorflow.compat.v2 is gradtape.as_tensorflow()
print(tf.__name__, tf.__version__, tf.version.VERSION, gradtape.__version__ == tf.__version__)
print(importlib.metadata.version("tensorflow"), importlib.util.find_spec("tensorflow").name)
"""
    ) == ["tensorflow 2.21.0 2.21.0 False", "2.21.0 tensorflow"]


def test_every_public_module_of_tensorflow_imports_by_itself_or_says_what_to_use():
    # (In one process for each name, as scripts do, this would take minutes; the modules are forgotten in between instead.)
    program = (
        STAND_IN
        + """
import importlib, sys
for line in sys.stdin.read().split():
    for package in ("tensorflow", "gradtape"):
        name = package + line.removeprefix("tensorflow")
        sys.modules.pop(name, None) if name.startswith("tensorflow.") else None
        try:
            module = importlib.import_module(name)
            assert len(dir(module)) > 0, name
        except ImportError as error:
            assert type(error).__name__ == "MissingPartError" and "gradtape has no tf." in str(error), (name, error)
            print(name)
"""
    )
    done = subprocess.run(
        [sys.executable, "-c", program], input="\n".join(MODULES), capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    absent = {line.partition(".")[2] for line in done.stdout.split()}
    assert absent <= {
        *("data.experimental.service", "distribute.experimental.rpc", "dtensor"),
        *("experimental.extension_type", "experimental.tensorrt", "graph_util", "linalg.experimental", "lite"),
        *("lite.experimental", "lite.experimental.authoring", "mlir", "mlir.experimental", "saved_model.experimental"),
        *("profiler.experimental.client", "profiler.experimental.server", "quantization.experimental"),
        *("security", "tools", "tpu.experimental.embedding"),
    }


def test_an_absent_part_is_an_import_error_that_says_what_to_use():
    with pytest.raises(MissingPartError, match=r"gradtape has no tf\.lite: .* tf\.saved_model"):
        import gradtape.lite  # noqa: F401
    with pytest.raises(ImportError, match=r"tf\.saved_model"):
        from gradtape.experimental import tensorrt  # noqa: F401
    with pytest.raises(AttributeError, match=r"no tf\.lite: .* tf\.saved_model"):
        _ = tf.lite
    assert not hasattr(tf, "mlir")


VALUES = """
x = tf.constant([1.0])
values = [x, tf.Variable(1.0), tf.float32, x.shape, tf.TensorSpec([1]), tf.ragged.constant([[1]]), tf.sparse.from_dense([1, 0]),
          tf.IndexedSlices(x, tf.constant([0])), tf.RaggedTensorSpec([None, None]), tf.SparseTensorSpec([1]),
          tf.data.Dataset.range(3), tf.Module(), tf.TensorArray(tf.float32, 1), tf.data.Options()]
"""


def test_values_name_tensorflow_as_their_module_only_while_gradtape_stands_in():
    look = VALUES + "print(*sorted({type(v).__module__.split('.')[0] for v in values}))"
    assert answer("import gradtape as tf\n" + look) == ["gradtape"]
    assert answer(STAND_IN + look) == ["tensorflow"]
    assert answer(STAND_IN + "print(type(tf.constant(1)))") == ["<class 'tensorflow.python.framework.ops.EagerTensor'>"]


WALK = """
import types
def walk(module, found, seen):
    for name in dir(module):
        value = getattr(module, name)
        if isinstance(value, type):
            found[f"{module.__name__}.{name}"] = value
        elif isinstance(value, types.ModuleType) and name not in ("keras", "v1", "v2") and value not in seen:
            seen.append(value)
            walk(value, found, seen)
    return found
def is_named_by_us(cls):
    return cls.__module__.partition(".")[0] == "gradtape"
print(*sorted(name for name, cls in walk(tf, {}, []).items() if is_named_by_us(cls)))
"""


def test_public_classes_name_tensorflow_as_their_module_also_where_they_are_imported_on_first_use():
    (ours,) = answer(STAND_IN + WALK)
    classes = {name.rpartition(".")[2] for name in ours.split()}
    # What TensorFlow does not have, and parts that refuse to be used.
    refused = {name for name in classes if name.endswith(("Result", "Resolver", "Partitioner", "Coordinator"))}
    assert classes - refused <= {
        "AutographWarning",
        "DistributedGradientTape",
        "GradientAccumulator",
        "PreemptionCheckpointHandler",
        "Server",
    }
    look = "print(*[c.__module__.split('.')[0] for c in (type(tf.random.Generator.from_seed(1)), tf.train.Checkpoint)])"
    assert answer(STAND_IN + look) == ["tensorflow tensorflow"]
    assert answer("import gradtape as tf\n" + look) == ["gradtape gradtape"]


def test_dir_lists_each_name_once_and_none_that_only_gradtape_has():
    names = answer(STAND_IN + "print(*dir(tf))")[0].split()
    assert len(names) == len(set(names))
    assert not {"numpy", "optimize", "diagnostics", "extend", "export", "as_tensorflow"} & set(names)
    assert answer(STAND_IN + "print(tf.numpy.__name__)") == ["gradtape.numpy"]


def test_checkpoints_keep_the_same_parts_while_gradtape_stands_in():
    keys = """
import tempfile
holder = tf.Module()
holder.generator = tf.random.Generator.from_seed(1)
path = tf.train.Checkpoint(holder=holder, step=tf.Variable(1)).save(tempfile.mkdtemp() + "/c")
print(sorted(name for name, _ in tf.train.list_variables(path)))
"""
    assert answer("import gradtape as tf\n" + keys) == answer(STAND_IN + keys)


def test_steps_of_keras_optimizers_for_repeated_ids_are_those_of_tensorflow():
    step = """
v = tf.Variable([1.0])
optimizer = tf.keras.optimizers.Adagrad(0.1, initial_accumulator_value=0.0)
slices = tf.IndexedSlices(tf.constant([1.0, 1.0]), tf.constant([0, 0]), tf.constant([1]))
optimizer.apply_gradients([(slices, v)])
print(round(float(v[0]), 4))
"""
    assert answer(STAND_IN + step) == ["0.8586"]
    assert answer("import gradtape as tf\n" + step) == ["0.9"]


def test_pickles_name_gradtape_in_both_cases(tmp_path):
    write = (
        VALUES
        + f"""
import pathlib, pickle
values = [v for v in values if not isinstance(v, tf.TensorArray)]
classes = [tf.Tensor, tf.Variable, tf.RaggedTensor, tf.Module]
for protocol in (2, 3, 4, 5):
    values += classes if protocol == 4 else []
    data = pickle.dumps(values, protocol)
    assert b"tensorflow" not in data
    assert [type(v) for v in pickle.loads(data)] == [type(v) for v in values]
assert (b"tensorflow" in pickle.dumps(classes, 3)) == (tf.__name__ == "tensorflow")
for protocol in (0, 1):
    data_of_old = pickle.dumps([tf.TensorShape([1]), tf.TensorSpec([1]), tf.Tensor, tf.Module()], protocol)
    assert b"tensorflow" not in data_of_old
    assert pickle.loads(data_of_old)[:3] == [tf.TensorShape([1]), tf.TensorSpec([1]), tf.Tensor]
pathlib.Path({str(tmp_path)!r}, tf.__name__).write_bytes(data)
"""
    )
    read = f"""
import pathlib, pickle
for name in ("gradtape", "tensorflow"):
    values = pickle.loads(pathlib.Path({str(tmp_path)!r}, name).read_bytes())
    print(values[0].numpy(), values[-1] is tf.Module)
"""
    answer("import gradtape as tf\n" + write)
    answer(STAND_IN + write)
    assert answer("import gradtape as tf\n" + read) == answer(STAND_IN + read) == ["[1.] True"] * 2


def test_the_real_tensorflow_keeps_its_place():
    program = """
        import sys, types
        sys.modules["tensorflow"] = types.ModuleType("tensorflow")
        sys.modules["tensorflow"].__version__ = "2.21.0"
        import gradtape
        try:
            gradtape.as_tensorflow()
        except ImportError as error:
            print(type(error).__name__, error)
    """
    (line,) = answer(program)
    assert line.startswith(
        "TensorFlowIsImported TensorFlow 2.21.0 is already imported, and gradtape does not take its place"
    )


def test_a_notebook_loads_it_as_an_extension():
    assert answer(
        "import gradtape; gradtape.load_ipython_extension(None)\nimport tensorflow as tf; print(tf.__version__)"
    ) == ["2.21.0"]


def test_the_pytest_plugin_stands_in_before_tests_are_imported(tmp_path):
    (tmp_path / "test_it.py").write_text(
        "import tensorflow as tf\n\ndef test():\n    assert tf.__version__ == '2.21.0'\n"
    )
    command = [sys.executable, "-m", "pytest", "-q", "-p", "gradtape.pytest_plugin", "-p", "no:cacheprovider"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path)
    assert done.returncode == 0, done.stdout


def test_callers_outside_keras_are_told_tensorflow_while_gradtape_stands_in():
    look = """
import keras
print(keras.backend.backend(), keras.config.backend())
print(keras.src.backend.backend() == keras.backend.backend(), keras.ops.ones(2).numpy().tolist())
namespace = {"__name__": "keras.src.anything", "backend": keras.backend.backend}
print(eval("backend()", namespace))
"""
    assert answer(STAND_IN + look) == ["tensorflow tensorflow", "True [1.0, 1.0]", "gradtape"]
    assert answer("import gradtape\n" + look) == ["gradtape gradtape", "True [1.0, 1.0]", "gradtape"]


def test_private_modules_that_programs_import_are_there():
    assert answer(
        STAND_IN
        + """
from tensorflow.python.client import device_lib
from tensorflow.python.eager import backprop, context, forwardprop
from tensorflow.python.framework import constant_op, dtypes, errors_impl, ops
from tensorflow.python.framework.ops import EagerTensor
from tensorflow.python.ops import array_ops, control_flow_util, math_ops, nn_ops, resource_variable_ops
from tensorflow.python.util import nest
import tensorflow.python.ops.ragged.ragged_tensor
x = constant_op.constant([1.0])
print(isinstance(x, EagerTensor), ops.convert_to_tensor(x) is x, ops.executing_eagerly_outside_functions())
print(backprop.GradientTape is tf.GradientTape, forwardprop.ForwardAccumulator is tf.autodiff.ForwardAccumulator)
print(context.executing_eagerly(), context.context().num_gpus(), [d.device_type for d in device_lib.list_local_devices()])
print(nest.flatten([1, [2]]), math_ops.reduce_sum(x) == 1, dtypes.float32 is tf.float32)
print(control_flow_util.GraphOrParentsInXlaContext(None), errors_impl.NotFoundError is tf.errors.NotFoundError)
print(type(tf.Variable(1.0)) is resource_variable_ops.ResourceVariable, array_ops.gather_v2 is tf.gather)
"""
    ) == [
        "True True True",
        "True True",
        "True 0 ['CPU']",
        "[1, 2] tf.Tensor(True, shape=(), dtype=bool) True",
        "False True",
        "True True",
    ]


@pytest.mark.parametrize(
    "statement",
    [
        "from tensorflow.python.ops import gen_math_ops",
        "import tensorflow.python.grappler.tf_optimizer",
        "from tensorflow.python.framework.ops import get_stats_for_node_def",
        "from tensorflow.python.keras import layers",
        "from tensorflow.core.framework import graph_pb2",
    ],
)
def test_any_other_private_part_is_a_named_error(statement):
    done = run(STAND_IN + statement)
    assert done.stderr.splitlines()[-1].startswith("gradtape.base.absent.MissingPartError"), done.stderr
    assert "tf." in done.stderr.splitlines()[-1]


def test_dir_lists_what_is_there_and_nothing_private():
    (names,) = answer("import gradtape as tf; print(*dir(tf))")
    listed = set(names.split())
    assert {"keras", "data", "image", "train", "io", "RaggedTensor", "sysconfig"} <= listed
    assert not listed & {"philox", "entry", "np", "Any", "api", "base", "ops", "annotations"}
    assert [name for name in listed if not hasattr(tf, name)] == []


@pytest.mark.parametrize("name", [module for module in MODULES if "keras" not in module])
def test_dir_of_a_namespace_shows_no_imports_of_its_own(name):
    namespace = tf
    for part in name.split(".")[1:]:
        namespace = getattr(namespace, part, None)
        if namespace is None:
            pytest.skip(f"{name} is absent")
    private = {"np", "Any", "annotations", "to_tensor", "invalid", "Sequence", "trace_public", "REGISTRY"}
    if name == "tensorflow.raw_ops":
        private.remove("Any")  # a kernel
    assert not set(dir(namespace)) & private


def _namespaces(module, name, found):
    found[name] = module
    for below in dir(module):
        value = getattr(module, below)
        if isinstance(value, types.ModuleType) and below not in ("keras", "v1", "v2") and value not in found.values():
            _namespaces(value, f"{name}.{below}", found)
    return found


def test_dir_leads_from_namespace_to_namespace_and_never_into_the_engine():
    found = {
        name: module.__name__ for name, module in _namespaces(tf, "tf", {}).items() if "keras" not in module.__name__
    }
    rooms = ("gradtape.base", "gradtape.values", "gradtape.op.", "gradtape.ops", "gradtape.native", "gradtape.trace")
    assert [
        name for name, module in found.items() if module.partition(".")[0] != "gradtape" or module.startswith(rooms)
    ] == []
    assert {"tf.math.special", "tf.experimental.numpy.linalg", "tf.io.gfile"} <= set(found)
    assert "tf.debugging.math" not in found


def test_dir_of_the_derivatives_lists_all_of_them():
    assert {"grad", "value_and_grad", "jacfwd", "jacrev", "hessian", "hvp", "vmap"} <= set(dir(tf.autodiff))


def test_signatures_are_visible_to_getfullargspec():
    assert inspect.getfullargspec(tf.size).args == ["input", "out_type", "name"]
    assert inspect.getfullargspec(tf.image.resize).args[:2] == ["images", "size"]
    signature = inspect.signature(tf.gather)
    assert str(signature.replace(return_annotation=int)).endswith("-> int")
    assert signature.bind([1], 0).arguments == {"params": [1], "indices": 0}


class Foreign:
    def __radd__(self, other):
        return "added"

    def __rmatmul__(self, other):
        return "multiplied"

    def __rsub__(self, other):
        raise ValueError("no")

    def __rtruediv__(self, other):
        return NotImplemented


@pytest.mark.parametrize("x", [tf.constant([[1.0]]), tf.Variable([[1.0]])])
def test_an_operand_of_a_foreign_class_is_asked_by_its_reflected_method(x):
    assert x + Foreign() == "added"
    assert x @ Foreign() == "multiplied"
    for refused in (lambda: x - Foreign(), lambda: x / Foreign(), lambda: x * Foreign(), lambda: tf.add(x, Foreign())):
        with pytest.raises(ValueError, match="Attempt to convert a value"):
            refused()


def test_the_operators_that_may_be_overloaded_are_those_of_tensorflow():
    assert len(tf.Tensor.OVERLOADABLE_OPERATORS) == 34
    assert {
        "__add__",
        "__radd__",
        "__getitem__",
        "__matmul__",
        "__invert__",
        "__div__",
    } <= tf.Tensor.OVERLOADABLE_OPERATORS
