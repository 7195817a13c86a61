"""Lets an unmodified Keras 3 run on gradtape: a few of its modules are completed while they are imported.

Keras picks its backend by name, in `if backend() == "tensorflow": ... elif ...` chains at the top of a handful of modules.
The finder below compiles these modules with one additional branch; the installed files are not modified, and the compiled
code is not cached. A chain that is not where it is expected raises an error in a version that is known (`VERSIONS`). In another
version gradtape warns, and tries: only the chains that choose the backend are needed then.
"""

from __future__ import annotations

import ast
import importlib
import importlib.util
import os
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from types import CodeType, ModuleType
from typing import Any

from keras_gradtape import aliases, completions

# The versions of Keras that are known. They need the same of what stands below, but for the archive that `model.export` of 3.13
# writes (`complete_export`). docs/design/keras.md has what was run on each.
VERSIONS = ("3.13", "3.14", "3.15")
SUPPORTED = f"{VERSIONS[0]} to {VERSIONS[-1]}"
INSTALL = f"pip install 'keras>={VERSIONS[0]}'"

# What each module imports when the backend is gradtape.
_BRANCHES = {
    "keras.src.backend": (
        "from keras_gradtape.backend import *\nfrom keras_gradtape.variable import Variable as BackendVariable"
    ),
    "keras.src.layers.layer": "from keras_gradtape.layer import GradtapeLayer as BackendLayer",
    "keras.src.models.model": "from keras_gradtape.trainer import GradtapeTrainer as Trainer",
    "keras.src.optimizers.optimizer": "from keras_gradtape.optimizer import GradtapeOptimizer as BackendOptimizer",
    "keras.src.export.saved_model": (
        "from keras_gradtape.export import GradtapeExportArchive as BackendSavedModelExportArchive\n"
        "BackendExportArchive = BackendSavedModelExportArchive"  # as Keras 3.13 calls it
    ),
}
_PREPROCESSING = "keras.src.layers.preprocessing."
_ADAPTERS = "keras.src.trainers.data_adapters."
# Modules that use TensorFlow with every backend; here they use gradtape.
_ON_TENSORFLOW = {
    *(
        _PREPROCESSING + name
        for name in (
            "discretization",
            "feature_space",
            "hashed_crossing",
            "hashing",
            "index_lookup",
            "integer_lookup",
            "normalization",
            "string_lookup",
            "text_vectorization",
        )
    ),
    "keras.src.legacy.saving.json_utils",
    "keras.src.saving.serialization_lib",
    *(
        _ADAPTERS + name
        for name in (
            "array_data_adapter",
            "array_slicing",
            "data_adapter_utils",
            "generator_data_adapter",
            "grain_dataset_adapter",
            "py_dataset_adapter",
            "tf_dataset_adapter",
            "torch_data_loader_adapter",
        )
    ),
    *(f"keras.src.utils.{kind}_dataset_utils" for kind in ("audio", "image", "text", "timeseries")),
    "keras.src.utils.dataset_utils",
    "keras.src.utils.grain_utils",
    "keras.src.utils.rng_utils",
    "keras.src.utils.tf_utils",
    "keras.src.utils.traceback_utils",
}
# Where gradtape does as TensorFlow does: Python's int is int64, and 64-bit types are kept; saved models are layers; tensors of
# `tf` are the backend's, also sparse and ragged ones.
_AS_TENSORFLOW = {
    "keras.src.backend.common.dtypes",
    "keras.src.export.tfsm_layer",
    "keras.src.utils.backend_utils",
    "keras.src.utils.grain_utils",
    "keras.src.utils.image_dataset_utils",
    "keras.src.utils.traceback_utils",
    *(
        _PREPROCESSING + name
        for name in ("feature_space", "hashed_crossing", "integer_lookup", "string_lookup", "text_vectorization")
    ),
}
# Functions of `completions` to run after a module is imported.
_AFTERWARDS = {
    "keras.src.callbacks.tensorboard": "complete_tensorboard",
    "keras.src.export.saved_model": "complete_export",
    "keras.src.export.tfsm_layer": "complete_saved_model_layer",
    "keras.src.layers.layer": "complete_layers",
    "keras.src.losses.loss": "complete_losses",
    "keras.src.legacy.saving.json_utils": "complete_json",
    "keras.src.trainers.data_adapters": "complete_data_adapters",
    "keras.src.distribution.distribution_lib": "complete_distribution",
    "keras.src.utils.tf_utils": "complete_ragged_tensors",
    "keras.src.utils.backend_utils": "complete_dynamic_backend",
    "keras.src.utils.dataset_utils": "complete_kinds_of_datasets",
    "keras.src.utils.file_utils": "complete_downloads",
    "keras.src.utils.module_utils": "forget_tensorflow",
    "keras.src.ops.nn": "complete_normalization",
    "keras.src.optimizers.loss_scale_optimizer": "complete_loss_scaling",
    "keras.src.trainers.data_adapters.array_slicing": "complete_array_slicing",
    "keras.src.trainers.data_adapters.data_adapter_utils": "complete_kinds_of_tensors",
    "keras.src.backend.config": "complete_backend_name",
    "keras.datasets": "complete_datasets",
    "keras._tf_keras.keras.datasets": "complete_datasets",
}
_CONFIG = "keras.src.backend.config"
_HOOKED = {_CONFIG, *_BRANCHES, *_ON_TENSORFLOW, *_AS_TENSORFLOW, *_AFTERWARDS}


