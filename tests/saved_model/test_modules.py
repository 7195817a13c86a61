"""`tf.saved_model.save` and `load`: modules come back with variables, attributes and functions, without their code."""

from __future__ import annotations

import collections
import json
import os
import pathlib
import subprocess
import sys

import numpy as np
import pytest

import gradtape as tf
from gradtape.errors import NotStorableError

Folder = pathlib.Path


class Dense(tf.Module):
    def __init__(self, inputs, outputs, name=None):
        super().__init__(name)
        values = np.arange(inputs * outputs, dtype=np.float32).reshape(inputs, outputs)
        self.w = tf.Variable(values / 10, name="w")
        self.b = tf.Variable(tf.zeros([outputs]), name="b", trainable=False)

    def __call__(self, x):
        return x @ self.w + self.b


class Net(tf.Module):
    def __init__(self):
        super().__init__()
        self.layers = [Dense(3, 4), Dense(4, 2)]
        self.by_name = {"last": self.layers[1], "factor": tf.constant([1.0, 2.0])}
        self.count = tf.Variable(0, dtype=tf.int64)
        self.pair = (tf.Variable(1.0), 3)
        self.settings = {"rate": 0.5, "names": ["a", "b"], 3: None}
        self.scale = tf.constant(2.0)

    @tf.function(input_signature=[tf.TensorSpec([None, 3], tf.float32)])
    def __call__(self, x):
        self.count.assign_add(1)
        for layer in self.layers:
            x = tf.nn.relu(layer(x))
        return x * self.scale

    @tf.function
    def power(self, x, n=2):
        return x**n


def saved(module, folder, **settings):
    tf.saved_model.save(module, folder, **settings)
    return tf.saved_model.load(folder)


@pytest.fixture
def net():
    return Net()


X = tf.constant(np.linspace(-1, 1, 15, dtype=np.float32).reshape(5, 3))


def test_a_module_comes_back_with_its_attributes(net, tmp_path):
    loaded = saved(net, tmp_path)
    assert [v.name for v in loaded.variables] == [v.name for v in net.variables]
    assert [v.trainable for v in loaded.variables] == [v.trainable for v in net.variables]
    for a, b in zip(loaded.variables, net.variables, strict=True):
        assert a.dtype == b.dtype
        np.testing.assert_array_equal(a.numpy(), b.numpy())
    assert loaded.by_name["last"] is loaded.layers[1]
    assert loaded.by_name["factor"].numpy().tolist() == [1.0, 2.0]
    assert isinstance(loaded.pair, tuple)
    assert loaded.pair[1] == 3
    assert loaded.settings == net.settings
    assert loaded.name == "net"
    assert isinstance(loaded, tf.Module)
    assert len(loaded.submodules) == 2


def test_a_function_traced_with_an_unknown_size_takes_any(net, tmp_path):
    loaded = saved(net, tmp_path)
    for size in (1, 2, 5):
        np.testing.assert_array_equal(loaded(X[:size]).numpy(), net(X[:size]).numpy())
    with pytest.raises(TypeError, match="input_signature"):
        loaded(tf.zeros([2, 4]))


def test_loaded_functions_change_loaded_variables(net, tmp_path):
    net(X)
    loaded = saved(net, tmp_path)
    loaded(X)
    assert loaded.count.numpy() == 2
    assert net.count.numpy() == 1
    loaded.layers[0].w.assign(tf.zeros([3, 4]))
    assert not loaded(X).numpy().any()


def test_tapes_go_through_loaded_functions(net, tmp_path):
    loaded = saved(net, tmp_path)

    def gradients(module):
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(X)
            y = tf.reduce_sum(module(X) ** 2)
        return tape.gradient(y, [X, module.layers[0].w, module.layers[1].w])

    for a, b in zip(gradients(loaded), gradients(net), strict=True):
        np.testing.assert_allclose(a.numpy(), b.numpy())


