"""The version, in the one place that the build, the package and the command line read it from."""

__version__ = "0.1.0"

# `tf.version`: the TensorFlow release whose interface gradtape follows, for programs that compare with it.
VERSION = "2.21.0"
GIT_VERSION = f"gradtape-{__version__}"
COMPILER_VERSION = "none: Python and NumPy"
GRAPH_DEF_VERSION = 2474
GRAPH_DEF_VERSION_MIN_CONSUMER = 0
GRAPH_DEF_VERSION_MIN_PRODUCER = 0
