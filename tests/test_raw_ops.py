"""`tf.raw_ops`: kernels under TensorFlow's names. `raw_ops_samples.json` has arguments and TensorFlow 2.21's results for them."""

import json
import pathlib

import numpy as np
import pytest

import gradtape as tf
from gradtape.raw_ops import more_rows
from gradtape.raw_ops.functions import rows

SAMPLES = json.loads((pathlib.Path(__file__).parent / "raw_ops_samples.json").read_text(encoding="utf-8"))
OF_FILES = {
    "DecodeAndCropJpeg",
    "DecodeJpeg",
    "EncodeJpeg",
    "EncodeJpegVariableQuality",
    "EncodePng",
}  # other libraries, other bytes
X = np.array([[2.0, 1.0, 4.0], [1.0, 3.0, 5.0]], "float32")
Z = X.astype("complex64")
IDS = {"data": X, "segment_ids": [0, 2], "num_segments": 4}
# TensorFlow has these names and no kernel for a CPU: arguments, and the same from NumPy.
WITHOUT_A_KERNEL = {
    "AccumulateNV2": ({"inputs": [X, X], "shape": [2, 3]}, 2 * X),
    "FFTND": ({"input": Z, "fft_length": [3], "axes": [1]}, np.fft.fft(Z, axis=1)),
    "IFFTND": ({"input": Z, "fft_length": [3], "axes": [1]}, np.fft.ifft(Z, axis=1)),
    "RFFTND": ({"input": X, "fft_length": [3], "axes": [1]}, np.fft.rfft(X, axis=1)),
    "IRFFTND": ({"input": Z, "fft_length": [4], "axes": [1]}, np.fft.irfft(Z, 4, axis=1)),
    "SegmentMaxV2": (IDS, [X[0], np.full(3, -3.4028235e38), X[1], np.full(3, -3.4028235e38)]),
    "SegmentMinV2": (IDS, [X[0], np.full(3, 3.4028235e38), X[1], np.full(3, 3.4028235e38)]),
    "SegmentProdV2": (IDS, [X[0], np.ones(3), X[1], np.ones(3)]),
    "SegmentSumV2": (IDS, [X[0], np.zeros(3), X[1], np.zeros(3)]),
    "TopK": ({"input": X, "k": 2}, ([[4, 2], [5, 3]], [[2, 0], [2, 1]])),
}
TYPES = {"float32", "float64", "int32", "int64", "uint8", "bool", "string", "complex64"}


def decoded(value):
    """An argument or a result as it was."""
    if isinstance(value, list) and value and isinstance(value[0], (dict, list)):
        return [decoded(part) for part in value]
    if not isinstance(value, dict):
        return tf.as_dtype(value) if isinstance(value, str) and value in TYPES else value
    if "variable" in value:
        return tf.Variable(decoded(value["variable"]))
    if "bytes" in value:
        return value["bytes"].encode("latin1")
    if "text" in value:
        return np.array(value["text"], object)
    if "complex" in value:
        real, imaginary = (np.array(part, "float64") for part in value["complex"])
        return (real + 1j * imaginary).astype(value["type"])
    return np.array(value["array"], value["type"]).reshape(value["shape"])


def agree(result, expected):
    if isinstance(expected, list):
        assert len(result) == len(expected)
        for one, other in zip(result, expected, strict=True):
            agree(one, other)
    elif expected is None or isinstance(expected, (int, float)):
        assert result == expected
    elif isinstance(expected, bytes):
        assert result.numpy() == expected
    elif expected.dtype == object:
        assert np.char.decode(np.asarray(result).astype("S"), "latin1").tolist() == expected.astype("U").tolist()
    else:
        assert np.asarray(result).dtype == expected.dtype
        np.testing.assert_allclose(np.asarray(result), expected, rtol=1e-3, atol=1e-5)


@pytest.mark.parametrize("name", sorted(SAMPLES))
def test_a_kernel_gives_what_tensorflow_gives(name):
    arguments, expected = SAMPLES[name]
    given = {key: decoded(value) for key, value in arguments.items()}
    result = getattr(tf.raw_ops, name)(**given)
    changed = [value for value in given.values() if isinstance(value, tf.Variable)]
    agree(changed or result, decoded(expected))


