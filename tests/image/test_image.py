"""`tf.image`: derivatives by differences (also where TensorFlow has none), facts, and what is refused."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import gradtape as tf

I = tf.image  # noqa: E741
RNG = np.random.default_rng(0)


def picture(*shape: int, dtype: Any = np.float64) -> Any:
    """Pixels away from ties, so that differences stay on one side of every kink."""
    pixels = RNG.uniform(0.0, 0.15, shape)
    return tf.constant((pixels + 0.1 + 0.3 * (np.arange(pixels.size).reshape(shape) % 3)).astype(dtype))


# --- derivatives --------------------------------------------------------------------------------------------

METHODS = ("nearest", "bilinear", "bicubic", "area", "lanczos3", "lanczos5", "gaussian", "mitchellcubic")

# In float64 throughout: these keep the type.
EXACT: dict[str, tuple[Callable[..., Any], list[Any]]] = {
    "adjust_brightness": (I.adjust_brightness, [picture(2, 2, 1), tf.constant(0.1, tf.float64)]),
    "adjust_contrast": (I.adjust_contrast, [picture(2, 2, 3, 2), tf.constant(1.7, tf.float64)]),
    "adjust_gamma": (lambda x, a, b: I.adjust_gamma(x, a, b), [picture(2, 2, 1), *picture(2)]),
    "adjust_hue": (I.adjust_hue, [picture(2, 2, 3), tf.constant(0.13, tf.float64)]),
    "adjust_hue far": (I.adjust_hue, [picture(2, 2, 3), tf.constant(-0.81, tf.float64)]),
    "adjust_saturation": (I.adjust_saturation, [picture(2, 2, 3), tf.constant(0.6, tf.float64)]),
    "adjust_saturation full": (lambda x: I.adjust_saturation(x, 5.0), [picture(2, 2, 3)]),
    "rgb_to_grayscale": (I.rgb_to_grayscale, [picture(2, 2, 3)]),
    "grayscale_to_rgb": (I.grayscale_to_rgb, [picture(2, 2, 1)]),
    "rgb_to_yuv": (I.rgb_to_yuv, [picture(2, 2, 3)]),
    "flip_left_right": (I.flip_left_right, [picture(2, 3, 1)]),
    "rot90": (I.rot90, [picture(1, 2, 3, 1)]),
    "central_crop": (lambda x: I.central_crop(x, 0.5), [picture(4, 4, 1)]),
    "resize_with_crop_or_pad": (lambda x: I.resize_with_crop_or_pad(x, 2, 5), [picture(3, 3, 1)]),
    "resize nearest": (lambda x: I.resize(x, [2, 5], "nearest"), [picture(3, 3, 1)]),
    "image_gradients": (lambda x: tf.stack(I.image_gradients(x)), [picture(1, 2, 3, 1)]),
    "sobel_edges": (I.sobel_edges, [picture(1, 2, 3, 1)]),
    "total_variation": (I.total_variation, [picture(2, 2, 3)]),
    "extract_patches": (
        lambda x: I.extract_patches(x, [1, 2, 2, 1], [1, 1, 2, 1], [1, 1, 1, 1], "SAME"),
        [picture(1, 3, 3, 2)],
    ),
}


@pytest.mark.parametrize("name", EXACT)
def test_gradients_by_differences(name: str) -> None:
    f, operands = EXACT[name]
    for exact, numeric in zip(*tf.test.compute_gradient(f, operands, 1e-5), strict=True):
        np.testing.assert_allclose(exact, numeric, atol=2e-6)


# These give float32 whatever the type, as TensorFlow's: differences are coarser.
SINGLE: dict[str, tuple[Callable[..., Any], list[Any]]] = {
    **{
        f"resize {m}": (
            lambda x, m=m: I.resize(x, [4, 3], m, antialias=True),
            [picture(3, 5, 1, dtype=np.float32)],
        )
        for m in METHODS
    },
    "resize_with_pad": (lambda x: I.resize_with_pad(x, 4, 4), [picture(3, 5, 1, dtype=np.float32)]),
    "per_image_standardization": (I.per_image_standardization, [picture(2, 2, 2, dtype=np.float32)]),
    "psnr": (
        lambda x, y: I.psnr(x, y, 1.0),
        [picture(2, 3, 1, dtype=np.float32), picture(2, 3, 1, dtype=np.float32) + 0.3],
    ),
    "ssim": (
        lambda x, y: I.ssim(x, y, 1.0, 3),
        [picture(3, 4, 2, dtype=np.float32), picture(3, 4, 2, dtype=np.float32) * 0.9],
    ),
    "crop_and_resize": (
        lambda x, b: I.crop_and_resize(x, b, [1, 0], [2, 2]),
        [
            picture(2, 4, 5, 1, dtype=np.float32),
            tf.constant([[0.11, 0.21, 0.84, 0.95], [0.87, 0.81, 0.13, 0.07]]),
        ],
    ),
}


@pytest.mark.parametrize("name", SINGLE)
def test_gradients_by_differences_in_single_precision(name: str) -> None:
    f, operands = SINGLE[name]
    for exact, numeric in zip(*tf.test.compute_gradient(f, operands, 1e-2), strict=True):
        np.testing.assert_allclose(exact, numeric, rtol=5e-2, atol=5e-3)


@pytest.mark.parametrize(
    "name", ["adjust_hue", "adjust_contrast", "adjust_saturation full", "sobel_edges", "extract_patches"]
)
def test_forward_mode_and_vectorization_agree(name: str) -> None:
    f, (x, *rest) = EXACT[name]
    direction = picture(*x.shape)
    with tf.GradientTape() as tape, tf.autodiff.ForwardAccumulator(x, direction) as accumulator:
        tape.watch(x)
        total = tf.reduce_sum(f(x, *rest) ** 2)
    gradient = tape.gradient(total, x)
    np.testing.assert_allclose(tf.reduce_sum(gradient * direction), accumulator.jvp(total), rtol=1e-9)
    many = tf.stack([x, 0.9 * x, 0.5 * x])
    np.testing.assert_allclose(
        tf.vectorized_map(lambda v: f(v, *rest), many), tf.stack([f(m, *rest) for m in many]), atol=1e-12
    )


@pytest.mark.parametrize("name", SINGLE)
def test_vectorized_is_looped(name: str) -> None:
    f, (x, *rest) = SINGLE[name]
    many = tf.stack([x, 0.9 * x, 0.5 * x])
    np.testing.assert_allclose(
        tf.vectorized_map(lambda v: f(v, *rest), many),
        tf.stack([f(m, *rest) for m in many]),
        rtol=1e-4,
        atol=1e-5,
    )


def test_boxes_may_be_a_batch() -> None:
    f, (x, boxes) = SINGLE["crop_and_resize"]
    many = tf.stack([boxes, 0.9 * boxes])
    np.testing.assert_allclose(tf.vectorized_map(lambda b: f(x, b), many), tf.stack([f(x, b) for b in many]), atol=1e-6)


def test_the_second_derivative_of_hue_is_that_of_a_curve() -> None:
    x, delta = picture(1, 1, 3), tf.constant(0.13, tf.float64)
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as tape:
            tape.watch(delta)
            y = I.adjust_hue(x, delta)
        slope = tape.gradient(y, delta)
    # The channel that moves does so at six times the distance of the largest channel from the smallest.
    with tf.GradientTape() as direct:
        direct.watch(x)
        spread = tf.reduce_max(x) - tf.reduce_min(x)
    expected = 6.0 * np.sign(slope.numpy()) * direct.gradient(spread, x)
    np.testing.assert_allclose(outer.gradient(slope, x), expected, atol=1e-12)


def test_equal_channels_share_the_derivative() -> None:
    grey = tf.fill([1, 1, 3], 0.5)
    for adjust in (lambda x: I.adjust_hue(x, 0.3), lambda x: I.adjust_saturation(x, 0.0)):
        with tf.GradientTape() as tape:
            tape.watch(grey)
            y = adjust(grey)
        np.testing.assert_allclose(tape.gradient(y, grey), np.ones((1, 1, 3)), atol=1e-6)


def test_an_image_of_one_colour_has_finite_derivatives() -> None:
    flat = tf.fill([2, 2, 3], 0.5)
    for f in (
        I.per_image_standardization,
        lambda x: I.adjust_contrast(x, 2.0),
        I.rgb_to_hsv,
        lambda x: I.adjust_hue(x, 0.2),
    ):
        with tf.GradientTape() as tape:
            tape.watch(flat)
            y = f(flat)
        assert np.isfinite(tape.gradient(y, flat).numpy()).all()


# --- facts --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("antialias", [False, True])
def test_resizing_keeps_a_flat_image_flat(method: str, antialias: bool) -> None:
    for size in ([1, 1], [3, 9], [20, 2], [5, 7]):
        np.testing.assert_allclose(
            I.resize(tf.ones([2, 5, 7, 3]), size, method, antialias=antialias),
            np.ones((2, *size, 3)),
            rtol=1e-5,
        )


@pytest.mark.parametrize("method", ["nearest", "bilinear", "bicubic", "area"])
def test_resizing_to_the_same_size_changes_nothing(method: str) -> None:
    x = picture(5, 7, 2, dtype=np.float32)
    np.testing.assert_array_equal(I.resize(x, [5, 7], method), x)


def test_resizing_a_large_image_is_the_same_with_few_weights_and_with_many() -> None:
    x = picture(2, 300, 5, 3, dtype=np.float32)
    small = tf.stack([I.resize(x[:, :, k : k + 1], [70, 1]) for k in range(5)], axis=2)[:, :, :, 0]
    np.testing.assert_allclose(I.resize(x, [70, 5]), small, rtol=1e-5)


def test_types_of_resized_images() -> None:
    for dtype in (tf.uint8, tf.int32, tf.float16, tf.bfloat16, tf.float64):
        x = tf.ones([2, 2, 1], dtype)
        assert I.resize(x, [3, 3]).dtype is tf.float32
        assert I.resize(x, [3, 3], "nearest").dtype is dtype
        assert I.resize(x, [3, 3], I.ResizeMethod.LANCZOS3).dtype is tf.float32


def test_the_gradient_comes_back_in_the_type_of_the_image() -> None:
    for dtype in (tf.float16, tf.bfloat16, tf.float64):
        x = tf.ones([2, 2, 3], dtype)
        for f in (
            lambda x: I.resize(x, [3, 3]),
            lambda x: I.adjust_hue(x, 0.1),
            I.rgb_to_grayscale,
            lambda x: I.psnr(x, 0 * x, 1.0),
        ):
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = f(x)
            assert tape.gradient(y, x).dtype is dtype


def test_moving_there_and_back() -> None:
    x = picture(2, 3, 4, 2)
    for f in (I.flip_left_right, I.flip_up_down, I.transpose):
        np.testing.assert_array_equal(f(f(x)), x)
    np.testing.assert_array_equal(I.rot90(I.rot90(x, 3)), x)
    np.testing.assert_array_equal(I.rot90(x, 2), np.rot90(x, 2, (1, 2)))
    np.testing.assert_array_equal(I.crop_to_bounding_box(I.pad_to_bounding_box(x, 2, 1, 9, 8), 2, 1, 3, 4), x)


def test_colours_there_and_back() -> None:
    x = picture(4, 4, 3)
    np.testing.assert_allclose(I.hsv_to_rgb(I.rgb_to_hsv(x)), x, atol=1e-12)
    np.testing.assert_allclose(I.yiq_to_rgb(I.rgb_to_yiq(x)), x, atol=1e-4)
    np.testing.assert_allclose(I.yuv_to_rgb(I.rgb_to_yuv(x)), x, atol=1e-4)
    np.testing.assert_allclose(I.adjust_hue(I.adjust_hue(x, 0.3), -0.3), x, atol=1e-12)
    np.testing.assert_allclose(I.adjust_hue(x, 1.0), x, atol=1e-12)
    np.testing.assert_allclose(I.adjust_saturation(x, 1.0), x, atol=1e-12)


def test_integer_images_are_adjusted_in_the_scale_of_one() -> None:
    x = tf.constant([[[10], [250]]], tf.uint8)
    assert I.adjust_brightness(x, 0.1).numpy().ravel().tolist() == [35, 255]
    assert I.adjust_contrast(x, 2.0).numpy().ravel().tolist() == [0, 255]
    assert I.adjust_gamma(x, 2).numpy().ravel().tolist() == [0, 245]
    assert I.rgb_to_grayscale(tf.constant([[[10, 20, 30]]], tf.uint8)).numpy().item() == 18
    assert I.adjust_hue(tf.constant([[[10, 20, 30], [250, 3, 4]]], tf.uint8), 0.3).numpy().tolist() == [
        [[30, 10, 24], [53, 250, 3]]
    ]


def test_an_image_is_like_itself() -> None:
    x = picture(2, 12, 13, 3, dtype=np.float32)
    np.testing.assert_allclose(I.ssim(x, x, 1.0), [1.0, 1.0], atol=1e-6)
    np.testing.assert_allclose(I.ssim_multiscale(x, x, 1.0, (0.5, 0.5), 3), [1.0, 1.0], atol=1e-6)
    assert np.isinf(I.psnr(x, x, 1.0).numpy()).all()
    assert I.ssim(tf.cast(x * 255, tf.uint8), tf.cast(x * 200, tf.uint8), 255).dtype is tf.float32


def test_random_changes_depend_on_their_seed_alone() -> None:
    x = picture(3, 6, 7, 3, dtype=np.float32)
    for f in (
        I.stateless_random_flip_left_right,
        I.stateless_random_flip_up_down,
        lambda x, seed: I.stateless_random_crop(x, [2, 4, 4, 3], seed),
        lambda x, seed: I.stateless_random_brightness(x, 0.5, seed),
        lambda x, seed: I.stateless_random_contrast(x, 0.5, 2.0, seed),
        lambda x, seed: I.stateless_random_hue(x, 0.5, seed),
        lambda x, seed: I.stateless_random_saturation(x, 0.5, 2.0, seed),
    ):
        np.testing.assert_array_equal(f(x, seed=(1, 2)), f(x, seed=(1, 2)))
        assert any((f(x, seed=(1, 2)).numpy() != f(x, seed=(k, 5)).numpy()).any() for k in range(9))


def test_random_flips_are_even_and_each_image_is_flipped_for_itself() -> None:
    tf.random.set_seed(3)
    x = tf.tile(tf.reshape([0.0, 1.0], [1, 1, 2, 1]), [400, 1, 1, 1])
    flipped = I.random_flip_left_right(x).numpy()[:, 0, 0, 0]
    assert 150 < flipped.sum() < 250
    one = [float(I.random_flip_up_down(tf.constant([[[0.0]], [[1.0]]]))[0, 0, 0]) for _ in range(100)]
    assert 25 < sum(one) < 75


def test_random_crops_are_boxes_of_the_tensor() -> None:
    x = tf.reshape(tf.range(35), [5, 7])
    seen = set()
    for _ in range(60):
        part = I.random_crop(x, [2, 3]).numpy()
        top, left = divmod(int(part[0, 0]), 7)
        np.testing.assert_array_equal(part, x[top : top + 2, left : left + 3])
        seen.add((top, left))
    assert len(seen) > 8


# --- what is refused ----------------------------------------------------------------------------------------

Invalid = tf.errors.InvalidArgumentError
ONE = tf.ones([4, 4, 3])
PATCH = [1, 2, 2, 1]
UNIT = [1, 1, 1, 1]
WHOLE = [[0.0, 0.0, 1.0, 1.0]]
REFUSED: list[tuple[str, Callable[[], Any], Any]] = [
    ("resize to nothing", lambda: I.resize(ONE, [0, 3]), Invalid),
    ("resize to less than nothing", lambda: I.resize(ONE, [-1, 3], "nearest"), Invalid),
    ("resize to one size", lambda: I.resize(ONE, [3]), ValueError),
    ("resize to a number", lambda: I.resize(ONE, 3), ValueError),
    ("resize to floats", lambda: I.resize(ONE, [3.0, 3.0]), ValueError),
    ("resize to int64", lambda: I.resize(ONE, tf.constant([3, 3], tf.int64)), ValueError),
    ("resize a matrix", lambda: I.resize(tf.ones([2, 2]), [3, 3]), ValueError),
    ("resize no lines", lambda: I.resize(tf.ones([0, 2, 1]), [3, 3]), Invalid),
    ("resize no channels", lambda: I.resize(tf.ones([2, 2, 0]), [3, 3]), Invalid),
    ("resize truth values", lambda: I.resize(tf.constant([[[True]]]), [3, 3]), Invalid),
    ("resize in an unknown way", lambda: I.resize(ONE, [3, 3], "spline"), ValueError),
    (
        "resize to more than memory",
        lambda: I.resize(ONE, [2**30, 3]),
        (Invalid, tf.errors.ResourceExhaustedError),
    ),
    ("resize_with_pad to nothing", lambda: I.resize_with_pad(ONE, 0, 3), ValueError),
    ("resize_with_crop_or_pad to nothing", lambda: I.resize_with_crop_or_pad(ONE, 3, 0), ValueError),
    (
        "resize_with_crop_or_pad a matrix",
        lambda: I.resize_with_crop_or_pad(tf.ones([2, 2]), 3, 3),
        ValueError,
    ),
    ("crop before the image", lambda: I.crop_to_bounding_box(ONE, -1, 0, 2, 2), ValueError),
    ("crop beyond the image", lambda: I.crop_to_bounding_box(ONE, 3, 0, 2, 2), ValueError),
    ("crop nothing", lambda: I.crop_to_bounding_box(ONE, 0, 0, 0, 2), ValueError),
    ("pad before the image", lambda: I.pad_to_bounding_box(ONE, -1, 0, 9, 9), ValueError),
    ("pad to less", lambda: I.pad_to_bounding_box(ONE, 1, 0, 4, 9), ValueError),
    ("central_crop of nothing", lambda: I.central_crop(ONE, 0.0), ValueError),
    ("central_crop of more", lambda: I.central_crop(ONE, 1.1), ValueError),
    ("flip a matrix", lambda: I.flip_left_right(tf.ones([2, 2])), ValueError),
    ("flip five axes", lambda: I.flip_up_down(tf.ones([1, 1, 2, 2, 1])), ValueError),
    ("flip nothing", lambda: I.flip_left_right(tf.ones([0, 2, 1])), ValueError),
    ("rot90 by halves", lambda: I.rot90(ONE, 1.5), (TypeError, Invalid)),
    ("transpose a matrix", lambda: I.transpose(tf.ones([2, 2])), ValueError),
    ("contrast of a matrix", lambda: I.adjust_contrast(tf.ones([2, 2]), 2.0), Invalid),
    ("contrast by a vector", lambda: I.adjust_contrast(ONE, [2.0, 1.0]), Invalid),
    ("gamma below zero", lambda: I.adjust_gamma(ONE, -1), ValueError),
    ("hue by two turns", lambda: I.adjust_hue(ONE, 2.0), ValueError),
    ("hue of four channels", lambda: I.adjust_hue(tf.ones([2, 2, 4]), 0.1), Invalid),
    ("hue of a matrix", lambda: I.adjust_hue(tf.ones([2, 3]), 0.1), Invalid),
    ("saturation of one channel", lambda: I.adjust_saturation(tf.ones([2, 2, 1]), 0.1), Invalid),
    ("convert truth values", lambda: I.convert_image_dtype([True], tf.uint8), AttributeError),
    ("convert to truth values", lambda: I.convert_image_dtype([1.0], tf.bool), AttributeError),
    ("grey of four channels", lambda: I.rgb_to_grayscale(tf.ones([2, 2, 4])), Invalid),
    ("colours of three channels", lambda: I.grayscale_to_rgb(ONE), ValueError),
    ("colours of a vector", lambda: I.grayscale_to_rgb(tf.ones([1])), ValueError),
    ("hsv of four channels", lambda: I.rgb_to_hsv(tf.ones([2, 4])), tf.errors.FailedPreconditionError),
    ("hsv of integers", lambda: I.rgb_to_hsv(tf.ones([2, 3], tf.int32)), Invalid),
    ("yiq of integers", lambda: I.rgb_to_yiq(tf.ones([2, 3], tf.int32)), TypeError),
    ("yuv of four channels", lambda: I.yuv_to_rgb(tf.ones([2, 4])), Invalid),
    ("standardize a matrix", lambda: I.per_image_standardization(tf.ones([2, 2])), ValueError),
    ("standardize nothing", lambda: I.per_image_standardization(tf.ones([0, 2, 2])), ValueError),
    ("gradients of one image", lambda: I.image_gradients(ONE), ValueError),
    ("edges of one image", lambda: I.sobel_edges(ONE), Invalid),
    ("edges of one line", lambda: I.sobel_edges(tf.ones([1, 1, 3, 1])), Invalid),
    ("variation of a matrix", lambda: I.total_variation(tf.ones([2, 2])), ValueError),
    ("psnr of two sizes", lambda: I.psnr(ONE, tf.ones([3, 4, 3]), 1.0), (ValueError, Invalid)),
    ("ssim of two types", lambda: I.ssim(ONE, tf.ones([4, 4, 3], tf.uint8), 1.0), Invalid),
    ("ssim of two batches", lambda: I.ssim(tf.ones([2, 4, 4, 3]), tf.ones([3, 4, 4, 3]), 1.0, 3), ValueError),
    ("ssim of small images", lambda: I.ssim(ONE, ONE, 1.0), Invalid),
    ("ssim with no filter", lambda: I.ssim(ONE, ONE, 1.0, 0), Invalid),
    ("ssim_multiscale of small images", lambda: I.ssim_multiscale(ONE, ONE, 1.0, filter_size=3), Invalid),
    ("ssim_multiscale of no scale", lambda: I.ssim_multiscale(ONE, ONE, 1.0, (), 3), Invalid),
    ("patches of one image", lambda: I.extract_patches(ONE, PATCH, UNIT, UNIT, "SAME"), Invalid),
    (
        "patches over images",
        lambda: I.extract_patches(ONE[None], [2, 2, 2, 1], UNIT, UNIT, "SAME"),
        tf.errors.UnimplementedError,
    ),
    (
        "patches without steps",
        lambda: I.extract_patches(ONE[None], PATCH, [1, 0, 1, 1], UNIT, "SAME"),
        tf.errors.OutOfRangeError,
    ),
    ("patches of three sizes", lambda: I.extract_patches(ONE[None], [1, 2, 2], UNIT, UNIT, "SAME"), Invalid),
    (
        "patches larger than the image",
        lambda: I.extract_patches(ONE[None], [1, 7, 7, 1], UNIT, UNIT, "VALID"),
        Invalid,
    ),
    (
        "patches with padding of a kind",
        lambda: I.extract_patches(ONE[None], PATCH, UNIT, UNIT, "FULL"),
        Invalid,
    ),
    ("boxes of one image", lambda: I.crop_and_resize(ONE, WHOLE, [0], [2, 2]), Invalid),
    ("boxes of three numbers", lambda: I.crop_and_resize(ONE[None], [[0.0, 0.0, 1.0]], [0], [2, 2]), Invalid),
    (
        "boxes that are not finite",
        lambda: I.crop_and_resize(ONE[None], [[0.0, 0.0, 1.0, np.nan]], [0], [2, 2]),
        Invalid,
    ),
    (
        "boxes in double precision",
        lambda: I.crop_and_resize(ONE[None], tf.constant(WHOLE, tf.float64), [0], [2, 2]),
        ValueError,
    ),
    (
        "boxes of no image",
        lambda: I.crop_and_resize(ONE[None], WHOLE, [1], [2, 2]),
        tf.errors.OutOfRangeError,
    ),
    (
        "boxes of an image before the first",
        lambda: I.crop_and_resize(ONE[None], WHOLE, [-1], [2, 2]),
        tf.errors.OutOfRangeError,
    ),
    (
        "boxes and indices of two numbers",
        lambda: I.crop_and_resize(ONE[None], WHOLE, [0, 0], [2, 2]),
        Invalid,
    ),
    ("boxes to nothing", lambda: I.crop_and_resize(ONE[None], WHOLE, [0], [0, 2]), Invalid),
    ("boxes to one size", lambda: I.crop_and_resize(ONE[None], WHOLE, [0], [2]), Invalid),
    ("boxes in an unknown way", lambda: I.crop_and_resize(ONE[None], WHOLE, [0], [2, 2], "cubic"), Invalid),
    ("random_crop of more", lambda: I.random_crop(ONE, [5, 4, 3]), Invalid),
    ("random_crop of fewer axes", lambda: I.random_crop(ONE, [2, 2]), Invalid),
    ("random_brightness below zero", lambda: I.random_brightness(ONE, -0.1), ValueError),
    ("random_contrast upside down", lambda: I.random_contrast(ONE, 0.5, 0.4), ValueError),
    ("random_contrast below zero", lambda: I.random_contrast(ONE, -0.5, 0.4), ValueError),
    ("random_hue by more than half", lambda: I.random_hue(ONE, 0.6), ValueError),
    ("random_saturation upside down", lambda: I.random_saturation(ONE, 0.5, 0.5), ValueError),
    ("random_flip of five axes", lambda: I.random_flip_left_right(tf.ones([1, 1, 2, 2, 1])), ValueError),
]


@pytest.mark.parametrize(("call", "error"), [pytest.param(call, error, id=name) for name, call, error in REFUSED])
def test_refused(call: Callable[[], Any], error: Any) -> None:
    with pytest.raises(error):
        call()


@pytest.mark.parametrize("bad", [np.nan, np.inf])
@pytest.mark.parametrize("method", ["bilinear", "bicubic", "area", "nearest", "gaussian", "mitchellcubic"])
@pytest.mark.parametrize("channels", [1, 20])
def test_one_bad_pixel_does_not_spoil_a_resized_picture(method, bad, channels):
    picture = np.ones((1, 8, 8, channels), np.float32)
    picture[0, 7, 7, 0] = bad
    for size in (4, 16):
        small = tf.image.resize(picture, [size, size], method).numpy()
        assert np.isfinite(small[0, : size // 4]).all()
        assert not np.isfinite(small[0, -1, -1, 0])
        assert np.isfinite(small[..., 1:]).all()