def test_training_goes_on_after_loading(net, tmp_path):
    loaded = saved(net, tmp_path)
    losses = []
    for _ in range(5):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((loaded(X) - 1.0) ** 2)
        variables = loaded.trainable_variables
        for variable, gradient in zip(variables, tape.gradient(loss, variables), strict=True):
            if gradient is not None:
                variable.assign_sub(0.05 * gradient)
        losses.append(float(loss))
    assert losses[-1] < losses[0]


def test_all_traces_are_kept_and_no_others_are_made(net, tmp_path):
    net.power(tf.constant(3.0))
    net.power(tf.constant(3.0), 3)
    net.power(tf.constant([2, 3]))
    loaded = saved(net, tmp_path)
    assert loaded.power(tf.constant(2.0)).numpy() == 4.0
    assert loaded.power(tf.constant(2.0), n=3).numpy() == 8.0
    assert loaded.power(2.0).numpy() == 4.0
    assert loaded.power(np.array([1, 2], np.int32)).numpy().tolist() == [1, 4]
    with pytest.raises(ValueError, match="Could not find matching concrete function") as error:
        loaded.power(tf.constant(2.0), 4)
    assert "power(x: TensorSpec(shape=(), dtype=tf.float32, name=None), n: Literal[3])" in str(error.value)


def test_a_function_that_was_never_traced_is_named(caplog, net, tmp_path):
    with caplog.at_level("WARNING", "gradtape"):
        loaded = saved(net, tmp_path)
    assert "power" in caplog.text
    with pytest.raises(ValueError, match="Found zero restored functions"):
        loaded.power(tf.constant(1.0))


def test_what_is_loaded_can_be_saved_again(net, tmp_path):
    net.power(tf.constant(3.0))
    once = saved(net, tmp_path / "a")
    once.layers[0].w.assign_add(tf.ones([3, 4]))
    twice = saved(once, tmp_path / "b")
    np.testing.assert_array_equal(twice(X).numpy(), once(X).numpy())
    assert list(twice.signatures) == ["serving_default"]
    assert twice.power(tf.constant(3.0)).numpy() == 9.0
    assert twice._class_name == "Net"


def test_loaded_functions_inside_other_functions(net, tmp_path):
    loaded = saved(net, tmp_path / "a")

    class Outer(tf.Module):
        def __init__(self, inner):
            super().__init__()
            self.inner = inner

        @tf.function(input_signature=[tf.TensorSpec([None, 3], tf.float32)])
        def __call__(self, x):
            return self.inner(x) + 1.0

    outer = saved(Outer(loaded), tmp_path / "b")
    np.testing.assert_allclose(outer(X).numpy(), net(X).numpy() + 1.0)
    outer.inner.layers[1].w.assign(tf.zeros([4, 2]))
    assert (outer(X).numpy() == 1.0).all()


def test_no_source_code_is_needed(net, tmp_path):
    expected = net(X).numpy().tolist()
    tf.saved_model.save(net, tmp_path)
    program = (
        "import sys, gradtape as tf, json\n"
        "net = tf.saved_model.load(sys.argv[1])\n"
        "print(json.dumps(net(tf.constant(json.loads(sys.argv[2]))).numpy().tolist()))"
    )
    arguments = [sys.executable, "-c", program, str(tmp_path), str(X.numpy().tolist())]
    path = os.pathsep.join(sys.path)
    done = subprocess.run(arguments, capture_output=True, text=True, check=True, env={**os.environ, "PYTHONPATH": path})
    np.testing.assert_allclose(json.loads(done.stdout), expected)


def test_modules_that_lead_to_themselves(tmp_path):
    module = tf.Module()
    module.me, module.child = module, tf.Module()
    module.child.parent = module
    module.child.v = tf.Variable(3.0)
    module.v = module.child.v
    loaded = saved(module, tmp_path)
    assert loaded.me is loaded
    assert loaded.child.parent is loaded
    assert loaded.v is loaded.child.v


