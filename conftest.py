"""What the doctests of the package may take as given: `import gradtape as tf` and `import numpy as np`."""

from typing import Any

import numpy as np
import pytest

import gradtape as tf

# No doctests there: these modules are imported by Keras, in its order.
collect_ignore_glob = [
    "src/keras_gradtape/*",
    "src/gradtape/keras.py",
    "tests/keras_suite/plugin.py",
    "tests/keras_numbers/program.py",
]


@pytest.fixture(autouse=True)
def _doctest_names(doctest_namespace: dict[str, Any]) -> None:
    doctest_namespace["tf"] = tf
    doctest_namespace["np"] = np
