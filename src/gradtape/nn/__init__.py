"""`tf.nn`: activations, convolutions, pools, normalisation, losses."""

from __future__ import annotations

from typing import Any

from .. import math, random
from ..blocks import depth_to_space as depth_to_space
from ..blocks import space_to_batch as space_to_batch
from ..blocks import space_to_depth as space_to_depth
from .activations import (
    crelu as crelu,
)
from .activations import (
    dropout as dropout,
)
from .activations import (
    elu as elu,
)
from .activations import (
    gelu as gelu,
)
from .activations import (
    leaky_relu as leaky_relu,
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
    softmax as softmax,
)
from .activations import (
    softplus as softplus,
)
from .activations import (
    softsign as softsign,
)
from .activations import (
    swish as swish,
)
from .activations import (
    tanh as tanh,
)
from .convolution import (
    atrous_conv2d as atrous_conv2d,
)
from .convolution import (
    atrous_conv2d_transpose as atrous_conv2d_transpose,
)
from .convolution import (
    conv1d as conv1d,
)
from .convolution import (
    conv1d_transpose as conv1d_transpose,
)
from .convolution import (
    conv2d as conv2d,
)
from .convolution import (
    conv2d_transpose as conv2d_transpose,
)
from .convolution import (
    conv3d as conv3d,
)
from .convolution import (
    conv3d_transpose as conv3d_transpose,
)
from .convolution import (
    conv_transpose as conv_transpose,
)
from .convolution import (
    convolution as convolution,
)
from .convolution import (
    depthwise_conv2d as depthwise_conv2d,
)
from .convolution import (
    depthwise_conv2d_backprop_filter as depthwise_conv2d_backprop_filter,
)
from .convolution import (
    depthwise_conv2d_backprop_input as depthwise_conv2d_backprop_input,
)
from .convolution import (
    dilation2d as dilation2d,
)
from .convolution import (
    erosion2d as erosion2d,
)
from .convolution import (
    separable_conv2d as separable_conv2d,
)
from .ctc import (
    collapse_repeated as collapse_repeated,
)
from .ctc import (
    ctc_loss as ctc_loss,
)
from .ctc import (
    ctc_unique_labels as ctc_unique_labels,
)
from .losses import (
    compute_average_loss as compute_average_loss,
)
from .losses import (
    l2_loss as l2_loss,
)
from .losses import (
    log_poisson_loss as log_poisson_loss,
)
from .losses import (
    scale_regularization_loss as scale_regularization_loss,
)
from .losses import (
    sigmoid_cross_entropy_with_logits as sigmoid_cross_entropy_with_logits,
)
from .losses import (
    softmax_cross_entropy_with_logits as softmax_cross_entropy_with_logits,
)
from .losses import (
    sparse_softmax_cross_entropy_with_logits as sparse_softmax_cross_entropy_with_logits,
)
from .losses import (
    weighted_cross_entropy_with_logits as weighted_cross_entropy_with_logits,
)
from .normalization import (
    batch_norm_with_global_normalization as batch_norm_with_global_normalization,
)
from .normalization import (
    batch_normalization as batch_normalization,
)
from .normalization import (
    bias_add as bias_add,
)
from .normalization import (
    local_response_normalization as local_response_normalization,
)
from .normalization import (
    lrn as lrn,
)
from .normalization import (
    moments as moments,
)
from .normalization import (
    normalize_moments as normalize_moments,
)
from .normalization import (
    sufficient_statistics as sufficient_statistics,
)
from .normalization import (
    weighted_moments as weighted_moments,
)
from .pooling import (
    avg_pool as avg_pool,
)
from .pooling import (
    avg_pool1d as avg_pool1d,
)
from .pooling import (
    avg_pool2d as avg_pool2d,
)
from .pooling import (
    avg_pool3d as avg_pool3d,
)
from .pooling import (
    max_pool as max_pool,
)
from .pooling import (
    max_pool1d as max_pool1d,
)
from .pooling import (
    max_pool2d as max_pool2d,
)
from .pooling import (
    max_pool3d as max_pool3d,
)
from .pooling import (
    max_pool_with_argmax as max_pool_with_argmax,
)
from .pooling import (
    pool as pool,
)
from .sampled import (
    embedding_lookup as embedding_lookup,
)
from .sampled import (
    nce_loss as nce_loss,
)
from .sampled import (
    sampled_softmax_loss as sampled_softmax_loss,
)

l2_normalize = math.l2_normalize
zero_fraction = math.zero_fraction
top_k = math.top_k
in_top_k = math.in_top_k
all_candidate_sampler = random.all_candidate_sampler
fixed_unigram_candidate_sampler = random.fixed_unigram_candidate_sampler
learned_unigram_candidate_sampler = random.learned_unigram_candidate_sampler


def __getattr__(name: str) -> Any:
    if name == "embedding_lookup_sparse":
        from ..sparse.embedding import embedding_lookup_sparse

        return embedding_lookup_sparse
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
