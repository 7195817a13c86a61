"""What functions take and return, and what they say of it: specs, structures, types, traces."""

import collections
import dataclasses
import subprocess
import sys

import numpy as np
import pytest

import gradtape as tf

Spec = tf.TensorSpec


@pytest.fixture
def sparse():
    return tf.sparse.from_dense([[1.0, 0.0, 2.0], [0.0, 3.0, 0.0]])


def test_a_ragged_spec_is_a_signature_for_rows_of_any_lengths():
    @tf.function(input_signature=[tf.RaggedTensorSpec([None, None], tf.float32)])
    def f(rows):
        return tf.reduce_sum(rows, axis=1), rows * 2.0

    for lists in ([[1.0], [2.0, 3.0]], [[1.0, 5.0], [], [2.0, 3.0]]):
        sums, doubled = f(tf.ragged.constant(lists))
        assert sums.numpy().tolist() == [sum(row) for row in lists]
        assert doubled.to_list() == [[2 * number for number in row] for row in lists]
    assert f.experimental_get_tracing_count() == 1


def test_a_tape_follows_ragged_values_into_a_function_with_a_signature():
    f = tf.function(lambda rows: tf.reduce_sum(rows * rows), input_signature=[tf.RaggedTensorSpec([None, None])])
    rows = tf.ragged.constant([[1.0], [2.0, 3.0]])
    with tf.GradientTape() as tape:
        tape.watch(rows.flat_values)
        total = f(rows)
    assert tape.gradient(total, rows.flat_values).numpy().tolist() == [2.0, 4.0, 6.0]


def test_a_sparse_spec_is_a_signature_for_any_number_of_rows(sparse):
    @tf.function(input_signature=[tf.SparseTensorSpec([None, 3], tf.float32)])
    def f(x):
        return tf.sparse.reduce_sum(x), x * 2.0

    assert f(sparse)[0].numpy() == 6.0
    assert f(tf.sparse.from_dense([[5.0, 0.0, 2.0]]))[1].values.numpy().tolist() == [10.0, 4.0]
    assert f.experimental_get_tracing_count() == 1
    with pytest.raises(TypeError, match="Can not cast"):
        f(tf.constant([[1.0, 0.0, 2.0]]))
    with pytest.raises(TypeError, match="Can not cast"):
        f(tf.sparse.from_dense([[5.0, 0.0]]))


def test_functions_with_composite_signatures_are_saved(tmp_path):
    class Model(tf.Module):
        @tf.function(input_signature=[tf.RaggedTensorSpec([None, None]), tf.SparseTensorSpec([None, 3])])
        def f(self, rows, x):
            return tf.reduce_sum(rows, axis=1), tf.sparse.reduce_sum(x)

    tf.saved_model.save(Model(), str(tmp_path))
    loaded = tf.saved_model.load(str(tmp_path))
    sums, total = loaded.f(tf.ragged.constant([[1.0, 2.0], [3.0]]), tf.sparse.from_dense([[0.0, 0.0, 2.0]]))
    assert sums.numpy().tolist() == [3.0, 3.0]
    assert total.numpy() == 2.0
    with pytest.raises(TypeError, match="Can not cast"):
        loaded.f(tf.constant([1.0]), tf.constant([1.0]))


def test_a_recorded_function_takes_composites(sparse):
    f = tf.function(lambda rows, x: (rows, tf.sparse.reduce_sum(x)))
    rows = tf.ragged.constant([[1.0, 2.0], [3.0]])
    concrete = f.get_concrete_function(rows, sparse)
    assert concrete(rows, sparse)[1].numpy() == 6.0
    (first, second), _ = concrete.structured_input_signature
    assert first == tf.RaggedTensorSpec([2, None])
    assert second == tf.SparseTensorSpec([2, 3])
    with pytest.raises(TypeError, match=r"Can not cast .* to .*Spec"):
        concrete(rows, tf.sparse.from_dense([[5.0]]))
    assert f.get_concrete_function(tf.RaggedTensorSpec([None, None]), sparse)(rows, sparse)[0].to_list() == [
        [1, 2],
        [3],
    ]


