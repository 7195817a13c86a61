"""Every function of `tf.image` on numbers that TensorFlow 2.21 was run on: values and gradients.

The operands are sines between 0 and 1 (`picture`), so that a test file can write down what they give.
Random functions draw TensorFlow's own numbers.
"""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import Any

import numpy as np
import pytest

import gradtape as tf

from .tensorflow_values import OBSERVED


def picture(*shape: int, k: float = 1.0) -> Any:
    return tf.constant((0.5 + 0.45 * np.sin(k * np.arange(prod(shape)))).reshape(shape).astype(np.float32))


I = tf.image  # noqa: E741
CORNERS = tf.constant(
    np.array([[[0, 0, 0], [1, 1, 1], [1, 0, 0], [0, 1, 1], [0.5, 0.5, 0.2], [0.2, 0.5, 0.5]]], np.float32)
)
BOXES = tf.constant(np.array([[0.1, 0.2, 0.83, 0.91], [-0.3, 0.2, 0.6, 1.4], [0.9, 0.8, 0.13, 0.07]], np.float32))
Cases = dict[str, tuple[Callable[..., Any], list[Any]]]

CASES: Cases = {}
for method in ("nearest", "bilinear", "bicubic", "area", "lanczos3", "lanczos5", "gaussian", "mitchellcubic"):
    CASES[f"resize {method} larger"] = (lambda x, m=method: I.resize(x, [4, 7], m), [picture(3, 4, 1)])
    CASES[f"resize {method} smaller"] = (lambda x, m=method: I.resize(x, [2, 5], m), [picture(5, 7, 1)])
    CASES[f"resize {method} antialias"] = (
        lambda x, m=method: I.resize(x, [2, 3], m, antialias=True),
        [picture(7, 8, 1)],
    )
