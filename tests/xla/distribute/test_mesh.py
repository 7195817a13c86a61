"""Values on a mesh of devices: functions give the numbers of one device, and devices hold and send what the layouts say."""

import numpy as np
import pytest

import gradtape as tf

pytest.importorskip("jax", reason="the extra `xla` is not installed")

from benchmarks import scale

from gradtape.experimental import dtensor
from gradtape.xla.communication import Collective, communication, in_text

RANDOM = np.random.default_rng(0)
X, Y = RANDOM.normal(size=(64, 16)).astype(np.float32), RANDOM.integers(0, 4, 64)


def weights():
    random = np.random.default_rng(1)
    shapes = (16, 32), (32, 4), (4,)
    return [random.normal(0.0, 0.3, shape).astype(np.float32) for shape in shapes]


def training_step(variables):
    first, second, bias = variables

    @tf.function
    def step(x, y):
        with tf.GradientTape() as tape:
            scores = tf.tanh(x @ first) @ second + bias
            loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(y, scores))
        for variable, gradient in zip(variables, tape.gradient(loss, variables), strict=True):
            variable.assign_sub(0.5 * gradient)
        return loss

    return step


def on_one_device(rounds):
    variables = [tf.Variable(value) for value in weights()]
    step = training_step(variables)
    losses = [float(step(tf.constant(X), tf.constant(Y))) for _ in range(rounds)]
    return losses, [variable.numpy() for variable in variables]


def on_mesh(mesh, specs, rounds):
    layouts = [dtensor.Layout(spec, mesh) for spec in specs]
    variables = [dtensor.DVariable(v, layout=layout) for v, layout in zip(weights(), layouts, strict=True)]
    x = dtensor.copy_to_mesh(X, dtensor.Layout.batch_sharded(mesh, "data", 2))
    y = dtensor.copy_to_mesh(Y, dtensor.Layout.batch_sharded(mesh, "data", 1))
    step = training_step(variables)
    losses = [float(step(x, y)) for _ in range(rounds)]
    return losses, variables, step


WHOLE = [["unsharded"] * 2, ["unsharded"] * 2, ["unsharded"]]
CUT = [["unsharded", "model"], ["model", "unsharded"], ["unsharded"]]


@pytest.mark.parametrize(
    ("axes", "specs"), [({"data": 8}, WHOLE), ({"data": 4, "model": 2}, CUT)], ids=["data", "model"]
)
def test_losses_and_weights_are_those_of_one_device(axes, specs):
    expected, weights_after = on_one_device(100)
    losses, variables, _ = on_mesh(dtensor.create_mesh(axes), specs, 100)
    np.testing.assert_allclose(losses, expected, atol=1e-5)
    for variable, wanted in zip(variables, weights_after, strict=True):
        np.testing.assert_allclose(variable.numpy(), wanted, atol=1e-4)


def test_data_parallel_training_has_one_all_reduce_of_the_gradients_and_the_loss():
    _, _, step = on_mesh(dtensor.create_mesh({"data": 8}), WHOLE, 1)
    count = sum(value.size for value in weights()) + 1
    assert communication(step) == [Collective("all-reduce", 4 * count, 8)]


@pytest.mark.parametrize(("data", "model"), [(4, 2), (1, 8), (8, 1)])
def test_a_transformer_sends_what_the_cost_model_says(monkeypatch, data, model):
    for name, size in {"WIDTH": 32, "SEQUENCES": 8, "LENGTH": 4}.items():
        monkeypatch.setattr(scale, name, size)
    found = scale.measured("transformer", data, model)
    held, sent = scale.expected_of_transformer(data, model)
    sums = (4 * scale.LAYERS - 1) * (model > 1) + (data > 1)
    assert (found["held"], found["sent"], found["kinds"]) == (held, sent, {"all-reduce": sums})


