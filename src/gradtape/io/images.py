"""Images as bytes: JPEG, PNG, GIF and BMP, decoded and encoded by Pillow.

`pip install pillow` brings it.
"""

from __future__ import annotations

import contextlib
import io
from collections.abc import Iterator
from typing import Any

import numpy as np

from ..base import dtypes
from ..base.dtypes import Array, DType
from ..base.errors import OpError, ResourceExhaustedError, invalid
from ..base.types import DTypeLike, TensorLike
from ..op.arguments import flag, number, optional_whole_number, takes, text, whole_number
from ..trace.host_calls import gives
from ..values.tensor import Tensor, TensorSpec, from_array, to_tensor
from .records import text_from

_MODES = {1: "L", 3: "RGB", 4: "RGBA"}
_FORMATS = ("JPEG", "PNG", "GIF", "BMP")


def _look_of_pixels(contents: object, channels: object = 0, *args: object, **options: object) -> TensorSpec:
    return TensorSpec([None, None, _known_channels(channels)], dtypes.uint8)


def _look_of_crop(contents: object, crop_window: object, channels: object = 0, *args: object, **options: object) -> Any:
    return _look_of_pixels(contents, channels)


def _look_of_png(contents: object, channels: object = 0, dtype: DTypeLike = dtypes.uint8, name: object = None) -> Any:
    return TensorSpec([None, None, _known_channels(channels)], dtype)


def _look_of_image(
    contents: object,
    channels: object = None,
    dtype: DTypeLike = dtypes.uint8,
    name: object = None,
    expand_animations: object = True,
) -> TensorSpec:
    return TensorSpec(None if expand_animations else [None, None, _known_channels(channels)], dtype)


def _known_channels(channels: object) -> int | None:
    return channels if isinstance(channels, int) and channels > 0 else None


def _look_of_bytes(*args: object, **options: object) -> TensorSpec:
    return TensorSpec([], dtypes.string)


def _pillow() -> Any:
    try:
        from PIL import Image
    except ImportError:
        raise ModuleNotFoundError(
            "Decoding and encoding images needs Pillow: pip install pillow.", name="PIL"
        ) from None
    return Image


def _opened(contents: TensorLike, name: str, formats: tuple[str, ...] = _FORMATS) -> Any:
    pillow = _pillow()
    data = text_from(contents, name)
    with _damage_is_named(name):
        try:
            image = pillow.open(io.BytesIO(data), formats=formats)
        except (OSError, SyntaxError):
            expected = formats[0] if len(formats) == 1 else "JPEG, PNG, GIF or BMP"
            raise invalid(f"{name}: the {len(data)} bytes are no {expected} image that can be read.") from None
    _check_size(image, 1, name)
    return image


def _check_size(image: Any, frames: int, name: str) -> None:
    """Refuse sizes that Pillow only warns of: the header of a tiny file may declare a billion pixels."""
    most = _pillow().MAX_IMAGE_PIXELS
    if most is not None and frames * image.width * image.height > most:
        raise invalid(
            f"{name}: {frames} x {image.height} x {image.width} pixels are more than the {most} that are allowed "
            "(PIL.Image.MAX_IMAGE_PIXELS)."
        )


@contextlib.contextmanager
def _damage_is_named(name: str) -> Iterator[None]:
    """Raise Pillow's errors as InvalidArgumentError. For damaged images their class depends on the format."""
    try:
        yield
    except OpError:
        raise
    except MemoryError:
        raise ResourceExhaustedError(None, None, f"{name}: there is not enough memory for the pixels.") from None
    except Exception as error:
        raise invalid(f"{name}: the image is damaged, or too large: {error}.") from None


def _pixels(image: Any, channels: int, name: str) -> Array:
    """Height x width x channels, uint8, or uint16 for a PNG of 16 bits."""
    if channels not in (0, 1, 3, 4):
        raise invalid(f"{name}: channels must be 0, 1, 3 or 4, got {channels}.")
    with _damage_is_named(name):
        image.load()
        return _of_mode(image, channels)


def _of_mode(image: Any, channels: int) -> Array:
    if image.mode.startswith("I;16") or image.mode == "I":
        deep = np.asarray(image).astype(np.uint16)
        return np.repeat(deep[..., None], channels or 1, axis=2)
    if channels:
        mode = _MODES[channels]
    elif image.mode in ("1", "L"):
        mode = "L"
    elif image.mode == "LA":
        mode = "LA"
    elif image.mode in ("RGBA", "PA") or "transparency" in image.info:
        mode = "RGBA"
    else:
        mode = "RGB"
    pixels = np.array(image if image.mode == mode else image.convert(mode))
    return pixels[..., None] if pixels.ndim == 2 else pixels