Pair = collections.namedtuple("Pair", "a b")


@dataclasses.dataclass
class Flat:
    a: object
    b: object
    unit: str

    def __tf_flatten__(self):
        return (self.unit,), (self.a, self.b)

    @classmethod
    def __tf_unflatten__(cls, metadata, parts):
        return cls(*parts, *metadata)


def test_named_tuples_are_arguments_results_and_signatures():
    f = tf.function(lambda pair: Pair(pair.a * pair.b, pair.b), input_signature=[Pair(Spec([None]), Spec([]))])
    result = f(Pair(tf.constant([1.0, 2.0]), tf.constant(3.0)))
    assert type(result) is Pair
    assert result.a.numpy().tolist() == [3.0, 6.0]
    (shown,), _ = f.get_concrete_function().structured_input_signature
    assert [spec.name for spec in shown] == ["pair_a", "pair_b"]


def test_a_class_that_takes_itself_apart_is_a_structure():
    f = tf.function(lambda flat: Flat(flat.a * 2, flat.b, flat.unit))
    first, second = f(Flat(tf.constant(1.0), tf.constant(2.0), "m")), f(Flat(tf.constant(5.0), tf.constant(2.0), "m"))
    assert (first.a.numpy(), second.a.numpy(), second.unit) == (2.0, 10.0, "m")
    assert f.experimental_get_tracing_count() == 1
    f(Flat(tf.constant(5.0), tf.constant(2.0), "km"))
    assert f.experimental_get_tracing_count() == 2  # what is no tensor decides
    assert [leaf.numpy() for leaf in tf.nest.flatten(first)] == [2.0, 2.0]
    g = tf.function(lambda flat: flat.a + flat.b, input_signature=[Flat(Spec([]), Spec([]), "m")])
    assert g(Flat(tf.constant(1.0), tf.constant(2.0), "m")).numpy() == 3.0


def test_attrs_classes_are_structures():
    attr = pytest.importorskip("attr", reason="attrs is not installed")
    cls = attr.make_class("Made", ["a", "b"])
    f = tf.function(lambda made: cls(made.a * made.b, made.b), input_signature=[cls(Spec([]), Spec([]))])
    result = f(cls(tf.constant(2.0), tf.constant(3.0)))
    assert (type(result), result.a.numpy()) == (cls, 6.0)


@pytest.mark.parametrize("returned", [object(), len, {1, 2}, iter([1]), tf.float32, Spec([])])
def test_what_is_no_tensor_cannot_be_returned(returned):
    with pytest.raises(TypeError, match="must return zero or more Tensors"):
        tf.function(lambda x: returned)(tf.constant(1.0))


def test_shapes_numbers_and_datasets_can():
    assert tf.function(lambda x: x.shape)(tf.zeros([2, 3])).numpy().tolist() == [2, 3]
    assert tf.function(lambda x: (1, "s", None))(tf.constant(1.0))[0].numpy() == 1
    assert list(tf.function(lambda x: tf.data.Dataset.range(2))(tf.constant(1.0)).as_numpy_iterator()) == [0, 1]


@pytest.mark.parametrize(
    "change",
    [
        lambda things: things.append(things[0]),
        lambda things: things.pop(),
        lambda things: things.__setitem__(0, things[1]),
        lambda things: things.reverse(),
    ],
)
@pytest.mark.parametrize("given", [[tf.constant(1.0), tf.constant(2.0)], [1, 2]])
def test_a_function_does_not_change_lists_it_was_given(change, given):
    @tf.function
    def f(x, things):
        change(things)
        return x

    with pytest.raises(ValueError, match=r"should not modify its Python input arguments.*were modified: things"):
        f(tf.constant(0.0), list(given))


def test_a_function_may_change_a_copy_and_what_it_was_not_given():
    seen = []

    @tf.function
    def f(things):
        seen.append(1)
        things = [*things, things[0]]
        return things

    assert len(f([tf.constant(1.0)])) == 2
    assert seen == [1]