class UnsupportedKerasError(ImportError):
    """The installed Keras is missing, too old, or already runs on another backend."""


class UnknownKerasWarning(UserWarning):
    """The installed Keras is of a version that gradtape was not tried with."""


def install() -> None:
    """Watch for the import of Keras. Does nothing else, and is safe to call again."""
    if not any(isinstance(finder, _Finder) for finder in sys.meta_path):
        sys.meta_path.insert(0, _Finder())
        aliases.install()


def insist() -> None:
    """Make Keras run on gradtape when it is imported, whatever KERAS_BACKEND says."""
    install()
    if not _ASKED_FOR:
        _ASKED_FOR.append(True)


def load() -> ModuleType:
    """Keras on gradtape, imported if necessary; if that is impossible, the error says what to do."""
    install()
    if _CONFIG not in sys.modules:
        _check_version()
        insist()
    importlib.import_module("keras")
    running_on = sys.modules[_CONFIG].backend()
    if running_on != "gradtape":
        raise UnsupportedKerasError(
            f"Keras is already imported, with the backend {running_on!r}, and cannot change it. Import gradtape before "
            "keras, in a process where KERAS_BACKEND is unset or 'gradtape'."
        )
    return importlib.import_module(aliases.KERAS)


def _installed() -> str:
    import importlib.metadata

    return importlib.metadata.version("keras")


def _check_version() -> None:
    import importlib.metadata

    try:
        version = _installed()
    except importlib.metadata.PackageNotFoundError:
        raise UnsupportedKerasError(f"gradtape.keras needs Keras {SUPPORTED}: {INSTALL}") from None
    if version.startswith(("0.", "1.", "2.")):
        raise UnsupportedKerasError(f"gradtape.keras needs Keras {SUPPORTED}, found {version}: {INSTALL}")
    if not _is_known(version):
        warnings.warn(
            f"gradtape knows Keras {SUPPORTED}, and this is {version}: it is tried, and may miss a part. {INSTALL} installs one "
            "that is known.",
            UnknownKerasWarning,
            stacklevel=2,
        )


def _is_known(version: str) -> bool:
    return ".".join(version.split(".")[:2]) in VERSIONS


# Whether gradtape.keras was asked for by name; then KERAS_BACKEND does not matter.
_ASKED_FOR: list[bool] = []


def _is_wanted() -> bool:
    return bool(_ASKED_FOR) or os.environ.get("KERAS_BACKEND", "gradtape") in ("", "gradtape")


class _Finder:
    """Finds the modules of Keras that choose between backends."""

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        if name not in _HOOKED or not _is_wanted():
            return None
        spec = PathFinder.find_spec(name, path, target)
        if spec is not None and spec.origin is not None:
            submodules = spec.submodule_search_locations
            spec = importlib.util.spec_from_file_location(
                name, spec.origin, loader=_Loader(name, spec.origin), submodule_search_locations=submodules
            )
        return spec


class _Loader(SourceFileLoader):
    """Compiles a module with what gradtape needs in it."""

    def get_code(self, fullname: str) -> CodeType:
        # (The inherited method would read and write the .pyc files of the installed package.)
        tree = ast.parse(self.get_data(self.path), self.path)
        if fullname in _BRANCHES:
            _add_branch(tree, fullname)
        if fullname in _AS_TENSORFLOW:
            _Widened(fullname).visit(tree)
        if fullname in _ON_TENSORFLOW:
            _Sent(fullname).visit(tree)
        return compile(ast.fix_missing_locations(tree), self.path, "exec", dont_inherit=True)

    def exec_module(self, module: ModuleType) -> None:
        if module.__name__ == _CONFIG:
            _check_version()
            with _backend_in_environment():
                super().exec_module(module)
        else:
            super().exec_module(module)
        if module.__name__ in _AFTERWARDS:
            getattr(completions, _AFTERWARDS[module.__name__])(module)


