"""tf.compat: v2 is the package, v1 has what eager programs use and says that the rest is not there."""

import importlib
import pathlib

import numpy as np
import pytest

import gradtape as tf


def test_v2_is_the_package():
    assert tf.compat.v2 is tf
    assert importlib.import_module("gradtape.compat.v2") is tf


def test_v1_names_what_to_use():
    with pytest.raises(AttributeError, match=r"tf\.compat\.v1\.Session does not exist.*tf\.function"):
        tf.compat.v1.Session  # noqa: B018
    assert not hasattr(tf.compat.v1, "placeholder")
    assert importlib.import_module("gradtape.compat.v1") is tf.compat.v1


def test_v1_train_lists_its_optimizers_and_no_names_of_its_own_making():
    names = set(dir(tf.compat.v1.train))
    assert {"AdamOptimizer", "Checkpoint", "get_global_step"} <= names
    assert all(hasattr(tf.compat.v1.train, name) for name in names)
    assert tf.compat.v1.train.ClusterSpec is tf.train.ClusterSpec
    assert not {"Any", "Iterator", "Variable", "import_late", "read_events"} & names


def test_text_and_bytes():
    assert (tf.compat.as_bytes("a"), tf.compat.as_bytes(b"a"), tf.compat.as_text(b"a")) == (b"a", b"a", "a")
    assert (tf.compat.as_str("a"), tf.compat.as_str_any(1), tf.compat.as_str_any(b"x")) == ("a", "1", "x")
    assert tf.compat.path_to_str(pathlib.PurePosixPath("a/b")) == "a/b"
    assert tf.compat.dimension_value(3) == 3
    for convert in (tf.compat.as_bytes, tf.compat.as_text):
        with pytest.raises(TypeError):
            convert(1)


def test_v1_advises_a_name_only_where_it_exists():
    with pytest.raises(AttributeError, match=r"tf\.compat\.v1\.graph_util does not exist.*"):
        tf.compat.v1.graph_util  # noqa: B018
    with pytest.raises(AttributeError) as caught:
        tf.compat.v1.Session  # noqa: B018
    assert "tf.Session" not in str(caught.value)


def test_what_programs_for_tensorflow_2_take_from_v1(tmp_path):
    v1 = importlib.import_module("gradtape.compat.v1")
    for name in ("enable_eager_execution", "enable_v2_behavior", "enable_resource_variables"):
        assert getattr(v1, name)() is None
    assert (v1.executing_eagerly_outside_functions(), v1.executing_eagerly()) == (True, True)
    v1.set_random_seed(3)
    drawn = tf.random.normal([2]).numpy().tolist()
    tf.random.set_seed(3)
    assert tf.random.normal([2]).numpy().tolist() == drawn


def test_logging_of_v1(caplog):
    logging, before = tf.compat.v1.logging, tf.get_logger().level
    try:
        logging.set_verbosity(logging.INFO)
        logging.info("%d steps", 3)
        logging.debug("not shown")
        logging.set_verbosity("ERROR")
        logging.warning("not shown")
        logging.error("bad")
        assert logging.get_verbosity() == 40
    finally:
        tf.get_logger().setLevel(before)
    assert [(record.levelname, record.getMessage()) for record in caplog.records] == [
        ("INFO", "3 steps"),
        ("ERROR", "bad"),
    ]


def test_event_files_are_read_with_v1(tmp_path):
    pytest.importorskip("tensorboardX")
    with tf.summary.create_file_writer(str(tmp_path)).as_default():
        tf.summary.scalar("loss", 0.5, step=3)
    (file,) = tmp_path.iterdir()
    events = list(tf.compat.v1.train.summary_iterator(str(file)))
    assert [(event.step, value.tag) for event in events for value in event.summary.value] == [(3, "loss")]
    assert isinstance(events[-1].summary.value[0].metadata, tf.compat.v1.SummaryMetadata)


# --- tf.compat.v1 in eager programs; the numbers are TensorFlow 2.21's ---------------------------------------------------------


def test_names_of_tensorflow_2_are_there_under_their_old_names():
    v1 = tf.compat.v1
    assert v1.log is tf.math.log
    assert v1.matrix_inverse is tf.linalg.inv
    assert v1.random_normal is tf.random.normal
    assert v1.concat is tf.concat
    missing = {name for name in v1.PLACES if not hasattr(v1, name)}
    assert missing <= {"decode_compressed", "deserialize_many_sparse", "dequantize", "quantize", "quantized_concat"}


