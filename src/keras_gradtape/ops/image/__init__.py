"""What Keras's backend interface calls `image`."""

from __future__ import annotations

from .colour import (
    gaussian_blur,
    hsv_to_rgb,
    rgb_to_grayscale,
    rgb_to_hsv,
    sobel_edges,
)
from .resizing import (
    resize,
    scale_and_translate,
)
from .warping import (
    affine_transform,
    compute_homography_matrix,
    elastic_transform,
    map_coordinates,
    perspective_transform,
)

__all__ = [
    "affine_transform",
    "compute_homography_matrix",
    "elastic_transform",
    "gaussian_blur",
    "hsv_to_rgb",
    "map_coordinates",
    "perspective_transform",
    "resize",
    "rgb_to_grayscale",
    "rgb_to_hsv",
    "scale_and_translate",
    "sobel_edges",
]
