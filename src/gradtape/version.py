"""`tf.version`: the version of gradtape, and those of TensorFlow's formats that programs ask for.

The one place that the build, the package and the command line read it from.
"""

from .base.namespaces import listing

__version__ = "0.1.0"

# `tf.version`: the TensorFlow release whose interface gradtape follows, for programs that compare with it.
VERSION = "2.21.0"
GIT_VERSION = f"gradtape-{__version__}"
COMPILER_VERSION = "none: Python and NumPy"
GRAPH_DEF_VERSION = 2474
GRAPH_DEF_VERSION_MIN_CONSUMER = 0
GRAPH_DEF_VERSION_MIN_PRODUCER = 0

__all__ = [
    "COMPILER_VERSION",
    "GIT_VERSION",
    "GRAPH_DEF_VERSION",
    "GRAPH_DEF_VERSION_MIN_CONSUMER",
    "GRAPH_DEF_VERSION_MIN_PRODUCER",
    "VERSION",
]

__dir__ = listing(globals())
