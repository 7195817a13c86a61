"""Whose line a record, a step and an error name: the user's, also where the user's module is called `gradtape_demo`."""

import sys
import textwrap

import pytest

import gradtape as tf
from gradtape.base.frames import is_ours
from gradtape.op.declaration import REGISTRY
from gradtape.op.record import is_further_output, place_of

pytestmark = pytest.mark.quick

USER = """
    import gradtape as tf

    def recorded(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            tf.split(x, 2)            # an op of the general path
            tf.gather(x, [0, 1])      # an op behind a function
        return tape

    @tf.function
    def traced(x):
        return tf.reduce_sum(x * 2.0)

    @tf.function
    def calls_own_range(x):
        return x * float(sum(range(4)))

    def range(n):                     # (a generator, which autograph leaves as it is)
        yield from (1, n)

    def fails():
        raise KeyError("mine")

    @tf.function
    def with_an_error(x):
        return tf.map_fn(lambda row: fails(), x)
"""


@pytest.fixture(params=["gradtape_demo", "keras_gradtape_layers", "somebody"])
def user(request, tmp_path, monkeypatch):
    """A module of the user's, under this name."""
    (tmp_path / f"{request.param}.py").write_text(textwrap.dedent(USER))
    monkeypatch.syspath_prepend(tmp_path)
    yield __import__(request.param)
    del sys.modules[request.param]


def test_a_record_knows_the_users_line(user):
    records = user.recorded(tf.constant([1.0, 2.0]))._records().values()
    code_objects = [place_of(record)[0] for record in records if record is not None and not is_further_output(record)]
    assert len(code_objects) == 2
    assert {code.co_filename for code in code_objects} == {user.__file__}


def test_a_step_of_a_trace_knows_the_users_line(user):
    graph = user.traced.get_concrete_function(tf.TensorSpec([2], tf.float32))._graph
    assert [step.line.rpartition(":")[0] for step in graph.steps] == [user.__file__] * 2


def test_a_function_of_the_user_is_not_taken_for_one_of_the_same_name_here(user):
    assert user.calls_own_range(tf.constant(1.0)).numpy() == 5.0


def test_an_error_of_the_users_code_stays_as_it_is(user):
    with pytest.raises(KeyError, match="mine") as caught:
        user.with_an_error(tf.constant([1.0]))
    assert caught.type is KeyError
    assert sum(user.__file__ in note for note in caught.value.__notes__) == 1


def test_the_first_call_of_an_op_declared_elsewhere_is_recorded_at_the_users_line():
    text = """
        from gradtape.op.declaration import op

        @op()
        def doubled_elsewhere(xp, x):
            return xp.multiply(x, 2)

        doubled_elsewhere.vjp("x")(lambda g: g * 2.0)
    """
    namespace = {"__name__": "somebodys_ops"}
    exec(textwrap.dedent(text), namespace)
    try:
        x = tf.constant(3.0)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = namespace["doubled_elsewhere"].public(x)
        assert place_of(tape._records()[y._id])[0].co_filename == __file__
        assert tape.gradient(y, x).numpy() == 2.0
    finally:
        del REGISTRY["doubled_elsewhere"]


def test_a_frame_is_ours_by_the_whole_name_of_its_package():
    names = {
        "gradtape": True,
        "gradtape.math": True,
        "keras_gradtape.ops": True,
        "gradtape_demo": False,
        "keras": False,
    }
    for name, expected in names.items():
        namespace = {"__name__": name}
        exec("import sys\nframe = sys._getframe()", namespace)
        assert is_ours(namespace["frame"]) is expected