@pytest.fixture
def leaked():
    kept = []
    tf.function(lambda x: kept.append(x * 2))(tf.constant([1.0]))
    return kept[0]


@pytest.mark.parametrize(
    "use",
    [
        lambda x: x + 1.0,
        lambda x: tf.sin(x),
        lambda x: tf.function(lambda y: y + x)(tf.constant(1.0)),
        lambda x: tf.function(lambda y: y)(x),
        lambda x: tf.function(lambda y: y, input_signature=[Spec([1])])(x),
        lambda x: float(x),
        lambda x: list(x),
        lambda x: bool(x[0] > 1),
        lambda x: tf.Variable(1.0).assign(x),
    ],
)
def test_a_tensor_of_a_function_is_out_of_scope_elsewhere(leaked, use):
    with pytest.raises(TypeError):
        use(leaked)


def test_a_function_that_captures_is_out_of_scope_with_what_it_captures():
    kept = []

    @tf.function
    def f(x):
        kept.append(tf.function(lambda: x * 2))
        return kept[0]()

    f(tf.constant(1.0))
    with pytest.raises(TypeError, match="out of scope"):
        kept[0]()


def test_text_is_joined_by_plus():
    f = tf.function(lambda a: (a + a, a + "!", "<" + a))
    assert [part.numpy() for part in f(tf.constant("ab"))] == [b"abab", b"ab!", b"<ab"]
    assert f(tf.constant(["x", "y"]))[0].numpy().tolist() == [b"xx", b"yy"]


def test_text_goes_round_in_loops_and_through_branches():
    @tf.function
    def f(a, n):
        s = tf.constant("")
        for i in tf.range(n):
            if i % 2 == 0:
                s = s + a
            else:
                s = tf.strings.join([s, tf.strings.as_string(i)])
        return s

    assert f(tf.constant("ab"), tf.constant(4)).numpy() == b"ab1ab3"
    assert f(tf.constant("ab"), tf.constant(0)).numpy() == b""
    assert tf.function(lambda a: tf.map_fn(lambda s: s + s, a))(tf.constant(["a", "b"])).numpy().tolist() == [
        b"aa",
        b"bb",
    ]


def test_a_python_bool_is_no_predicate_in_a_function():
    f = tf.function(lambda x: tf.cond(True, lambda: x, lambda: -x))
    with pytest.raises(TypeError, match="pred must not be a Python bool"):
        f(tf.constant(1.0))
    assert tf.cond(True, lambda: 1, lambda: 2) == 1


@pytest.mark.quick
def test_the_type_of_a_function():
    f = tf.function(lambda x, n=2: {"a": x**n, "b": (x, None)})
    assert str(f.function_type) == "(x, n=<captured_default_value>)"
    concrete = f.get_concrete_function(Spec([None]))
    spec = "TensorSpec(shape=(None,), dtype=tf.float32, name=None)"
    assert (
        str(concrete.function_type)
        == f"(x: {spec}, n: Literal[2]) -> Dict[['a', {spec}], ['b', Tuple[{spec}, Literal[None]]]]"
    )
    assert concrete.function_type.parameters["x"].type_constraint == Spec([None])
    signed = tf.function(lambda x, n=2: x, input_signature=[Spec([None])])
    assert str(signed.function_type) == f"(x: {spec}, n: Literal[2] = <captured_default_value>)"
    assert f.function_spec.arg_names == ["x", "n"]
    assert f.function_spec.fullargspec.args == ["x", "n"]


def test_arguments_are_named_as_tensorflow_names_them():
    f = tf.function(lambda x, *rest, **named: x["a"])
    concrete = f.get_concrete_function(
        {"a": Spec([]), "b": [Spec([2], name="mine")]}, Spec([3]), 7, k=Spec([], tf.int32)
    )
    args, kwargs = concrete.structured_input_signature
    assert args == (
        {"a": Spec([], name="x_a"), "b": [Spec([2], name="mine")]},
        Spec([3], name="rest_0"),
        7,
    )
    assert kwargs == {"k": Spec([], tf.int32, name="k")}


