"""Modules find the variables in their attributes; names and order are TensorFlow's."""

import copy

import pytest

import gradtape as tf


class Layer(tf.Module):
    def __init__(self, name=None):
        super().__init__(name=name)
        self.b = tf.Variable(1.0, name="b")
        self.a = tf.Variable(2.0, name="a", trainable=False)


class Model(tf.Module):
    def __init__(self):
        super().__init__()
        self.a_sub = Layer()
        self.z = tf.Variable(0.0, name="z")
        self.layers = [Layer("x1"), (Layer("x2"),)]
        self.named = {"q": Layer("x3"), "p": tf.Variable(5.0, name="p")}
        self.again = self.a_sub
        self.nothing = None


def names(values):
    return [value.name for value in values]


def test_own_variables_come_first_and_then_those_of_the_submodules():
    model = Model()
    assert names(model.variables) == ["p:0", "z:0"] + ["a:0", "b:0"] * 4
    assert names(model.trainable_variables) == ["p:0", "z:0"] + ["b:0"] * 4
    assert names(model.non_trainable_variables) == ["a:0"] * 4
    assert names(model.submodules) == ["layer", "x1", "x2", "x3"]


def test_each_is_found_once_also_around_a_circle():
    class Circle(tf.Module):
        def __init__(self):
            super().__init__()
            self.me = self
            self.list = [self]
            self.w = self.alias = tf.Variable(1.0)

    assert len(Circle().variables) == 1
    assert Circle().submodules == ()


def test_keys_of_a_dict_are_taken_in_their_order():
    module = tf.Module()
    module.d = {10: tf.Variable(10.0, name="ten"), 2: tf.Variable(2.0, name="two")}
    assert names(module.variables) == ["two:0", "ten:0"]


def test_what_is_appended_later_is_found():
    module = tf.Module()
    module.parts = []
    module.parts.append(tf.Variable(1.0, name="a"))
    assert names(module.variables) == ["a:0"]


@pytest.mark.parametrize(
    ("cls", "name"),
    [
        ("MyCoolModule", "my_cool_module"),
        ("HTTPServer2", "http_server2"),
        ("ABC", "abc"),
        ("conv2D_v1", "conv2_d_v1"),
    ],
)
def test_the_name_of_a_class_in_snake_case(cls, name):
    assert type(cls, (tf.Module,), {})().name == name


@pytest.mark.parametrize("name", ["a b", "1a", ""])
def test_a_name_must_be_an_identifier(name):
    with pytest.raises(ValueError, match="identifier"):
        tf.Module(name=name)


def test_a_module_without_super_init_works():
    class Bare(tf.Module):
        def __init__(self):
            self.w = tf.Variable(1.0)

    assert len(Bare().variables) == 1
    assert Bare().name == "bare"


def test_properties_are_not_called():
    class Lazy(tf.Module):
        @property
        def late(self):
            raise AssertionError("called")

    assert Lazy().variables == ()


def test_with_name_scope_names_the_variables_made_inside():
    class Late(tf.Module):
        w = None

        @tf.Module.with_name_scope
        def __call__(self, x):
            """Made on first use."""
            if self.w is None:
                self.w = tf.Variable(x, name="w")
            return self.w

    module = Late(name="outer")
    module(1.0)
    assert module.w.name == "outer/w:0"
    assert module.name_scope.name == "outer/"
    assert Late.__call__.__doc__ == "Made on first use."


def test_a_deep_copy_is_a_model_of_its_own():
    model = Model()
    twin = copy.deepcopy(model)
    twin.z.assign(7.0)
    assert model.z.numpy() == 0.0
    assert twin.again is twin.a_sub
    assert len(twin.variables) == len(model.variables)


def test_a_module_trains():
    class Linear(tf.Module):
        def __init__(self):
            super().__init__()
            self.w, self.b = tf.Variable(0.0), tf.Variable(0.0)

        def __call__(self, x):
            return self.w * x + self.b

    model, x = Linear(), tf.constant([0.0, 1.0, 2.0, 3.0])
    for _ in range(200):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((model(x) - (3.0 * x + 1.0)) ** 2)
        for variable, gradient in zip(model.variables, tape.gradient(loss, model.variables), strict=True):
            variable.assign_sub(0.1 * gradient)
    assert abs(model.w.numpy() - 3.0) < 1e-2
    assert abs(model.b.numpy() - 1.0) < 1e-2