def test_functions_have_the_arguments_of_v1():
    v1 = tf.compat.v1
    assert v1.reduce_sum([[1, 2]], reduction_indices=1, keep_dims=True).numpy().tolist() == [[3]]
    assert v1.argmax([[1, 2], [3, 0]]).numpy().tolist() == [1, 0]
    assert v1.argmin([[1, 2], [3, 0]], dimension=1).numpy().tolist() == [0, 1]
    assert v1.expand_dims([1], dim=0).shape == [1, 1]
    assert v1.squeeze([[1]], squeeze_dims=[0]).shape == [1]
    assert v1.count_nonzero([0, 3]).numpy() == 1
    assert (v1.div(7, 2).numpy(), v1.div(7.0, 2.0).numpy()) == (3, 3.5)
    assert v1.to_float(3).dtype == tf.float32
    assert v1.shape([[1]], out_type=tf.int64).dtype == tf.int64
    assert v1.dimension_value(v1.Dimension(3)) == 3
    assert v1.Dimension(2) * 3 == 6
    with pytest.raises(ValueError, match="Cannot specify both"):
        v1.reduce_sum([1], axis=0, reduction_indices=0)


def test_where_of_v1_does_not_broadcast():
    v1 = tf.compat.v1
    assert v1.where([True, False], [[1, 2], [3, 4]], [[5, 6], [7, 8]]).numpy().tolist() == [[1, 2], [7, 8]]
    assert v1.where([True, False], [1, 2], [3, 4]).numpy().tolist() == [1, 4]
    assert v1.where([False, True]).numpy().tolist() == [[1]]
    with pytest.raises(tf.errors.InvalidArgumentError):
        v1.where([True, False], 1, [3, 4])


def test_parts_of_variables_are_changed():
    v1, ref = tf.compat.v1, tf.Variable([1.0, 2.0, 3.0])
    v1.scatter_add(ref, [0, 0], [1.0, 1.0])
    v1.scatter_update(ref, [1], [9.0])
    v1.scatter_mul(ref, [1], 2.0)
    v1.scatter_nd_add(ref, [[0]], [1.0])
    v1.scatter_max(ref, [2], [7.0])
    assert ref.numpy().tolist() == [4.0, 18.0, 7.0]
    assert v1.assign_add(v1.assign(ref, [1.0, 1.0, 1.0]), [1.0, 1.0, 1.0]).numpy().tolist() == [2.0, 2.0, 2.0]


def test_variables_are_made_in_scopes():
    v1 = tf.compat.v1
    with v1.variable_scope("layer") as scope:
        w = v1.get_variable("w", [2, 3])
        assert v1.get_variable("n", [2], dtype=tf.int32).numpy().tolist() == [0, 0]
    assert (w.name, w.shape, scope.name) == ("layer/w:0", [2, 3], "layer")
    assert abs(w.numpy()).max() <= (6 / 5) ** 0.5
    assert v1.get_variable("one", initializer=tf.constant(1.0)).numpy() == 1.0
    assert v1.reset_default_graph() is None
    assert v1.global_variables_initializer() is None
    config = v1.ConfigProto(allow_soft_placement=True)
    config.gpu_options.allow_growth = True
    assert config.allow_soft_placement


@pytest.mark.parametrize(
    ("name", "arguments", "expected"),
    [
        ("GradientDescent", {}, [0.512, -1.024]),
        ("Momentum", {"momentum": 0.9}, [0.062, -0.124]),
        ("Momentum", {"momentum": 0.9, "use_nesterov": True}, [-0.108352, 0.216704]),
        ("Adagrad", {}, [0.782299, -1.776297]),
        ("Adam", {}, [0.701587, -1.700624]),
        ("RMSProp", {}, [0.574523, -1.405372]),
        ("RMSProp", {"momentum": 0.5, "centered": True}, [0.368323, -1.078461]),
        ("Adadelta", {}, [0.999864, -1.999864]),
        ("Ftrl", {}, [0.637890, -1.623741]),
        ("ProximalGradientDescent", {"l1_regularization_strength": 0.01}, [0.509560, -1.021560]),
        ("ProximalAdagrad", {}, [0.782299, -1.776297]),
    ],
)
def test_optimizers_take_tensorflows_steps(name, arguments, expected):
    optimizer = getattr(tf.compat.v1.train, f"{name}Optimizer")(0.1, **arguments)
    variable, step = tf.Variable([1.0, -2.0]), tf.Variable(0)
    for _ in range(3):
        optimizer.minimize(lambda: tf.reduce_sum(variable**2), global_step=step)
    np.testing.assert_allclose(variable, expected, rtol=1e-5)
    assert step.numpy() == 3
    assert all(slot.name.startswith(("Variable/", "beta")) for slot in optimizer.variables())
    with pytest.raises(RuntimeError, match="should be a function"):
        optimizer.minimize(tf.constant(1.0))


