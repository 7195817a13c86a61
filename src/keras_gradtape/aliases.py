"""Other names for packages: `gradtape.keras.layers` is Keras's own module, not a second copy of it."""

from __future__ import annotations

import importlib
import sys
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any, cast

KERAS = "keras._tf_keras.keras"  # what `tf.keras` is in TensorFlow too: Keras 3 with the names of Keras 2 that remain

# A package and all its modules are found under the other name.
PACKAGES = {
    "gradtape.experimental.numpy": "gradtape.numpy",
    "gradtape.keras": KERAS,
    **{f"gradtape.{name}": f"{KERAS}.{name}" for name in ("initializers", "losses", "metrics", "optimizers")},
}


def target_of(name: str) -> str | None:
    """What the name stands for; None if it is no alias."""
    for alias, target in PACKAGES.items():
        if name == alias or name.startswith(f"{alias}."):
            return target + name[len(alias) :]
    return None


class AliasFinder:
    """Answers the import of an alias with the module it stands for."""

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        if target_of(name) is None or name == "gradtape.keras":  # (gradtape/keras.py prepares Keras first)
            return None
        return ModuleSpec(name, cast(Any, self))

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        name = target_of(spec.name)
        assert name is not None
        if name.startswith(KERAS):
            importlib.import_module("gradtape.keras")
        module = importlib.import_module(name)
        spec.loader_state = module.__spec__
        return module

    def exec_module(self, module: ModuleType) -> None:
        # The import machinery has given the module the alias's spec; it keeps its own.
        spec = module.__spec__
        assert spec is not None
        module.__spec__ = spec.loader_state


def install() -> None:
    """Install the finder that resolves imports of aliases."""
    if not any(isinstance(finder, AliasFinder) for finder in sys.meta_path):
        sys.meta_path.insert(0, AliasFinder())