def test_a_device_holds_its_part_of_a_weight():
    _, variables, _ = on_mesh(dtensor.create_mesh({"data": 4, "model": 2}), CUT, 2)
    for variable, spec in zip(variables, CUT, strict=True):
        parts = dtensor.unpack(variable)
        assert len(parts) == 8
        assert {np.asarray(part).nbytes for part in parts} == {variable.numpy().nbytes // (2 if "model" in spec else 1)}


def test_weights_stay_on_the_devices_between_steps():
    from gradtape.xla.arrays import COPIES

    mesh = dtensor.create_mesh({"data": 4, "model": 2})
    _, _variables, step = on_mesh(mesh, CUT, 2)
    x = dtensor.copy_to_mesh(X, dtensor.Layout.batch_sharded(mesh, "data", 2))
    y = dtensor.copy_to_mesh(Y, dtensor.Layout.batch_sharded(mesh, "data", 1))
    before = COPIES.to_host, COPIES.to_device
    for _ in range(5):
        step(x, y)
    assert (COPIES.to_host, COPIES.to_device) == before


def test_what_is_assigned_takes_the_layout_of_the_variable():
    mesh = dtensor.create_mesh({"data": 4, "model": 2})
    layout = dtensor.Layout(["data", "model"], mesh)
    variable = dtensor.DVariable(np.zeros((8, 4), np.float32), layout=layout)
    variable.assign(np.arange(32.0, dtype=np.float32).reshape(8, 4))
    double = tf.function(lambda: variable * 2.0)
    np.testing.assert_array_equal(double(), 2.0 * np.arange(32.0).reshape(8, 4))
    assert dtensor.fetch_layout(variable) == layout
    np.testing.assert_array_equal(dtensor.unpack(variable)[1], [[2.0, 3.0], [6.0, 7.0]])


def test_a_tensor_that_was_read_before_a_step_keeps_its_value():
    _, variables, step = on_mesh(dtensor.create_mesh({"data": 8}), WHOLE, 1)
    held = [variable.value() for variable in variables]
    before = [np.array(value) for value in held]
    step(tf.constant(X), tf.constant(Y))
    for value, wanted in zip(held, before, strict=True):
        np.testing.assert_array_equal(value, wanted)


def test_values_are_laid_out_again_outside_and_inside_of_functions():
    mesh = dtensor.create_mesh({"rows": 4, "columns": 2})
    rows, columns = (dtensor.Layout(spec, mesh) for spec in (["rows", "unsharded"], ["unsharded", "columns"]))
    x = dtensor.copy_to_mesh(X, rows)
    assert dtensor.fetch_layout(dtensor.relayout(x, columns)) == columns
    inside = tf.function(lambda x: dtensor.relayout(tf.tanh(x), columns))(x)
    assert dtensor.fetch_layout(inside) == columns
    np.testing.assert_allclose(inside, np.tanh(X), rtol=1e-6)
    assert dtensor.fetch_layout(dtensor.relayout_like(inside, x)) == rows


def test_gradients_pass_through_a_change_of_layout():
    mesh = dtensor.create_mesh({"x": 8})
    layout = dtensor.Layout(["x", "unsharded"], mesh)

    @tf.function
    def gradient(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.reduce_sum(dtensor.relayout(x, layout) ** 2)
        return tape.gradient(y, x)

    np.testing.assert_allclose(gradient(dtensor.copy_to_mesh(X, layout)), 2 * X)


def test_parts_are_packed_and_unpacked():
    mesh = dtensor.create_mesh({"x": 2, "y": 4})
    layout = dtensor.Layout(["y"], mesh)
    packed = dtensor.pack([[float(k % 4)] for k in range(8)], layout)
    np.testing.assert_array_equal(packed, [0.0, 1.0, 2.0, 3.0])
    np.testing.assert_array_equal(dtensor.unpack(packed), [[float(k % 4)] for k in range(8)])
    with pytest.raises(tf.errors.InvalidArgumentError, match="8 parts are needed"):
        dtensor.pack([[1.0]], layout)


def test_a_function_is_called_with_a_layout():
    mesh = dtensor.create_mesh({"x": 8})
    layout = dtensor.Layout.batch_sharded(mesh, "x", rank=2)
    zeros = dtensor.call_with_layout(tf.zeros, layout, shape=[16, 2])
    assert dtensor.fetch_layout(zeros) == layout
    dtensor.check_layout(zeros, layout)
    with pytest.raises(ValueError, match="did not match"):
        dtensor.check_layout(zeros, dtensor.Layout.replicated(mesh, 2))


def test_batches_of_a_dataset_are_laid_out():
    mesh = dtensor.create_mesh({"data": 8})
    layouts = [dtensor.Layout.batch_sharded(mesh, "data", rank) for rank in (2, 1)]
    dataset = dtensor.DTensorDataset(
        tf.data.Dataset.from_tensor_slices((X, Y)),
        mesh=mesh,
        layouts=tuple(layouts),
        global_batch_size=16,
        batch_dim="data",
    )
    batches = list(dataset)
    assert len(batches) == len(dataset) == 4
    assert [dtensor.fetch_layout(part) for part in batches[0]] == layouts
    np.testing.assert_array_equal(np.concatenate([x for x, _ in batches]), X)


def test_a_function_under_a_tape_outside_runs_on_the_mesh():
    mesh = dtensor.create_mesh({"data": 8})
    variable = dtensor.DVariable(weights()[0], layout=dtensor.Layout.replicated(mesh, 2))
    square = tf.function(lambda x: tf.reduce_sum((x @ variable) ** 2))
    with tf.GradientTape() as tape:
        y = square(dtensor.copy_to_mesh(X, dtensor.Layout.batch_sharded(mesh, "data", 2)))
    np.testing.assert_allclose(tape.gradient(y, variable), 2 * X.T @ (X @ weights()[0]), rtol=1e-4, atol=1e-4)


def test_what_does_not_fit_is_named():
    mesh = dtensor.create_mesh({"x": 8})
    with pytest.raises(ValueError, match="has 6 devices, and there are 8"):
        dtensor.create_mesh({"x": 2, "y": 3})
    with pytest.raises(ValueError, match="no axis 'z'"):
        dtensor.Layout(["z"], mesh)
    with pytest.raises(ValueError, match="cuts one axis"):
        dtensor.Layout(["x", "x"], mesh)
    with pytest.raises(tf.errors.InvalidArgumentError, match="cannot be cut into 8 equal parts along 'x'"):
        dtensor.copy_to_mesh(tf.zeros([6]), dtensor.Layout(["x"], mesh))
    with pytest.raises(tf.errors.InvalidArgumentError, match="not on a mesh"):
        dtensor.fetch_layout(tf.zeros([6]))
    with pytest.raises(tf.errors.InvalidArgumentError, match="There is no device 'CPU:9'"):
        dtensor.Layout(["x"], dtensor.Mesh(["x"], ["CPU:9"])).sharding  # noqa: B018


def test_values_of_two_meshes_do_not_go_together():
    meshes = [
        dtensor.create_mesh({"x": 4}, devices=[f"CPU:{k}" for k in numbers]) for numbers in (range(4), range(4, 8))
    ]
    a, b = (dtensor.copy_to_mesh(X, dtensor.Layout.batch_sharded(mesh, "x", 2)) for mesh in meshes)
    with pytest.raises(ValueError, match="2 meshes of devices"):
        tf.function(lambda a, b: a + b)(a, b)


def test_exchanges_are_read_from_the_text():
    text = """
  %a = (f32[], bf16[16,4]{1,0}) all-reduce(%x, %y), channel_id=1, replica_groups=[2,4]<=[8], to_apply=%add
  %b = f32[8,2]{1,0} all-gather-start(%z), replica_groups={{0,1},{2,3}}, dimensions={0}
  %c = f32[2]{0} all-reduce(%z), replica_groups=mesh['axis_0'=2,'axis_1'=4] {'axis_0','axis_1':(1)2}, to_apply=%add
"""
    first, second, third = in_text(text)
    assert third == Collective("all-reduce", 8, 4)
    assert (first, second) == (Collective("all-reduce", 132, 4), Collective("all-gather", 64, 2))
    assert (first.sent, second.sent) == (198.0, 32.0)


def test_meshes_and_layouts_are_read_from_their_texts():
    """Also from TensorFlow's, which list numbers of devices too."""
    mesh = dtensor.create_mesh([("x", 2), ("y", 2)], devices=[f"CPU:{number}" for number in range(4)])
    layout = dtensor.Layout(["x", "unsharded"], mesh)
    assert dtensor.Mesh.from_string(mesh.to_string()) == mesh
    assert dtensor.Layout.from_string(layout.to_string()) == layout
    devices = ",".join(f"/job:localhost/replica:0/task:0/device:CPU:{number}" for number in range(4))
    assert dtensor.Mesh.from_string(f"|x=2,y=2|0,1,2,3|0,1,2,3|{devices}") == mesh
    assert dtensor.Mesh.from_string("/job:localhost/replica:0/task:0/device:CPU:0").single_device == "CPU:0"
    assert (mesh.strides, mesh.local_device_ids(), mesh.is_remote()) == ([2, 1], [0, 1, 2, 3], False)
    assert (layout.shape, layout.offset_tuple_to_global_index((1, 0))) == ([2, 2], 1)
    for text, read in (("CPU", dtensor.Mesh.from_string), ("x,y", dtensor.Layout.from_string)):
        with pytest.raises(ValueError, match="is no "):
            read(text)


def test_named_tensors_are_saved_and_restored_in_their_layouts(tmp_path):
    mesh = dtensor.create_mesh([("x", 2)], devices=["CPU:0", "CPU:1"])
    layout = dtensor.Layout(["x", "unsharded"], mesh)
    x = dtensor.copy_to_mesh(np.arange(8.0).reshape(4, 2), layout)
    v = dtensor.DVariable(x)
    assert v.layout == layout
    dtensor.sharded_save(mesh, str(tmp_path / "ckpt"), ["a/b", "v"], ["", ""], [x, v])
    found = dtensor.name_based_restore(mesh, str(tmp_path / "ckpt"), {"a/b": x, "v": v})
    for value in found.values():
        assert dtensor.fetch_layout(value) == layout
        assert np.array_equal(value, x)
    with pytest.raises(tf.errors.NotFoundError):
        dtensor.name_based_restore(mesh, str(tmp_path / "nothing"), {"v": v})