@pytest.mark.parametrize(
    ("name", "arguments", "expected"),
    [
        ("Momentum", {"momentum": 0.9}, [[0.615, -1.9], [2.925, 3.85], [-0.7225, 0.105], [2.0, 2.0]]),
        (
            "Momentum",
            {"momentum": 0.9, "use_nesterov": True},
            [[0.4035, -1.81], [2.8575, 3.715], [-0.9002, 0.0195], [2.0, 2.0]],
        ),
        ("Adagrad", {}, [[0.8475, -1.9047], [2.9079, 3.9022], [-0.6595, 0.1009], [2.0, 2.0]]),
        ("Adam", {}, [[0.728, -1.8681], [2.8681, 3.8681], [-0.7376, 0.0012], [2.0, 2.0]]),
        ("RMSProp", {}, [[0.7638, -1.8952], [2.9233, 3.8586], [-0.6915, 0.144], [2.0, 2.0]]),
        ("RMSProp", {"momentum": 0.5}, [[0.6931, -1.8952], [2.9233, 3.8586], [-0.7046, 0.118], [2.0, 2.0]]),
        (
            "RMSProp",
            {"momentum": 0.5, "centered": True},
            [[0.6885, -1.8946], [2.9231, 3.8571], [-0.7076, 0.1176], [2.0, 2.0]],
        ),
        ("Adadelta", {}, [[0.9999, -2.0], [3.0, 4.0], [-0.5001, 0.2499], [2.0, 2.0]]),
        ("Ftrl", {}, [[0.6412, 0.0953], [1.7423, 3.077], [-0.2672, -0.0327], [2.0, 2.0]]),
        (
            "Ftrl",
            {"l1_regularization_strength": 0.01, "l2_regularization_strength": 0.02},
            [[0.6389, 0.094], [1.7326, 3.0684], [-0.2629, -0.0317], [2.0, 2.0]],
        ),
        (
            "Ftrl",
            {"l2_shrinkage_regularization_strength": 0.1},
            [[0.6207, 0.2194], [1.6686, 3.0248], [-0.2408, -0.0418], [2.0, 2.0]],
        ),
        (
            "ProximalGradientDescent",
            {"l1_regularization_strength": 0.01},
            [[0.748, -1.898], [2.924, 3.849], [-0.698, 0.148], [2.0, 2.0]],
        ),
        (
            "ProximalAdagrad",
            {"l1_regularization_strength": 0.01},
            [[0.8463, -1.9005], [2.9066, 3.9015], [-0.6564, 0.098], [2.0, 2.0]],
        ),
    ],
)
@pytest.mark.parametrize("in_function", [False, True])
def test_a_step_by_slices_changes_the_rows_that_have_a_gradient(name, arguments, expected, in_function):
    """TensorFlow's numbers: slices of one row are added up, and only Adam goes over the other rows."""
    optimizer = getattr(tf.compat.v1.train, f"{name}Optimizer")(0.1, **arguments)
    variable = tf.Variable([[1.0, -2.0], [3.0, 4.0], [-0.5, 0.25], [2.0, 2.0]])
    values = tf.constant([[0.5, 1.0], [0.25, 0.5], [1.0, -1.0]])

    def step(ids):
        optimizer.apply_gradients([(tf.IndexedSlices(values, ids, tf.constant([4, 2])), variable)])

    for number, ids in enumerate(([0, 2, 0], [1, 1, 0], [2, 2, 2])):
        if number == 1 and in_function:  # what is kept for a variable is made by the first step
            step = tf.function(step)
        step(tf.constant(ids))
    np.testing.assert_allclose(variable, expected, atol=2e-4)


def test_gradients_are_whatever_becomes_a_tensor():
    for gradient in (tf.Variable([0.5, 0.25]), np.array([0.5, 0.25], np.float32), [0.5, 0.25]):
        variable = tf.Variable([1.0, 2.0])
        tf.compat.v1.train.GradientDescentOptimizer(0.1).apply_gradients([(gradient, variable)])
        np.testing.assert_allclose(variable, [0.95, 1.975])


@pytest.mark.parametrize(
    ("name", "mean", "first_row"),
    [
        ("absolute_difference", 0.325, 0.25),
        ("mean_squared_error", 0.1125, 0.065),
        ("huber_loss", 0.05625, 0.0325),
        ("log_loss", 0.400367, 0.289909),
        ("hinge_loss", 0.825, 0.75),
        ("sigmoid_cross_entropy", 0.643990, 0.612728),
        ("softmax_cross_entropy", 0.536108, 0.474077),
    ],
)
def test_losses_are_means_over_what_has_a_weight(name, mean, first_row):
    loss = getattr(tf.compat.v1.losses, name)
    labels, predictions = [[1.0, 0.0], [0.0, 1.0]], [[0.8, 0.3], [0.4, 0.6]]
    weights = [1.0, 0.0] if name == "softmax_cross_entropy" else [[1.0], [0.0]]
    np.testing.assert_allclose(loss(labels, predictions), mean, rtol=1e-5)
    np.testing.assert_allclose(loss(labels, predictions, weights=2.0), 2 * mean, rtol=1e-5)
    np.testing.assert_allclose(loss(labels, predictions, weights=weights), first_row, rtol=1e-5)
    assert len(loss(labels, predictions, reduction="none")) == 2


