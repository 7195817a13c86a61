"""`tf.nn`: activations, convolutions, pools, normalisation, losses."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .. import math, random
from ..api.blocks import depth_to_space, space_to_batch, space_to_depth
from ..base.absent import missing
from ..base.namespaces import listing
from .activations import (
    crelu,
    dropout,
    elu,
    experimental,
    gelu,
    leaky_relu,
    log_softmax,
    relu,
    relu6,
    selu,
    sigmoid,
    silu,
    softmax,
    softplus,
    softsign,
    swish,
    tanh,
)
from .convolution import (
    atrous_conv2d,
    atrous_conv2d_transpose,
    conv1d,
    conv1d_transpose,
    conv2d,
    conv2d_transpose,
    conv3d,
    conv3d_transpose,
    conv_transpose,
    convolution,
)
from .ctc import (
    collapse_repeated,
    ctc_beam_search_decoder,
    ctc_greedy_decoder,
    ctc_loss,
    ctc_unique_labels,
)
from .depthwise import (
    depthwise_conv2d,
    depthwise_conv2d_backprop_filter,
    depthwise_conv2d_backprop_input,
    separable_conv2d,
)
from .fractional import fractional_avg_pool, fractional_max_pool
from .losses import (
    compute_average_loss,
    isotonic_regression,
    l2_loss,
    log_poisson_loss,
    scale_regularization_loss,
    sigmoid_cross_entropy_with_logits,
    softmax_cross_entropy_with_logits,
    sparse_softmax_cross_entropy_with_logits,
    weighted_cross_entropy_with_logits,
)
from .morphology import dilation2d, erosion2d
from .normalization import (
    batch_norm_with_global_normalization,
    batch_normalization,
    bias_add,
    local_response_normalization,
    lrn,
    moments,
    normalize_moments,
    sufficient_statistics,
    weighted_moments,
)
from .pooling import (
    avg_pool,
    avg_pool1d,
    avg_pool2d,
    avg_pool3d,
    max_pool,
    max_pool1d,
    max_pool2d,
    max_pool3d,
    max_pool_with_argmax,
    pool,
)
from .sampled import (
    compute_accidental_hits,
    embedding_lookup,
    nce_loss,
    sampled_softmax_loss,
)

l2_normalize = math.l2_normalize
zero_fraction = math.zero_fraction
approx_max_k = math.approx_max_k
approx_min_k = math.approx_min_k
top_k = math.top_k
in_top_k = math.in_top_k
all_candidate_sampler = random.all_candidate_sampler
fixed_unigram_candidate_sampler = random.fixed_unigram_candidate_sampler
learned_unigram_candidate_sampler = random.learned_unigram_candidate_sampler

__all__ = [
    "all_candidate_sampler",
    "approx_max_k",
    "approx_min_k",
    "atrous_conv2d",
    "atrous_conv2d_transpose",
    "avg_pool",
    "avg_pool1d",
    "avg_pool2d",
    "avg_pool3d",
    "batch_norm_with_global_normalization",
    "batch_normalization",
    "bias_add",
    "collapse_repeated",
    "compute_accidental_hits",
    "compute_average_loss",
    "conv1d",
    "conv1d_transpose",
    "conv2d",
    "conv2d_transpose",
    "conv3d",
    "conv3d_transpose",
    "conv_transpose",
    "convolution",
    "crelu",
    "ctc_beam_search_decoder",
    "ctc_greedy_decoder",
    "ctc_loss",
    "ctc_unique_labels",
    "depth_to_space",
    "depthwise_conv2d",
    "depthwise_conv2d_backprop_filter",
    "depthwise_conv2d_backprop_input",
    "dilation2d",
    "dropout",
    "elu",
    "embedding_lookup",
    "embedding_lookup_sparse",
    "erosion2d",
    "experimental",
    "fixed_unigram_candidate_sampler",
    "gelu",
    "fractional_avg_pool",
    "fractional_max_pool",
    "in_top_k",
    "isotonic_regression",
    "l2_loss",
    "l2_normalize",
    "leaky_relu",
    "learned_unigram_candidate_sampler",
    "local_response_normalization",
    "log_poisson_loss",
    "log_softmax",
    "lrn",
    "max_pool",
    "max_pool1d",
    "max_pool2d",
    "max_pool3d",
    "max_pool_with_argmax",
    "moments",
    "nce_loss",
    "normalize_moments",
    "pool",
    "relu",
    "relu6",
    "sampled_softmax_loss",
    "scale_regularization_loss",
    "selu",
    "separable_conv2d",
    "sigmoid",
    "sigmoid_cross_entropy_with_logits",
    "silu",
    "softmax",
    "softmax_cross_entropy_with_logits",
    "softplus",
    "softsign",
    "space_to_batch",
    "space_to_depth",
    "sparse_softmax_cross_entropy_with_logits",
    "sufficient_statistics",
    "swish",
    "tanh",
    "top_k",
    "weighted_cross_entropy_with_logits",
    "weighted_moments",
    "zero_fraction",
]


if TYPE_CHECKING:  # what is imported on first use
    from ..sparse.embedding import embedding_lookup_sparse as embedding_lookup_sparse
    from ..sparse.embedding import safe_embedding_lookup_sparse as safe_embedding_lookup_sparse
else:

    def __getattr__(name: str) -> Any:
        if name in ("embedding_lookup_sparse", "safe_embedding_lookup_sparse"):
            from ..sparse import embedding

            return getattr(embedding, name)
        raise missing(__name__, name)


__dir__ = listing(globals())
