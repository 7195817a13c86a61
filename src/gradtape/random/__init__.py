"""`tf.random`: random tensors, with TensorFlow's rules for global and op seeds, and its numbers."""

from __future__ import annotations

from ..api.candidates import CandidateSamplers
from ..api.generator import (
    Algorithm,
    Generator,
    create_rng_state,
    get_global_generator,
    set_global_generator,
)
from ..base.namespaces import listing, namespace
from ..base.traceable import traceable
from .continuous import (
    gamma,
    normal,
    stateless_gamma,
    stateless_normal,
    stateless_truncated_normal,
    stateless_uniform,
    truncated_normal,
    uniform,
)
from .discrete import categorical, poisson, stateless_binomial, stateless_categorical, stateless_poisson
from .orders import index_shuffle, shuffle, stateless_shuffle
from .seeds import fold_in, split
from .streams import SEEDS, set_seed
from .streams import get_state as get_state
from .streams import seeds_of as seeds_of  # (pickles of earlier versions look here)
from .streams import set_state as set_state
from .streams import stateless_stream as stateless_stream
from .streams import stream_of as stream_of
from .tracing import drawn_on_abstract

__all__ = [
    "Algorithm",
    "Generator",
    "all_candidate_sampler",
    "categorical",
    "create_rng_state",
    "experimental",
    "fixed_unigram_candidate_sampler",
    "fold_in",
    "gamma",
    "get_global_generator",
    "learned_unigram_candidate_sampler",
    "log_uniform_candidate_sampler",
    "normal",
    "poisson",
    "set_global_generator",
    "set_seed",
    "shuffle",
    "split",
    "stateless_binomial",
    "stateless_categorical",
    "stateless_gamma",
    "stateless_normal",
    "stateless_poisson",
    "stateless_truncated_normal",
    "stateless_uniform",
    "truncated_normal",
    "uniform",
    "uniform_candidate_sampler",
]

_SAMPLERS = CandidateSamplers(SEEDS.stream)
uniform_candidate_sampler = traceable(_SAMPLERS.uniform, always=True, on_abstract=drawn_on_abstract)
log_uniform_candidate_sampler = traceable(_SAMPLERS.log_uniform, always=True, on_abstract=drawn_on_abstract)
learned_unigram_candidate_sampler = traceable(_SAMPLERS.learned_unigram, always=True, on_abstract=drawn_on_abstract)
fixed_unigram_candidate_sampler = traceable(_SAMPLERS.fixed_unigram, always=True, on_abstract=drawn_on_abstract)
all_candidate_sampler = traceable(_SAMPLERS.all, on_abstract=drawn_on_abstract)


@namespace("gradtape.random.experimental")
class experimental:
    """`tf.random.experimental`: earlier names of generators, and seeds that are split and folded."""

    from ..api.generator import Algorithm as Algorithm  # (a name that stands for itself is no type to checkers)
    from ..api.generator import Generator as Generator

    create_rng_state = staticmethod(create_rng_state)
    index_shuffle = staticmethod(index_shuffle)
    get_global_generator = staticmethod(get_global_generator)
    set_global_generator = staticmethod(set_global_generator)
    stateless_fold_in = staticmethod(fold_in)
    stateless_shuffle = staticmethod(stateless_shuffle)
    stateless_split = staticmethod(split)


del index_shuffle, stateless_shuffle  # (names of `experimental` alone)
__dir__ = listing(globals())