@pytest.mark.parametrize("name", sorted(WITHOUT_A_KERNEL))
def test_a_kernel_that_tensorflow_only_names_gives_what_numpy_gives(name):
    arguments, expected = WITHOUT_A_KERNEL[name]
    result = getattr(tf.raw_ops, name)(**arguments)
    for one, other in zip(result, expected, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-5, atol=1e-6)


def test_every_row_has_a_sample_and_a_name():
    elsewhere = {row.split()[0] for row in more_rows.ROWS.splitlines()}  # test_raw_calls.py
    assert set(rows()) - elsewhere - set(SAMPLES) - set(WITHOUT_A_KERNEL) <= {
        *OF_FILES,
        "ReadFile",
        "Timestamp",
        "WriteFile",
    }
    assert set(rows()) <= set(dir(tf.raw_ops))


def test_arguments_are_given_by_name():
    with pytest.raises(TypeError, match=r"AddN only takes keyword args \(possible keys: \['inputs', 'name'\]\)"):
        tf.raw_ops.AddN([1, 2])
    for kernel, arguments in (
        ("Relu", 1),
        ("SigmoidGrad", 2),
        ("Bucketize", 2),
        ("PreventGradient", 1),
        ("DecodeBase64", 1),
    ):
        with pytest.raises(TypeError, match=f"{kernel} only takes keyword args"):
            getattr(tf.raw_ops, kernel)(*[[1.0]] * arguments)
    with pytest.raises(
        TypeError, match=r"missing a required.*'axis'.*Its arguments are \['input', 'axis', 'keep_dims'\]"
    ):
        tf.raw_ops.Sum(input=[1.0])
    with pytest.raises(TypeError, match="unexpected keyword argument 'z'"):
        tf.raw_ops.AddN(inputs=[1], z=1)


def test_a_kernel_that_is_not_there_is_said_so():
    for name, instead in (
        ("Lu", "tf.linalg.lu"),
        ("MapDataset", "tf.data.Dataset and its methods"),
        ("LookupTableFindV2", "the tables of tf.lookup"),
        ("TensorListStack", "tf.TensorArray"),
        ("StatelessWhile", "tf.while_loop"),
        ("LoadTPUEmbeddingADAMParameters", "a Strategy of tf.distribute"),
    ):
        if name not in dir(tf.raw_ops):
            with pytest.raises(AttributeError, match=f"has no attribute '{name}'.*Use {instead}"):
                getattr(tf.raw_ops, name)
    with pytest.raises(AttributeError, match="this kernel is not there"):
        tf.raw_ops.Nothing  # noqa: B018


def test_kernels_are_differentiated_and_traced():
    x = tf.Variable([[1.0, 2.0], [3.0, 4.0]])
    with tf.GradientTape() as tape:
        total = tf.function(lambda: tf.raw_ops.Sum(input=tf.raw_ops.MatMul(a=x, b=x), axis=[0, 1]))()
    assert tape.gradient(total, x).numpy().tolist() == [[7.0, 11.0], [9.0, 13.0]]


def test_seeds_of_zero_give_other_numbers_with_each_call():
    first, second = (tf.raw_ops.RandomStandardNormal(shape=[8], dtype=tf.float32) for _ in range(2))
    assert first.numpy().tolist() != second.numpy().tolist()


def test_a_step_of_an_optimizer_runs_in_a_function():
    weights, slot = tf.Variable([1.0, 2.0]), tf.Variable([0.0, 0.0])

    @tf.function
    def step(grad):
        tf.raw_ops.ResourceApplyMomentum(var=weights.handle, accum=slot.handle, lr=0.5, grad=grad, momentum=0.5)

    step(tf.constant([1.0, 2.0]))
    step(tf.constant([1.0, 2.0]))
    assert weights.numpy().tolist() == [-0.25, -0.5]
    assert slot.numpy().tolist() == [1.5, 3.0]


def test_pictures_become_files_and_back():
    picture = tf.fill([4, 6, 3], tf.constant(120, tf.uint8))
    png = tf.raw_ops.EncodePng(image=picture)
    jpeg = tf.raw_ops.EncodeJpegVariableQuality(images=picture, quality=90)
    assert tf.reduce_all(tf.io.decode_png(png) == picture)
    assert tf.raw_ops.DecodeJpeg(contents=jpeg).shape == (4, 6, 3)
    assert tf.raw_ops.DecodeAndCropJpeg(contents=jpeg, crop_window=[1, 1, 2, 3]).shape == (2, 3, 3)