def _as_type(pixels: Array, dtype: DTypeLike, name: str) -> Array:
    """Integers keep the full range of their type, floats lie in [0, 1]."""
    kind = dtypes.as_dtype(dtype)
    if kind.numpy == pixels.dtype:
        return pixels
    if kind.is_floating:
        with _damage_is_named(name):
            numbers = pixels.astype(np.float32)
            numbers /= np.iinfo(pixels.dtype).max
            return numbers.astype(kind.numpy, copy=False)
    if kind is dtypes.uint16:
        return pixels.astype(np.uint16) * np.uint16(257)
    if kind is dtypes.uint8:
        return (pixels >> 8).astype(np.uint8)
    raise invalid(f"{name}: dtype must be uint8, uint16 or a float, got {kind.name}.")


@gives(_look_of_pixels)
@takes(
    fancy_upscaling=flag,
    try_recover_truncated=flag,
    acceptable_fraction=number,
    dct_method=text,
    channels=whole_number,
    ratio=whole_number,
)
def decode_jpeg(
    contents: TensorLike,
    channels: int = 0,
    ratio: int = 1,
    fancy_upscaling: bool = True,
    try_recover_truncated: bool = False,
    acceptable_fraction: float = 1,
    dct_method: str = "",
    name: str | None = None,
) -> Tensor:
    """A JPEG image as uint8 pixels of shape (height, width, channels); `ratio` 2, 4 or 8 makes it smaller.

    Pillow decodes with the accurate transform, which may differ by a few steps of 255 from TensorFlow's fast one.

    >>> import gradtape as tf
    >>> file = tf.io.encode_jpeg(tf.zeros([4, 6, 3], tf.uint8))
    >>> tf.io.decode_jpeg(file).shape
    TensorShape([4, 6, 3])

    Args:
        contents: The bytes of the file.
        channels: 0 for those of the file, 1 for grey, 3 for colours.
        ratio: 1, 2, 4 or 8: how many times smaller the result is.
        fancy_upscaling: Ignored; accepted for compatibility with TensorFlow.
        try_recover_truncated: Ignored; accepted for compatibility with TensorFlow.
        acceptable_fraction: Ignored; accepted for compatibility with TensorFlow.
        dct_method: Ignored; accepted for compatibility with TensorFlow.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A uint8 tensor.

    Raises:
        tf.errors.InvalidArgumentError: The bytes are no image.
    """
    if dct_method not in ("", "INTEGER_FAST", "INTEGER_ACCURATE"):
        raise invalid(f"decode_jpeg: dct_method must be '', 'INTEGER_FAST' or 'INTEGER_ACCURATE', got {dct_method!r}.")
    image = _opened(contents, "decode_jpeg", ("JPEG", "PNG", "GIF", "BMP"))
    if ratio not in (1, 2, 4, 8):
        raise invalid(f"decode_jpeg: ratio must be 1, 2, 4 or 8, got {ratio}.")
    if image.format in ("JPEG", "MPO"):
        if channels == 0 and image.mode == "CMYK":
            channels = 3
        if ratio > 1:
            width, height = image.size
            with _damage_is_named("decode_jpeg"):
                image.draft(None, (-(-width // ratio), -(-height // ratio)))
    return from_array(_pixels(image, channels, "decode_jpeg"))


@gives(_look_of_crop)
def decode_and_crop_jpeg(
    contents: TensorLike,
    crop_window: object,
    channels: int = 0,
    ratio: int = 1,
    fancy_upscaling: bool = True,
    try_recover_truncated: bool = False,
    acceptable_fraction: float = 1,
    dct_method: str = "",
    name: str | None = None,
) -> Tensor:
    """The part of a JPEG image that begins at y, x and has this height and width.

    >>> import gradtape as tf
    >>> file = tf.io.encode_jpeg(tf.zeros([4, 6, 3], tf.uint8))
    >>> tf.io.decode_and_crop_jpeg(file, [1, 2, 3, 4]).shape
    TensorShape([3, 4, 3])

    Args:
        contents: The bytes of the file.
        crop_window: Four numbers: y, x, height and width.
        channels: 0 for those of the file, 1 for grey, 3 for colours.
        ratio: 1, 2, 4 or 8: how many times smaller the image is, of which the part is taken.
        fancy_upscaling: Ignored; accepted for compatibility with TensorFlow.
        try_recover_truncated: Ignored; accepted for compatibility with TensorFlow.
        acceptable_fraction: Ignored; accepted for compatibility with TensorFlow.
        dct_method: Ignored; accepted for compatibility with TensorFlow.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A uint8 tensor.

    Raises:
        tf.errors.InvalidArgumentError: The window leaves the image, or the bytes are no image.
    """
    y, x, height, width = (int(number) for number in np.asarray(to_tensor(crop_window)._array))
    whole = decode_jpeg(contents, channels, ratio)._array
    if min(y, x) < 0 or min(height, width) <= 0 or y + height > whole.shape[0] or x + width > whole.shape[1]:
        raise invalid(
            f"decode_and_crop_jpeg: the window {[y, x, height, width]} (y, x, height, width) is not inside of the "
            f"image of {whole.shape[0]} x {whole.shape[1]}."
        )
    return from_array(np.ascontiguousarray(whole[y : y + height, x : x + width]))


@gives(_look_of_png)
@takes(channels=whole_number)
def decode_png(
    contents: TensorLike, channels: int = 0, dtype: DTypeLike = dtypes.uint8, name: str | None = None
) -> Tensor:
    """A PNG image as pixels of shape (height, width, channels), uint8 or uint16.

    >>> import gradtape as tf
    >>> file = tf.io.encode_png(tf.constant([[[0], [128], [255]]], tf.uint8))
    >>> tf.io.decode_png(file).numpy().ravel()
    array([  0, 128, 255], dtype=uint8)

    Args:
        contents: The bytes of the file.
        channels: 0 for those of the file, 1 for grey, 2 with transparency, 3 for colours, 4 for both.
        dtype: uint8 or uint16.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor of that type.

    Raises:
        tf.errors.InvalidArgumentError: The bytes are no image.
    """
    kind = dtypes.as_dtype(dtype)
    if kind not in (dtypes.uint8, dtypes.uint16):
        raise invalid(f"decode_png: dtype must be uint8 or uint16, got {kind.name}.")
    image = _opened(contents, "decode_png", ("PNG", "JPEG", "GIF", "BMP"))
    return from_array(_as_type(_pixels(image, channels, "decode_png"), kind, "decode_png"))


@gives(_look_of_pixels)
@takes(channels=whole_number)
def decode_bmp(contents: TensorLike, channels: int = 0, name: str | None = None) -> Tensor:
    """A BMP image as uint8 pixels of shape (height, width, channels).

    >>> import gradtape as tf
    >>> import io
    >>> from PIL import Image
    >>> file = io.BytesIO()
    >>> Image.new("RGB", (6, 4)).save(file, format="BMP")
    >>> tf.io.decode_bmp(file.getvalue()).shape
    TensorShape([4, 6, 3])

    Args:
        contents: The bytes of the file.
        channels: 0 for those of the file, 3 for colours, 4 with transparency.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A uint8 tensor.

    Raises:
        tf.errors.InvalidArgumentError: The bytes are no BMP image.
    """
    return from_array(_pixels(_opened(contents, "decode_bmp", ("BMP",)), channels, "decode_bmp"))


@gives(lambda contents, name=None: TensorSpec([None, None, None, 3], dtypes.uint8))
def decode_gif(contents: TensorLike, name: str | None = None) -> Tensor:
    """All frames of a GIF as uint8 pixels of shape (frames, height, width, 3).

    >>> import gradtape as tf
    >>> import io
    >>> from PIL import Image
    >>> file = io.BytesIO()
    >>> black, white = Image.new("L", (6, 4), 0), Image.new("L", (6, 4), 255)
    >>> black.save(file, format="GIF", save_all=True, append_images=[white])
    >>> tf.io.decode_gif(file.getvalue()).shape
    TensorShape([2, 4, 6, 3])

    Args:
        contents: The bytes of the file.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A uint8 tensor.

    Raises:
        tf.errors.InvalidArgumentError: The bytes are no GIF.
    """
    return from_array(_frames(_opened(contents, "decode_gif", ("GIF",)), "decode_gif"))


def _frames(image: Any, name: str) -> Array:
    with _damage_is_named(name):
        count = getattr(image, "n_frames", 1)
    frames = np.empty((0, 0, 0, 3), np.uint8)
    for position in range(count):
        with _damage_is_named(name):
            image.seek(position)
        if (image.height, image.width) != frames.shape[1:3]:  # the first, or one that is larger than the screen
            _check_size(image, count, name)
            with _damage_is_named(name):
                frames = _enlarged(frames, count, image.height, image.width)
        frames[position] = _pixels(image, 3, name)
    return frames


def _enlarged(frames: Array, count: int, height: int, width: int) -> Array:
    """Room for frames of this size, with zeros around those that are there."""
    larger = np.zeros((count, height, width, 3), np.uint8)
    larger[: len(frames), : frames.shape[1], : frames.shape[2]] = frames
    return larger


@gives(_look_of_image)
@takes(channels=optional_whole_number, expand_animations=flag)
def decode_image(
    contents: TensorLike,
    channels: int | None = None,
    dtype: DTypeLike = dtypes.uint8,
    name: str | None = None,
    expand_animations: bool = True,
) -> Tensor:
    """An image of any known kind; a GIF has its frames along a first axis, unless `expand_animations` is False.

    >>> import gradtape as tf
    >>> file = tf.io.encode_png(tf.zeros([4, 6, 3], tf.uint8))
    >>> tf.io.decode_image(file, dtype=tf.float32).shape
    TensorShape([4, 6, 3])

    Args:
        contents: The bytes of a JPEG, PNG, GIF or BMP file.
        channels: None or 0 for those of the file, 1 for grey, 3 for colours, 4 with transparency.
        dtype: uint8 or uint16, or a floating type, for numbers from 0 to 1.
        name: Ignored; accepted for compatibility with TensorFlow.
        expand_animations: Whether a GIF has all its frames, or only the first.

    Returns:
        A tensor.

    Raises:
        tf.errors.InvalidArgumentError: The bytes are no image.
    """
    image = _opened(contents, "decode_image")
    if image.format == "GIF":
        pixels = _frames(image, "decode_image") if expand_animations else _pixels(image, 3, "decode_image")
    else:
        pixels = _pixels(image, channels or 0, "decode_image")
    return from_array(_as_type(pixels, dtype, "decode_image"))


@gives(lambda contents, name=None: TensorSpec([], dtypes.bool))
def is_jpeg(contents: TensorLike, name: str | None = None) -> Tensor:
    """Whether the bytes begin as a JPEG image does.

    >>> import gradtape as tf
    >>> bool(tf.io.is_jpeg(tf.io.encode_jpeg(tf.zeros([4, 6, 3], tf.uint8)))), bool(tf.io.is_jpeg(b"text"))
    (True, False)

    Args:
        contents: The bytes of a file.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        One truth value.
    """
    return to_tensor(text_from(contents, "is_jpeg").startswith(b"\xff\xd8\xff"))


@gives(lambda contents, output_type=dtypes.int32, name=None: TensorSpec([3], output_type))
def extract_jpeg_shape(contents: TensorLike, output_type: DTypeLike = dtypes.int32, name: str | None = None) -> Tensor:
    """Height, width and channels of a JPEG image, read from its header.

    >>> import gradtape as tf
    >>> tf.io.extract_jpeg_shape(tf.io.encode_jpeg(tf.zeros([4, 6, 3], tf.uint8))).numpy()
    array([4, 6, 3], dtype=int32)

    Args:
        contents: The bytes of the file.
        output_type: int32 or int64.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        Three numbers.

    Raises:
        tf.errors.InvalidArgumentError: The bytes are no JPEG image.
    """
    image = _opened(contents, "extract_jpeg_shape", ("JPEG",))
    sizes = (image.height, image.width, len(image.getbands()))
    return from_array(np.array(sizes, dtypes.as_dtype(output_type).numpy))


# --- encoding ----------------------------------------------------------------------------------------------


def _picture(image: TensorLike, name: str, allowed: dict[DType, tuple[int, ...]]) -> Any:
    tensor = to_tensor(image)
    if tensor.dtype not in allowed:
        raise invalid(f"{name}: the image must be {' or '.join(k.name for k in allowed)}, got {tensor.dtype.name}.")
    if tensor.ndim != 3 or tensor.shape[2] not in allowed[tensor.dtype] or 0 in tuple(tensor.shape):
        raise invalid(
            f"{name}: the image must have shape (height, width, {' or '.join(map(str, allowed[tensor.dtype]))}), "
            f"got {tensor.shape}."
        )
    array = tensor._array
    return _pillow().fromarray(array[..., 0] if array.shape[2] == 1 else np.ascontiguousarray(array))


def _saved(image: Any, **options: object) -> Any:
    out = io.BytesIO()
    try:
        image.save(out, **options)
    except (OSError, ValueError) as error:  # the format has a largest size
        raise invalid(f"A picture of {image.height} x {image.width} pixels cannot be stored so: {error}.") from None
    return to_tensor(out.getvalue())


@gives(_look_of_bytes)
@takes(
    quality=whole_number,
    chroma_downsampling=flag,
    progressive=flag,
    optimize_size=flag,
    density_unit=text,
    x_density=whole_number,
    y_density=whole_number,
    format=text,
    xmp_metadata=text,
)
def encode_jpeg(
    image: TensorLike,
    format: str = "",
    quality: int = 95,
    progressive: bool = False,
    optimize_size: bool = False,
    chroma_downsampling: bool = True,
    density_unit: str = "in",
    x_density: int = 300,
    y_density: int = 300,
    xmp_metadata: str = "",
    name: str | None = None,
) -> Tensor:
    r"""uint8 pixels of shape (height, width, 1 or 3) as a JPEG image.

    >>> import gradtape as tf
    >>> file = tf.io.encode_jpeg(tf.zeros([4, 6, 3], tf.uint8), quality=80)
    >>> file.numpy()[:2]
    b'\xff\xd8'

    Args:
        image: The pixels: [height, width, channels], of type tf.uint8.
        format: "grayscale" or "rgb", which the channels have to fit; "": either.
        quality: From 0 to 100: smaller files or better pictures.
        progressive: Whether a viewer can show a coarse picture before the whole file is there.
        optimize_size: Whether to take more time for a smaller file.
        chroma_downsampling: Whether colours have half the resolution.
        density_unit: "in" or "cm", for the densities.
        x_density: Pixels for each unit across.
        y_density: Pixels for each unit down.
        xmp_metadata: Text that is put into the file.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        The bytes of the file, for `tf.io.write_file`.

    Raises:
        tf.errors.InvalidArgumentError: The type, the shape or a setting does not fit.
    """
    wanted = {"": (1, 3), "grayscale": (1,), "rgb": (3,)}
    if format not in wanted:
        raise invalid(f"encode_jpeg: format must be '', 'grayscale' or 'rgb', got {format!r}.")
    if density_unit not in ("in", "cm"):
        raise invalid(f"encode_jpeg: density_unit must be 'in' or 'cm', got {density_unit!r}.")
    if not 0 <= quality <= 100:
        raise invalid(f"encode_jpeg: quality must be from 0 to 100, got {quality}.")
    picture = _picture(image, "encode_jpeg", {dtypes.uint8: wanted[format]})
    per_inch = 2.54 if density_unit == "cm" else 1.0
    return _saved(
        picture,
        format="JPEG",
        quality=quality,
        progressive=progressive,
        optimize=optimize_size,
        subsampling=2 if chroma_downsampling and picture.mode == "RGB" else 0,
        dpi=(round(x_density * per_inch), round(y_density * per_inch)),
        xmp=xmp_metadata.encode(),
    )


@gives(_look_of_bytes)
@takes(compression=whole_number)
def encode_png(image: TensorLike, compression: int = -1, name: str | None = None) -> Tensor:
    """uint8 pixels of shape (height, width, 1 to 4), or uint16 of one channel, as a PNG image.

    >>> import gradtape as tf
    >>> file = tf.io.encode_png(tf.constant([[[0], [128], [255]]], tf.uint8))
    >>> tf.io.decode_png(file).numpy().ravel()
    array([  0, 128, 255], dtype=uint8)

    Args:
        image: The pixels: [height, width, channels] of type tf.uint8 or tf.uint16.
        compression: From 0 to 9: faster or smaller; -1 for the usual.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        The bytes of the file, for `tf.io.write_file`.

    Raises:
        tf.errors.InvalidArgumentError: The type, the shape or the compression does not fit.
    """
    if not -1 <= compression <= 9:
        raise invalid(f"encode_png: compression must be from -1 to 9, got {compression}.")
    picture = _picture(image, "encode_png", {dtypes.uint8: (1, 2, 3, 4), dtypes.uint16: (1,)})
    return _saved(picture, format="PNG", compress_level=6 if compression == -1 else compression)