@pytest.mark.quick
def test_signatures_are_printed():
    w = tf.constant([1.0, 2.0])
    f = tf.function(lambda x, y=2: x * w)
    f(tf.constant(1.0))
    text = f.pretty_printed_concrete_signatures()
    assert text.startswith(
        "Input Parameters:\n  x (POSITIONAL_OR_KEYWORD): TensorSpec(shape=(), dtype=tf.float32, name=None)\n"
        "  y (POSITIONAL_OR_KEYWORD): Literal[2]\n"
        "Output Type:\n  TensorSpec(shape=(2,), dtype=tf.float32, name=None)\nCaptures:\n"
    )
    assert str(f.get_concrete_function(Spec([]))).startswith("ConcreteFunction Input Parameters:")


def test_a_recorded_function_keeps_its_python_values():
    f = tf.function(lambda x, n=2, mode="a": x**n)
    concrete = f.get_concrete_function(Spec([]), 3)
    x = tf.constant(2.0)
    assert [concrete(x).numpy(), concrete(x, 3, "a").numpy(), concrete(x, n=3, mode="a").numpy()] == [8.0, 8.0, 8.0]
    for call in (lambda: concrete(x, 4, "a"), lambda: concrete(x, n=4, mode="a"), lambda: concrete(x, 3, mode="b")):
        with pytest.raises(TypeError, match="Can not cast"):
            call()
    with pytest.raises(TypeError, match="missing a required argument: 'mode'"):  # all of the Python values, or none
        concrete(x, 3)


def test_a_recording_for_any_size_serves_calls_of_each():
    f = tf.function(lambda x: x)
    f.get_concrete_function(Spec([None]))
    f(tf.zeros([3]))
    f(tf.zeros([4]))
    assert f.experimental_get_tracing_count() == 1


def test_reduce_retracing_loosens_the_sizes_that_differ():
    shapes = []
    f = tf.function(lambda x, y: shapes.append((str(x.shape), str(y.shape))) or x, experimental_relax_shapes=True)
    for first, second in ((1, 2), (2, 2), (2, 3), (3, 5), (1, 2)):
        f(tf.zeros(first), tf.zeros(second))
    assert shapes == [("(1,)", "(2,)"), ("(None,)", "(2,)"), ("(None,)", "(None,)")]


def test_an_argument_without_a_spec_keeps_its_default():
    f = tf.function(lambda x, y=2.0: x * y, input_signature=[Spec([])])
    assert f(tf.constant(1.0), 2.0).numpy() == 2.0
    with pytest.raises(TypeError, match="no spec"):
        f(tf.constant(1.0), 3.0)
    with pytest.raises(TypeError, match="no spec"):
        tf.function(lambda x, **rest: x, input_signature=[Spec([])])(tf.constant(1.0), y=3.0)


def test_keyword_numpy_and_default_arguments_share_recordings():
    f = tf.function(lambda x, k=3: x * k)
    x = tf.constant([1.0])
    for call in (f(x), f(x, 3), f(x, k=3), f(k=3, x=x), f(x=x), f(np.array([1.0], np.float32))):
        assert call.numpy().tolist() == [3.0]
    assert f.experimental_get_tracing_count() == 1
    for wrong in (lambda: f(), lambda: f(x, x=x), lambda: f(x, other=1), lambda: f(x, 1, 2)):
        with pytest.raises(TypeError):
            wrong()


def test_arrays_given_to_a_function_are_copied():
    for f in (tf.function(lambda x: x), tf.function(lambda x: x, input_signature=[Spec([None], tf.float64)])):
        array = np.array([1.0, 2.0])
        result = f(array)
        array[0] = 5.0
        assert result.numpy().tolist() == [1.0, 2.0]