def test_what_cannot_be_stored_of_an_attribute_is_left_out_and_says_so(tmp_path):
    module = tf.Module()
    module.logger = object()
    module.mixed = [tf.Variable(1.0), object()]
    loaded = saved(module, tmp_path)
    with pytest.raises(AttributeError, match="'logger' was a object"):
        loaded.logger  # noqa: B018
    assert loaded.mixed[0].numpy() == 1.0
    assert "not saved" in repr(loaded.mixed[1])


def test_variables_that_only_a_function_knows_are_stored_with_it(tmp_path):
    hidden = tf.Variable(3.0)
    module = tf.Module()
    module.f = tf.function(lambda x: x * hidden, input_signature=[tf.TensorSpec([], tf.float32)])
    loaded = saved(module, tmp_path)
    assert loaded.f(tf.constant(2.0)).numpy() == 6.0
    with tf.GradientTape() as tape:
        y = loaded.f(tf.constant(2.0))
    assert tape.gradient(y, tape.watched_variables())[0].numpy() == 2.0


def test_variables_of_varying_shape_and_all_types(tmp_path):
    module = tf.Module()
    module.grows = tf.Variable([1.0], shape=[None])
    kinds = ["float16", "bfloat16", "float64", "int8", "uint64", "bool", "complex64", "complex128", "string"]
    module.kinds = {
        kind: tf.Variable(tf.constant([b"a", b""]) if kind == "string" else tf.cast([0, 1], kind)) for kind in kinds
    }
    module.empty = tf.Variable(tf.zeros([0, 3]))
    loaded = saved(module, tmp_path)
    loaded.grows.assign([1.0, 2.0])
    for kind, variable in loaded.kinds.items():
        assert variable.dtype.name == kind
        assert (variable.numpy() == module.kinds[kind].numpy()).all()
    assert loaded.empty.shape == (0, 3)


def test_structures_of_arguments_and_results(tmp_path):
    Point = collections.namedtuple("Point", "x y")
    module = tf.Module()

    @tf.function
    def f(inputs, flags=(True, "add"), *rest, key=None):
        total = inputs["a"] + inputs["b"][0] if flags[0] else inputs["a"]
        return {"point": Point(total, [total, None]), "ordered": collections.OrderedDict(z=total)}

    module.f = f
    one = tf.constant(1.0)
    given = {"a": one, "b": [one, one]}
    f(given)
    f(given, (False, "x"), key="k")
    loaded = saved(module, tmp_path)
    result = loaded.f(given)
    assert result["point"].x.numpy() == 2.0
    assert result["point"].y[1] is None
    assert type(result["point"]).__name__ == "Point"
    assert isinstance(result["ordered"], collections.OrderedDict)
    assert loaded.f(given, (False, "x"), key="k")["point"].x.numpy() == 1.0
    with pytest.raises(ValueError, match="Could not find matching"):
        loaded.f({"a": one})


def test_the_order_of_a_dict_plays_no_role(tmp_path):
    module = tf.Module()
    module.f = tf.function(lambda given: given["b"] - given["a"])
    a, b = tf.constant(1.0), tf.constant(3.0)
    module.f({"b": b, "a": a})
    loaded = saved(module, tmp_path)
    for _ in range(2):
        assert loaded.f({"b": b, "a": a}).numpy() == 2.0
        assert loaded.f({"a": a, "b": b}).numpy() == 2.0


def test_a_generator_goes_on_where_it_was(tmp_path):
    class Noise(tf.Module):
        def __init__(self):
            super().__init__()
            self.generator = tf.random.Generator.from_seed(7)

        @tf.function(input_signature=[])
        def draw(self):
            return self.generator.normal([3])

    noise = Noise()
    noise.draw()
    loaded = saved(noise, tmp_path)
    assert (loaded.draw().numpy() == noise.draw().numpy()).all()
    assert (loaded.draw().numpy() == noise.draw().numpy()).all()


# --- signatures ----------------------------------------------------------------------------------------------------------