CASES |= {
    "resize preserve_aspect_ratio": (
        lambda x: I.resize(x, [4, 4], preserve_aspect_ratio=True),
        [picture(3, 5, 1)],
    ),
    "resize batch": (lambda x: I.resize(x, [2, 2]), [picture(2, 3, 3, 2)]),
    "resize_with_pad": (lambda x: I.resize_with_pad(x, 4, 4), [picture(3, 5, 1)]),
    "resize_with_crop_or_pad": (lambda x: I.resize_with_crop_or_pad(x, 4, 4), [picture(3, 5, 1)]),
    "central_crop": (lambda x: I.central_crop(x, 0.4), [picture(5, 6, 1)]),
    "crop_to_bounding_box": (lambda x: I.crop_to_bounding_box(x, 1, 2, 2, 3), [picture(4, 5, 1)]),
    "pad_to_bounding_box": (lambda x: I.pad_to_bounding_box(x, 1, 2, 4, 5), [picture(2, 2, 1)]),
    "flip_left_right": (I.flip_left_right, [picture(2, 3, 2)]),
    "flip_up_down": (I.flip_up_down, [picture(2, 2, 3, 1)]),
    "transpose": (I.transpose, [picture(2, 3, 2)]),
    "rot90 1": (I.rot90, [picture(2, 3, 2)]),
    "rot90 2": (lambda x: I.rot90(x, 2), [picture(2, 2, 3, 1)]),
    "rot90 -1": (lambda x: I.rot90(x, -1), [picture(2, 3, 2)]),
    "adjust_brightness": (I.adjust_brightness, [picture(2, 2, 1), tf.constant(0.3)]),
    "adjust_contrast": (lambda x: I.adjust_contrast(x, 2.5), [picture(2, 3, 2)]),
    "adjust_gamma": (lambda x: I.adjust_gamma(x, 2.2, 1.5), [picture(2, 2, 1)]),
    "adjust_hue": (lambda x: I.adjust_hue(x, 0.4), [picture(2, 3, 3)]),
    "adjust_hue back": (lambda x: I.adjust_hue(x, -0.9), [picture(2, 3, 3)]),
    "adjust_hue corners": (lambda x: I.adjust_hue(x, 0.2), [CORNERS]),
    "adjust_saturation": (lambda x: I.adjust_saturation(x, 0.4), [picture(2, 3, 3)]),
    "adjust_saturation full": (lambda x: I.adjust_saturation(x, 3.0), [picture(2, 3, 3)]),
    "adjust_saturation corners": (lambda x: I.adjust_saturation(x, 0.7), [CORNERS]),
    "adjust_saturation negative": (lambda x: I.adjust_saturation(x - 0.5, 0.7), [picture(2, 3, 3)]),
    "rgb_to_grayscale": (I.rgb_to_grayscale, [picture(2, 2, 3)]),
    "grayscale_to_rgb": (I.grayscale_to_rgb, [picture(2, 2, 1)]),
    "rgb_to_hsv": (I.rgb_to_hsv, [picture(2, 3, 3)]),
    "rgb_to_hsv ties": (lambda x: I.rgb_to_hsv(0.1 + x), [CORNERS]),
    "hsv_to_rgb": (I.hsv_to_rgb, [picture(2, 3, 3)]),
    "rgb_to_yiq": (I.rgb_to_yiq, [picture(2, 2, 3)]),
    "yiq_to_rgb": (I.yiq_to_rgb, [picture(2, 2, 3)]),
    "rgb_to_yuv": (I.rgb_to_yuv, [picture(2, 2, 3)]),
    "yuv_to_rgb": (I.yuv_to_rgb, [picture(2, 2, 3)]),
    "per_image_standardization": (I.per_image_standardization, [picture(2, 2, 2, 1)]),
    "image_gradients down": (lambda x: I.image_gradients(x)[0], [picture(1, 3, 3, 1)]),
    "image_gradients right": (lambda x: I.image_gradients(x)[1], [picture(1, 3, 3, 1)]),
    "sobel_edges": (I.sobel_edges, [picture(1, 3, 3, 1)]),
    "total_variation": (I.total_variation, [picture(2, 3, 2, 2)]),
    "psnr": (lambda x, y: I.psnr(x, y, 1.0), [picture(2, 2, 3, 1), picture(2, 2, 3, 1, k=0.6)]),
    "ssim": (lambda x, y: I.ssim(x, y, 1.0, 3), [picture(4, 5, 2), picture(4, 5, 2, k=0.6)]),
    "ssim map": (
        lambda x, y: I.ssim(x, y, 2.0, 3, 1.0, 0.02, 0.05, return_index_map=True),
        [picture(4, 4, 1), picture(4, 4, 1, k=0.6)],
    ),
    "ssim broadcast": (lambda x, y: I.ssim(x, y, 1.0, 3), [picture(1, 3, 4, 1), picture(2, 3, 4, 1, k=0.6)]),
    "ssim_multiscale": (
        lambda x, y: I.ssim_multiscale(x, y, 1.0, (0.4, 0.6), 3),
        [picture(7, 6, 1), picture(7, 6, 1) * 0.8 + 0.1 * picture(7, 6, 1, k=0.6)],
    ),
    "extract_patches": (
        lambda x: I.extract_patches(x, [1, 2, 3, 1], [1, 2, 1, 1], [1, 1, 1, 1], "VALID"),
        [picture(1, 4, 4, 1)],
    ),
    "extract_patches same": (
        lambda x: I.extract_patches(x, [1, 2, 2, 1], [1, 2, 2, 1], [1, 2, 1, 1], "SAME"),
        [picture(1, 3, 3, 2)],
    ),
    "crop_and_resize": (
        lambda x, b: I.crop_and_resize(x, b, [1, 0, 1], [2, 3], "bilinear", 0.5),
        [picture(2, 4, 5, 1), BOXES],
    ),
    "crop_and_resize nearest": (
        lambda x, b: I.crop_and_resize(x, b, [1, 0, 1], [2, 1], "nearest"),
        [picture(2, 4, 5, 1), BOXES],
    ),
    "random_flip_left_right": (lambda x: I.random_flip_left_right(x, 7), [picture(4, 1, 3, 1)]),
    "random_flip_up_down": (lambda x: I.random_flip_up_down(x, 8), [picture(3, 1, 1)]),
    "random_crop": (lambda x: I.random_crop(x, [2, 2, 1], 9), [picture(4, 5, 1)]),
    "random_brightness": (lambda x: I.random_brightness(x, 0.3, 3), [picture(2, 2, 1)]),
    "random_contrast": (lambda x: I.random_contrast(x, 0.3, 0.8, 4), [picture(2, 2, 1)]),
    "random_hue": (lambda x: I.random_hue(x, 0.3, 5), [picture(2, 1, 3)]),
    "random_saturation": (lambda x: I.random_saturation(x, 0.3, 0.8, 6), [picture(2, 1, 3)]),
    "stateless_random_flip_left_right": (
        lambda x: I.stateless_random_flip_left_right(x, (1, 2)),
        [picture(4, 1, 3, 1)],
    ),
    "stateless_random_flip_up_down": (
        lambda x: I.stateless_random_flip_up_down(x, (1, 2)),
        [picture(3, 1, 1)],
    ),
    "stateless_random_crop": (lambda x: I.stateless_random_crop(x, [2, 2, 1], (1, 2)), [picture(4, 5, 1)]),
    "stateless_random_brightness": (
        lambda x: I.stateless_random_brightness(x, 0.3, (1, 2)),
        [picture(2, 2, 1)],
    ),
    "stateless_random_contrast": (
        lambda x: I.stateless_random_contrast(x, 0.3, 0.8, (1, 2)),
        [picture(2, 2, 1)],
    ),
    "stateless_random_hue": (lambda x: I.stateless_random_hue(x, 0.3, (1, 2)), [picture(2, 1, 3)]),
    "stateless_random_saturation": (
        lambda x: I.stateless_random_saturation(x, 0.3, 0.8, (1, 2)),
        [picture(2, 1, 3)],
    ),
}
for source in ("uint8", "int16", "float32"):
    for target in ("uint8", "uint16", "int32", "float16", "float32"):
        values = [0.0, 0.3, 0.77] if source == "float32" else [0.0, 77.0, 127.0]
        CASES[f"convert_image_dtype {source} {target}"] = (
            lambda s=source, t=target, v=tuple(values): I.convert_image_dtype(tf.cast(list(v), s), t, saturate=True),
            [],
        )