def test_a_graph_is_shown_as_a_message():
    pytest.importorskip("tensorboardX", reason="the extra `summary` has the messages")
    f = tf.function(lambda x: tf.tanh(x) + 1.0)
    message = f.get_concrete_function(Spec([None])).graph.as_graph_def()
    assert [(node.name, node.op, list(node.input)) for node in message.node] == [
        ("x", "Placeholder", []),
        ("Tanh", "Tanh", ["x"]),
        ("add/y", "Const", []),
        ("add", "AddV2", ["Tanh", "add/y"]),
        ("Identity", "Identity", ["add"]),
    ]


def test_a_program_that_uses_nothing_else_can_show_a_graph_as_a_message():
    pytest.importorskip("tensorboardX", reason="the extra `summary` has the messages")
    text = """import gradtape as tf
graph = tf.function(tf.tanh).get_concrete_function(tf.constant(1.0)).graph
print(len(graph.as_graph_def().node))"""
    found = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, check=False)
    assert found.stdout.strip() == "3", found.stderr


@pytest.mark.quick
def test_a_graph_lists_its_operations_as_tensorflow_does():
    @tf.function
    def f(x, w):
        return tf.nn.relu(tf.matmul(x, w) + 1.0)

    graph = f.get_concrete_function(Spec([None, 2]), Spec([2, 3])).graph
    found = graph.get_operations()
    assert [one.type for one in found] == ["Placeholder", "Placeholder", "MatMul", "Const", "AddV2", "Relu", "Identity"]
    assert [one.name for one in found] == ["x", "w", "MatMul", "add/y", "add", "Relu", "Identity"]
    product = graph.get_operation_by_name("MatMul")
    assert [tensor.name for tensor in product.inputs] == ["x:0", "w:0"]
    assert repr(product.outputs[0]) == "<tf.Tensor 'MatMul:0' shape=(None, 3) dtype=float32>"
    assert repr(product) == "<tf.Operation 'MatMul' type=MatMul>"
    assert graph.get_tensor_by_name("x:0").consumers()[0].name == "MatMul"
    assert graph.get_tensor_by_name("add:0").op.type == "AddV2"
    with pytest.raises(KeyError, match="not in the graph"):
        graph.get_operation_by_name("b")
    with pytest.raises(ValueError, match="<op_name>:<output_index>"):
        graph.get_tensor_by_name("add")
    with pytest.raises(KeyError, match="output 1"):
        graph.get_tensor_by_name("add:1")


@pytest.mark.quick
def test_operations_of_variables_branches_and_several_results():
    v = tf.Variable([1.0])

    @tf.function
    def f(x, settings):
        y = tf.cond(x[0] > 0.0, lambda: x * v, lambda: x)
        v.assign_add([1.0])
        return [*tf.split(y, 2), settings["a"]]

    graph = f.get_concrete_function(Spec([2]), {"a": Spec([])}).graph
    found = {one.name: one for one in graph.get_operations()}
    assert found["x"].outputs[0].shape == [2]
    assert found["If"].inputs[0].name == "Greater:0"
    assert found["AssignAddVariableOp"].inputs[0].op.type == "VarHandleOp"
    assert [tensor.name for tensor in found["Split"].outputs] == ["Split:0", "Split:1"]
    assert found["Identity_1"].inputs[0].name == "Split:1"
    assert found["Identity_2"].inputs[0].op.type == "Placeholder"


@pytest.mark.parametrize(("recorded", "given"), [(2, tf.constant(2)), (2.5, np.float32(2.5)), ("b", tf.constant("b"))])
def test_a_recording_takes_a_scalar_that_equals_the_value_it_was_made_for(recorded, given):
    @tf.function
    def f(x, n):
        return x * 2.0

    concrete = f.get_concrete_function(tf.TensorSpec([]), recorded)
    assert concrete(tf.constant(3.0), given).numpy() == 6.0
    assert concrete(tf.constant(3.0), n=given).numpy() == 6.0
    with pytest.raises(TypeError, match="Literal"):
        concrete(tf.constant(3.0), tf.constant(3))