def test_the_one_function_with_a_signature_is_the_default(net, tmp_path):
    loaded = saved(net, tmp_path)
    serve = loaded.signatures["serving_default"]
    assert serve.structured_input_signature == ((), {"x": tf.TensorSpec([None, 3], tf.float32, name="x")})
    assert serve.structured_outputs == {"output_0": tf.TensorSpec([None, 2], tf.float32, name="output_0")}
    np.testing.assert_array_equal(serve(x=X)["output_0"].numpy(), net(X).numpy())
    np.testing.assert_array_equal(serve(X)["output_0"].numpy(), net(X).numpy())
    with pytest.raises(TypeError, match="unexpected keyword arguments: y"):
        serve(y=X)
    with pytest.raises(TypeError):
        serve()
    with pytest.raises(KeyError, match="serving_default"):
        loaded.signatures["other"]


def test_signatures_by_name(net, tmp_path):
    concrete = net.power.get_concrete_function(tf.TensorSpec([None], tf.float32, name="base"), 3)
    loaded = saved(net, tmp_path, signatures={"cube": concrete, "serve": net.__call__})
    assert sorted(loaded.signatures) == ["cube", "serve"]
    assert loaded.signatures["cube"](base=tf.constant([1.0, 2.0]))["output_0"].numpy().tolist() == [1.0, 8.0]


def test_concrete_functions_as_attributes(net, tmp_path):
    net.power(tf.constant(3.0))
    net.cube = net.power.get_concrete_function(tf.TensorSpec([None], tf.float32), 3)
    loaded = saved(net, tmp_path, signatures=net.cube)
    assert loaded.cube(tf.constant([2.0])).numpy().tolist() == [8.0]
    assert loaded.power(tf.constant([2.0]), 3).numpy().tolist() == [8.0]
    assert loaded.signatures["serving_default"](x=tf.constant([2.0]))["output_0"].numpy().tolist() == [8.0]


def test_modules_as_arguments(tmp_path):
    class Scale(tf.Module):
        def __init__(self):
            super().__init__()
            self.by = tf.Variable(3.0)

    module, scale = tf.Module(), Scale()
    module.f = tf.function(lambda scale, x: scale.by * x)
    module.f(scale, tf.constant(1.0))
    concrete = module.f.get_concrete_function(scale, tf.TensorSpec([], tf.float32))
    module.scale = scale
    loaded = saved(module, tmp_path, signatures=concrete)
    assert loaded.f(loaded.scale, tf.constant(2.0)).numpy() == 6.0
    assert loaded.signatures["serving_default"](x=tf.constant(2.0))["output_0"].numpy() == 6.0
    with pytest.raises(ValueError, match="Could not find matching"):
        loaded.f(tf.Module(), tf.constant(2.0))


def test_results_of_signatures_have_names(tmp_path):
    module = tf.Module()
    spec = [tf.TensorSpec([], tf.float32), tf.TensorSpec([], tf.float32)]
    module.both = tf.function(lambda a, b: (a + b, a - b), input_signature=spec)
    module.named = tf.function(lambda a, b: {"sum": a + b, "all": [a][0]}, input_signature=spec)
    loaded = saved(module, tmp_path, signatures={"both": module.both, "named": module.named})
    given = {"a": tf.constant(3.0), "b": tf.constant(1.0)}
    assert {k: float(v) for k, v in loaded.signatures["both"](**given).items()} == {"output_0": 4.0, "output_1": 2.0}
    assert {k: float(v) for k, v in loaded.signatures["named"](b=given["b"], a=given["a"]).items()} == {
        "sum": 4.0,
        "all": 3.0,
    }


@pytest.mark.parametrize("signatures", [3, {"a": Net.power}, {"a": None}, {3: None}])
def test_bad_signatures(net, signatures, tmp_path):
    with pytest.raises(ValueError, match=r"Expected a TensorFlow function|names of signatures"):
        tf.saved_model.save(net, tmp_path, signatures=signatures)
    assert not tf.saved_model.contains_saved_model(tmp_path)


# --- errors ----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("thing", [3, [tf.Module()], tf.constant(1.0), lambda x: x, Net])
def test_only_modules_are_saved(thing, tmp_path):
    with pytest.raises(ValueError, match="Expected an object of type `Trackable`"):
        tf.saved_model.save(thing, tmp_path)


