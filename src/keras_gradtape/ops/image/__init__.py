"""What Keras's backend interface calls `image`."""

from __future__ import annotations

from .colour import (
    gaussian_blur as gaussian_blur,
)
from .colour import (
    hsv_to_rgb as hsv_to_rgb,
)
from .colour import (
    rgb_to_grayscale as rgb_to_grayscale,
)
from .colour import (
    rgb_to_hsv as rgb_to_hsv,
)
from .colour import (
    sobel_edges as sobel_edges,
)
from .resizing import resize as resize
from .resizing import scale_and_translate as scale_and_translate
from .warping import (
    affine_transform as affine_transform,
)
from .warping import (
    compute_homography_matrix as compute_homography_matrix,
)
from .warping import (
    elastic_transform as elastic_transform,
)
from .warping import (
    map_coordinates as map_coordinates,
)
from .warping import (
    perspective_transform as perspective_transform,
)