def numbers(tensor: Any) -> Any:
    return np.asarray(tensor.numpy()).reshape(-1).astype(np.float64)


def value_and_gradients(f: Callable[..., Any], operands: list[Any]) -> list[Any]:
    tf.random.set_seed(11)
    with tf.GradientTape() as tape:
        tape.watch(operands)
        y = f(*operands)
    direction = tf.cast(np.sin(0.7 * np.arange(prod(y.shape))).reshape(y.shape), y.dtype)
    return [numbers(t) for t in (y, *(tape.gradient(y, operands, direction) if operands else []))]


@pytest.mark.parametrize("name", CASES)
def test_values_and_gradients_are_those_of_tensorflow(name: str) -> None:
    found = value_and_gradients(*CASES[name])
    assert len(found) == len(OBSERVED[name])
    for got, expected in zip(found, OBSERVED[name], strict=True):
        if expected is not None:
            np.testing.assert_allclose(got, expected, rtol=1e-4, atol=1e-4)


def test_every_public_name_has_a_case() -> None:
    covered = {name.split()[0] for name in CASES}
    for name in dir(I):
        if getattr(getattr(I, name), "__module__", "").startswith(("gradtape.io", "gradtape.image.detection")):
            continue  # pictures as files: tests/io_names; boxes: test_detection.py
        if name == "extract_glimpse" or name.endswith("distorted_bounding_box"):
            continue  # tests/test_later_names.py
        if name.endswith("jpeg_quality"):
            continue  # what a JPEG file leaves of an image: test_jpeg_quality.py
        if callable(getattr(I, name)) and name != "ResizeMethod":
            assert name in covered, name