def test_v1_losses_over_pairs_and_collections():
    losses = tf.compat.v1.losses
    labels, predictions = [[1.0, 2.0, 4.0], [0.0, 1.0, 5.0]], [[1.0, 0.0, 2.0], [3.0, 1.0, 1.0]]
    found = [losses.mean_pairwise_squared_error(labels, predictions, weights=w) for w in (1.0, 0.0, [[1.0], [0.0]])]
    np.testing.assert_allclose(found, [12.066667, 0.0, 2.6666665], rtol=1e-6)
    with pytest.raises(ValueError, match="broadcast"):
        losses.mean_pairwise_squared_error(labels, predictions, weights=[1.0, 2.0])
    losses.add_loss(tf.constant(1.0))
    assert (losses.get_losses(), losses.get_regularization_losses(), float(losses.get_regularization_loss())) == (
        [],
        [],
        0.0,
    )
    with pytest.raises(ValueError, match="Add the losses"):
        losses.get_total_loss()
    assert "Any" not in dir(losses)


def test_a_placeholder_with_a_default_is_the_default():
    x = tf.constant([1.0, 2.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.compat.v1.placeholder_with_default(x, [None]) * 2.0
    assert tape.gradient(y, x).numpy().tolist() == [2.0, 2.0]


def test_a_sparse_value_becomes_a_sparse_tensor():
    value = tf.compat.v1.SparseTensorValue(indices=[[0, 1]], values=[3], dense_shape=[2, 2])
    np.testing.assert_array_equal(tf.sparse.to_dense(tf.SparseTensor.from_value(value)), [[0, 3], [0, 0]])


def test_namespaces_of_version_1_have_what_means_the_same(tmp_path):
    v1 = tf.compat.v1
    assert v1.keras is tf.keras
    assert v1.errors.NotFoundError is tf.errors.NotFoundError
    assert v1.nn.relu is tf.nn.relu
    loss = v1.nn.softmax_cross_entropy_with_logits_v2(labels=[[0.0, 1.0]], logits=[[1.0, 2.0]])
    np.testing.assert_allclose(loss, [0.31326166], rtol=1e-6)
    np.testing.assert_allclose(
        v1.nn.dropout([1.0, 2.0], 1.0), [1.0, 2.0]
    )  # its second argument is the chance to be kept
    v1.gfile.MakeDirs(str(tmp_path / "a"))
    with v1.gfile.Open(str(tmp_path / "a" / "b.txt"), "w") as file:
        file.write("text")
    assert v1.gfile.Exists(str(tmp_path / "a" / "b.txt"))
    assert v1.gfile.ListDirectory(str(tmp_path / "a")) == ["b.txt"]


def test_every_name_that_a_module_of_version_1_lists_is_there():
    modules = [getattr(tf.compat.v1, name) for name in dir(tf.compat.v1)]
    spaces = [one for one in modules if getattr(one, "__name__", "").startswith("gradtape.compat.v1.")]
    lacking = [f"{one.__name__}.{name}" for one in spaces for name in dir(one) if not hasattr(one, name)]
    assert lacking == []
    assert tf.compat.v1.saved_model.ASSETS_DIRECTORY == "assets"


@pytest.mark.parametrize(
    ("optimizer", "expected"),  # of TensorFlow 2.21: 1 - 0.999 is that of float32 numbers
    [
        (lambda train: train.AdamOptimizer(0.1), [0.51996398, -2.50221825]),
        (lambda train: train.RMSPropOptimizer(0.1, decay=0.999), [0.35115752, -13.51244259]),
        (lambda train: train.AdadeltaOptimizer(1.0, rho=0.999), [0.98430842, -2.01588035]),
    ],
)
def test_optimizers_of_v1_round_what_is_left_of_a_mean(optimizer, expected):
    made, variable = optimizer(tf.compat.v1.train), tf.Variable([1.0, -2.0])
    for _ in range(5):
        made.minimize(lambda: tf.reduce_sum(variable**3), var_list=[variable])
    np.testing.assert_allclose(variable.numpy(), expected, rtol=2e-7)
