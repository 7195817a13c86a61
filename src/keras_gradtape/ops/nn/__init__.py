"""What Keras's backend interface calls `nn`: activations, convolutions, pools, losses, normalization, attention."""

from __future__ import annotations

from .activations import (
    celu as celu,
)
from .activations import (
    elu as elu,
)
from .activations import (
    gelu as gelu,
)
from .activations import (
    glu as glu,
)
from .activations import (
    hard_shrink as hard_shrink,
)
from .activations import (
    hard_sigmoid as hard_sigmoid,
)
from .activations import (
    hard_silu as hard_silu,
)
from .activations import (
    hard_tanh as hard_tanh,
)
from .activations import (
    leaky_relu as leaky_relu,
)
from .activations import (
    log_sigmoid as log_sigmoid,
)
from .activations import (
    log_softmax as log_softmax,
)
from .activations import (
    relu as relu,
)
from .activations import (
    relu6 as relu6,
)
from .activations import (
    selu as selu,
)
from .activations import (
    sigmoid as sigmoid,
)
from .activations import (
    silu as silu,
)
from .activations import (
    soft_shrink as soft_shrink,
)
from .activations import (
    softmax as softmax,
)
from .activations import (
    softplus as softplus,
)
from .activations import (
    softsign as softsign,
)
from .activations import (
    sparse_plus as sparse_plus,
)
from .activations import (
    sparse_sigmoid as sparse_sigmoid,
)
from .activations import (
    sparsemax as sparsemax,
)
from .activations import (
    squareplus as squareplus,
)
from .activations import (
    tanh as tanh,
)
from .activations import (
    tanh_shrink as tanh_shrink,
)
from .activations import (
    threshold as threshold,
)
from .convolution import (
    conv as conv,
)
from .convolution import (
    conv_transpose as conv_transpose,
)
from .convolution import (
    depth_to_space as depth_to_space,
)
from .convolution import (
    depthwise_conv as depthwise_conv,
)
from .convolution import (
    fold as fold,
)
from .convolution import (
    separable_conv as separable_conv,
)
from .convolution import (
    space_to_depth as space_to_depth,
)
from .convolution import (
    unfold as unfold,
)
from .ctc import (
    ctc_decode as ctc_decode,
)
from .ctc import (
    ctc_loss as ctc_loss,
)
from .losses import (
    binary_crossentropy as binary_crossentropy,
)
from .losses import (
    categorical_crossentropy as categorical_crossentropy,
)
from .losses import (
    multi_hot as multi_hot,
)
from .losses import (
    one_hot as one_hot,
)
from .losses import (
    psnr as psnr,
)
from .losses import (
    sparse_categorical_crossentropy as sparse_categorical_crossentropy,
)
from .normalization import (
    batch_normalization as batch_normalization,
)
from .normalization import (
    dot_product_attention as dot_product_attention,
)
from .normalization import (
    moments as moments,
)
from .pooling import (
    adaptive_average_pool as adaptive_average_pool,
)
from .pooling import (
    adaptive_max_pool as adaptive_max_pool,
)
from .pooling import (
    average_pool as average_pool,
)
from .pooling import (
    max_pool as max_pool,
)