def test_a_value_of_a_checkpoint_is_read_by_its_name(tmp_path):
    path = tf.train.Checkpoint(v=tf.Variable([1.0, 2.0])).write(str(tmp_path / "c"))
    (name,) = (name for name, _ in tf.train.list_variables(path) if name.startswith("v/"))
    (value,) = tf.raw_ops.RestoreV2(prefix=path, tensor_names=[name], shape_and_slices=[""], dtypes=[tf.float32])
    assert value.numpy().tolist() == [1.0, 2.0]


def test_parts_of_variables_are_changed_by_their_handles():
    v = tf.Variable([1.0, 2.0, 3.0])
    tf.raw_ops.ResourceScatterNdMax(ref=v.handle, indices=[[0], [2]], updates=[5.0, 1.0])
    tf.raw_ops.ResourceScatterNdMin(ref=v.handle, indices=[[1]], updates=[-1.0])
    tf.raw_ops.ResourceStridedSliceAssign(ref=v.handle, begin=[2], end=[3], strides=[1], value=[7.0])
    assert v.numpy().tolist() == [5.0, -1.0, 7.0]
    assert tf.raw_ops.VarIsInitializedOp(resource=v.handle)


def test_a_gradient_may_be_prevented():
    x = tf.Variable(1.0)
    with tf.GradientTape() as tape:
        y = tf.raw_ops.PreventGradient(input=x * 2.0, message="why")
    assert y.numpy() == 2.0
    with pytest.raises(LookupError, match=r"Gradient explicitly disabled\. Reason: 'why'"):
        tape.gradient(y, x)


# --- places ------------------------------------------------------------------------------------------------------------


def test_unique_slices_stand_in_the_order_of_their_first_appearance():
    rows = [[2, 0], [1, 0], [2, 0]]
    y, idx, count = tf.raw_ops.UniqueWithCountsV2(x=rows, axis=[0])
    assert (y.numpy().tolist(), idx.numpy().tolist(), count.numpy().tolist()) == ([[2, 0], [1, 0]], [0, 1, 0], [2, 1])
    found = tf.raw_ops.UniqueV2(x=rows, axis=tf.constant([1], tf.int64), out_idx=tf.int64)
    assert (found.y.shape, found.idx.dtype) == ((3, 2), tf.int64)
    assert tf.raw_ops.UniqueV2(x=["b", "a", "b"], axis=[]).y.numpy().tolist() == [b"b", b"a"]
    assert tf.raw_ops.UniqueWithCountsV2(x=[np.nan, 1.0, np.nan], axis=[]).count.numpy().tolist() == [1, 1, 1]
    assert tf.function(lambda x: tf.raw_ops.UniqueV2(x=x, axis=[0]).idx)(tf.constant(rows)).numpy().tolist() == [
        0,
        1,
        0,
    ]
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.raw_ops.UniqueV2(x=rows, axis=[2])


def test_offsets_of_parts():
    starts = tf.raw_ops.ConcatOffset(concat_dim=1, shape=[[2, 3], [2, 4], [2, 5]])
    assert [start.numpy().tolist() for start in starts] == [[0, 0], [0, 3], [0, 7]]
    with pytest.raises(tf.errors.InvalidArgumentError, match="differ along axis"):
        tf.raw_ops.ConcatOffset(concat_dim=1, shape=[[2, 3], [3, 4]])


def test_a_slice_is_replaced_and_its_gradient_goes_to_the_value():
    x, value = tf.Variable([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]), tf.Variable([9.0, 8.0])
    with tf.GradientTape() as tape:
        y = tf.raw_ops.TensorStridedSliceUpdate(input=x, begin=[0, 1], end=[2, 3], strides=[1, 1], value=value)
    assert y.numpy().tolist() == [[1.0, 9.0, 8.0], [4.0, 9.0, 8.0]]
    of_x, of_value = tape.gradient(y, [x, value])
    assert of_x.numpy().tolist() == [[1.0, 0.0, 0.0], [1.0, 0.0, 0.0]]
    assert of_value.numpy().tolist() == [2.0, 2.0]
    given = {"begin": [0, 1], "end": [2, 2], "strides": [1, 1], "shrink_axis_mask": 2}
    grad = tf.raw_ops.StridedSliceGrad(shape=[2, 3], dy=[9, 8], **given)
    assert grad.numpy().tolist() == [[0, 9, 0], [0, 8, 0]]