@pytest.mark.parametrize(
    ("function", "step"),
    [
        (lambda x: tf.py_function(lambda a: a, [x], tf.float32), "py_function"),
        (lambda x: tf.numpy_function(np.sin, [x], tf.float32), "numpy_function"),
        (lambda x: tf.cond(x > 0, lambda: tf.numpy_function(np.sin, [x], tf.float32), lambda: x), "numpy_function"),
        (lambda x: (tf.print(x, output_stream="file:///nowhere"), x)[1], "print"),
        (lambda x: (tf.print(x, object()), x)[1], "print"),
    ],
)
def test_steps_that_cannot_be_stored_are_named_with_their_line(function, step, tmp_path):
    module = tf.Module()
    module.f = tf.function(function, input_signature=[tf.TensorSpec([], tf.float32)])
    with pytest.raises(NotStorableError, match=rf"step '{step}', line .*test_modules.py:\d+"):
        tf.saved_model.save(module, tmp_path)
    assert not tf.saved_model.contains_saved_model(tmp_path)


def test_an_argument_that_cannot_be_stored(tmp_path):
    class Thing:
        pass

    module = tf.Module()
    module.f = tf.function(lambda x, thing: x)
    thing = Thing()  # a trace goes with the object it was made for
    module.f(tf.constant(1.0), thing)
    with pytest.raises(NotStorableError, match=r"'<lambda>' cannot be saved: .*Thing"):
        tf.saved_model.save(module, tmp_path)


def test_a_list_that_contains_itself(tmp_path):
    module = tf.Module()
    module.endless = []
    module.endless.append(module.endless)
    with pytest.raises(NotStorableError, match="contains itself"):
        tf.saved_model.save(module, tmp_path)


def test_options(net, tmp_path):
    tf.saved_model.save(net, tmp_path, options=tf.saved_model.SaveOptions(save_debug_info=True))
    options = tf.saved_model.LoadOptions(experimental_io_device="/job:localhost")
    assert tf.saved_model.load(tmp_path, tags=["serve"], options=options).count.numpy() == 0
    with pytest.raises(TypeError, match="SaveOptions"):
        tf.saved_model.save(net, tmp_path, options=3)
    with pytest.raises(TypeError, match="LoadOptions"):
        tf.saved_model.load(tmp_path, options=3)
    with pytest.raises(ValueError, match="incompatible argument to `tags`"):
        tf.saved_model.load(tmp_path, tags=["train"])


def test_no_saved_model(tmp_path):
    assert not tf.saved_model.contains_saved_model(tmp_path)
    assert not tf.saved_model.contains_saved_model(tmp_path / "nowhere")
    with pytest.raises(OSError, match="SavedModel file does not exist"):
        tf.saved_model.load(tmp_path)
    (tmp_path / "saved_model.pb").write_bytes(b"")
    with pytest.raises(OSError, match="TensorFlow has written"):
        tf.saved_model.load(tmp_path)


@pytest.mark.parametrize("concrete", [False, True])
@pytest.mark.parametrize("as_default", [False, True])
def test_functions_that_are_given_functions(tmp_path, concrete, as_default):
    signature = [tf.TensorSpec([2], tf.float32)]
    module = tf.Module()
    module.w = tf.Variable([1.0, 2.0])
    inner = tf.function(lambda x: x * module.w, input_signature=signature)
    given = inner.get_concrete_function() if concrete else inner
    x = tf.constant([1.0, 1.0])
    if as_default:
        module.outer = tf.function(lambda x, f=given: f(x) + 1.0, input_signature=signature)
    else:
        module.inner = given
        module.outer = tf.function(lambda x, f: f(x) + 1.0)
        module.outer(x, given)
    tf.saved_model.save(module, tmp_path)
    loaded = tf.saved_model.load(tmp_path)
    got = loaded.outer(x) if as_default else loaded.outer(x, loaded.inner)
    assert got.numpy().tolist() == [2.0, 3.0]