def _asked_for(node: ast.AST) -> Any:
    """The name in `backend() == "name"` or `!=`, however `backend` is reached; None for any other expression."""
    if (
        isinstance(node, ast.Compare)
        and isinstance(node.left, ast.Call)
        and ast.unparse(node.left.func).split(".")[-1] == "backend"
        and isinstance(node.ops[0], (ast.Eq, ast.NotEq))
        and isinstance(node.comparators[0], ast.Constant)
    ):
        return node.comparators[0].value
    return None


def _add_branch(tree: ast.Module, name: str) -> None:
    """`if backend() == ...: ... elif ...` becomes `if backend() == "gradtape": <ours> else: <the chain>`."""
    chains = [node for node in tree.body if isinstance(node, ast.If) and node.orelse and _asked_for(node.test)]
    if len(chains) != 1:
        raise _unknown_text(name)
    (chain,) = chains
    test: Any = ast.parse(ast.unparse(chain.test), mode="eval").body
    test.comparators = [ast.Constant("gradtape")]
    ours = ast.copy_location(ast.If(test, ast.parse(_BRANCHES[name]).body, [chain]), chain)
    tree.body[tree.body.index(chain)] = ours


class _Rewrite(ast.NodeTransformer):
    """Changes something in a module; an error where there is nothing to change."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.found = 0

    def visit_Module(self, node: ast.Module) -> ast.AST:
        self.generic_visit(node)
        if not self.found and _is_known(_installed()):
            raise _unknown_text(self.name)
        return node


class _Widened(_Rewrite):
    """`backend() == "tensorflow"` becomes `backend() in ("tensorflow", "gradtape")`, and `!=` becomes `not in`."""

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        if _asked_for(node) == "tensorflow":
            self.found += 1
            node.ops = [ast.In() if isinstance(node.ops[0], ast.Eq) else ast.NotIn()]
            node.comparators = [ast.Tuple([ast.Constant("tensorflow"), ast.Constant("gradtape")], ast.Load())]
        return node


class _Sent(_Rewrite):
    """Imports of TensorFlow, and of its backend, find gradtape and its backend."""

    def visit_ImportFrom(self, node: ast.ImportFrom) -> ast.AST:
        imported = node.names[0]
        sent_to = {
            ("keras.src.utils.module_utils", "tensorflow"): ("keras_gradtape.as_tensorflow", "tensorflow"),
            ("keras.src.backend", "tensorflow"): ("keras_gradtape", "as_tensorflow"),
            ("keras.src.backend.tensorflow.core", "cast"): ("keras_gradtape.ops.core", "cast"),
            ("keras.src.backend.tensorflow.core", "convert_to_numpy"): ("keras_gradtape.ops.core", "convert_to_numpy"),
            ("tensorflow", "errors"): ("gradtape", "errors"),
            ("tensorflow.python.framework", "type_spec_registry"): (
                "keras_gradtape.as_tensorflow",
                "type_spec_registry",
            ),
        }.get((node.module or "", imported.name))
        if sent_to is not None:
            self.found += 1
            node.module, imported.name = sent_to
        return node

    def visit_Import(self, node: ast.Import) -> ast.AST:
        if [alias.name for alias in node.names] != ["tensorflow"]:
            return node
        self.found += 1
        return ast.copy_location(ast.ImportFrom("keras_gradtape.as_tensorflow", node.names, 0), node)


def _unknown_text(name: str) -> UnsupportedKerasError:
    return UnsupportedKerasError(
        f"{name} of the installed Keras is not as gradtape knows it (Keras {SUPPORTED} from PyPI): {INSTALL} --force-reinstall"
    )


@contextmanager
def _backend_in_environment() -> Iterator[None]:
    """KERAS_BACKEND as `keras.src.backend.config` reads it; child processes do not inherit it."""
    before = os.environ.get("KERAS_BACKEND")
    os.environ["KERAS_BACKEND"] = "gradtape"
    try:
        yield
    finally:
        if before is None:
            del os.environ["KERAS_BACKEND"]
        else:
            os.environ["KERAS_BACKEND"] = before