def test_truth_values_are_added_by_or():
    added = tf.raw_ops.ScatterNdNonAliasingAdd(input=[True, False, False], indices=[[1], [1]], updates=[True, True])
    assert added.numpy().tolist() == [True, True, False]
    assert tf.raw_ops.ScatterNdNonAliasingAdd(input=[1, 2], indices=[[1]], updates=[5]).numpy().tolist() == [1, 7]
    nothing = tf.zeros([0], tf.int32)
    assert tf.tensor_scatter_nd_add(nothing, nothing, nothing).shape == (0,)


def test_files_and_the_time(tmp_path):
    path = str(tmp_path / "a.txt")
    tf.raw_ops.WriteFile(filename=path, contents="some text")
    assert tf.raw_ops.ReadFile(filename=path).numpy() == b"some text"
    assert tf.raw_ops.Timestamp() > 1e9


def test_variables_are_read_and_changed_by_their_handles():
    v = tf.Variable([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    raw = tf.raw_ops
    np.testing.assert_array_equal(raw.ReadVariableOp(resource=v.handle, dtype=tf.float32), v)
    np.testing.assert_array_equal(raw.VariableShape(input=v.handle), [3, 2])
    np.testing.assert_array_equal(raw.ResourceGather(resource=v.handle, indices=[2], dtype=tf.float32), [[5, 6]])
    np.testing.assert_array_equal(raw.ResourceGatherNd(resource=v.handle, indices=[[0, 1]], dtype=tf.float32), [2])
    for kernel, update, expected in (
        ("Add", 1.0, [[1, 2], [4, 5], [5, 6]]),
        ("Sub", 1.0, [[1, 2], [3, 4], [5, 6]]),
        ("Mul", 2.0, [[1, 2], [6, 8], [5, 6]]),
        ("Div", 2.0, [[1, 2], [3, 4], [5, 6]]),
        ("Max", 3.5, [[1, 2], [3.5, 4], [5, 6]]),
        ("Min", 3.5, [[1, 2], [3.5, 3.5], [5, 6]]),
        ("Update", 7.0, [[1, 2], [7, 7], [5, 6]]),
    ):
        getattr(raw, f"ResourceScatter{kernel}")(resource=v.handle, indices=[1], updates=[[update, update]])
        np.testing.assert_array_equal(v, expected)
    raw.ResourceScatterNdAdd(ref=v.handle, indices=[[0, 0]], updates=[10.0])
    raw.ResourceScatterNdSub(ref=v.handle, indices=[[0, 0]], updates=[1.0])
    raw.ResourceScatterNdUpdate(ref=v.handle, indices=[[2, 1]], updates=[0.0])
    np.testing.assert_array_equal(v, [[10, 2], [7, 7], [5, 0]])
    raw.AssignVariableOp(resource=v.handle, value=tf.ones([3, 2]))
    raw.AssignAddVariableOp(resource=v.handle, value=tf.ones([3, 2]))
    tf.function(lambda: raw.AssignSubVariableOp(resource=v.handle, value=tf.fill([3, 2], 3.0)))()
    np.testing.assert_array_equal(v, np.full([3, 2], -1))
    with pytest.raises(TypeError, match=r"A tf\.Variable or its handle"):
        raw.AssignVariableOp(resource=1.0, value=2.0)


def test_kernels_of_derivatives_have_derivatives_and_run_in_functions():
    x, upstream = tf.random.stateless_normal([1, 4, 4, 1], [1, 2]), tf.ones([1, 2, 2, 1])

    def pulled(x, upstream):
        settings = {"ksize": [1, 2, 2, 1], "strides": [1, 2, 2, 1], "padding": "SAME"}
        return tf.raw_ops.MaxPoolGrad(
            orig_input=x, orig_output=tf.nn.max_pool2d(x, 2, 2, "SAME"), grad=upstream, **settings
        )

    np.testing.assert_array_equal(tf.function(pulled)(x, upstream), pulled(x, upstream))
    with tf.GradientTape() as tape:
        tape.watch(upstream)
        total = tf.reduce_sum(pulled(x, upstream) * x)
    np.testing.assert_allclose(tape.gradient(total, upstream), tf.nn.max_pool2d(x, 2, 2, "SAME"))
