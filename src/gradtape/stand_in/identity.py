"""Who gradtape says it is while it stands in: the module `tensorflow`, and the modules that classes name as theirs.

Programs tell TensorFlow's values by `type(x).__module__`. A pickle that is written meanwhile is to be read anywhere, so a class
keeps its own module in pickles: pickle stores the name of the module as an object (since protocol 4, the default), and the
name that stands here pickles as the true one. Protocols 0 to 2 (torch.save uses 2) translate names of modules by a table;
protocol 3 does neither, so that a value is made by `rebuilt` there, which finds the class by its place.
"""

from __future__ import annotations

import _compat_pickle
import importlib
import operator
import sys
from collections.abc import Callable
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

from .. import compat
from ..version import VERSION

# Module of TensorFlow: classes that name it as theirs, as "module:Class" of gradtape.
_MODULES = {
    "tensorflow.python.data.ops.dataset_ops": "data.dataset:Dataset data.options:Options",
    "tensorflow.python.data.ops.iterator_ops": "data.iterator:Iterator",
    "tensorflow.python.eager.backprop": "differentiation.tape:GradientTape",
    "tensorflow.python.eager.forwardprop": "differentiation.forward:ForwardAccumulator",
    "tensorflow.python.eager.polymorphic_function.concrete_function": "trace.concrete:ConcreteFunction",
    "tensorflow.python.eager.polymorphic_function.polymorphic_function": "trace.function:Function",
    "tensorflow.python.framework.dtypes": "base.dtypes:DType",
    "tensorflow.python.framework.indexed_slices": "values.tensor:IndexedSlices values.slices_spec:IndexedSlicesSpec",
    "tensorflow.python.framework.ops": "values.tensor:EagerTensor trace.symbolic:SymbolicTensor",
    "tensorflow.python.framework.sparse_tensor": "sparse.tensor:SparseTensor sparse.tensor:SparseTensorSpec",
    "tensorflow.python.framework.tensor": "values.tensor:Tensor values.tensor:TensorSpec",
    "tensorflow.python.framework.tensor_shape": "base.shapes:TensorShape",
    "tensorflow.python.framework.type_spec": "base.type_spec:TypeSpec",
    "tensorflow.python.module.module": "variables.module:Module",
    "tensorflow.python.ops.ragged.ragged_tensor": "ragged.tensor:RaggedTensor ragged.spec:RaggedTensorSpec",
    "tensorflow.python.ops.resource_variable_ops": "variables.variable:ResourceVariable",
    "tensorflow.python.ops.tensor_array_ops": "api.tensor_array:TensorArray",
    "tensorflow.python.ops.variables": "variables.variable:Variable",
}


class StandIn(ModuleType):
    """The module `tensorflow`: gradtape's names, and TensorFlow's version."""

    def __init__(self) -> None:
        gradtape = sys.modules["gradtape"]
        super().__init__("tensorflow", gradtape.__doc__)
        public = {name: value for name, value in vars(gradtape).items() if name in gradtape.__all__}
        vars(self).update(
            public, __version__=VERSION, __all__=gradtape.__all__, __file__=gradtape.__file__, __path__=[]
        )
        self.__git_version__ = gradtape.version.GIT_VERSION
        self.__spec__ = ModuleSpec("tensorflow", None, origin=gradtape.__file__, is_package=True)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(f"module 'tensorflow' has no attribute {name!r}", name=name, obj=self)
        gradtape = sys.modules["gradtape"]
        try:
            value = getattr(gradtape, name)
        except AttributeError as error:
            raise AttributeError(str(error).replace("'gradtape'", "'tensorflow'", 1), name=name, obj=self) from None
        if name in gradtape.__all__:  # imported on first use: from now on it is found at once
            vars(self)[name] = value
        return value

    def __dir__(self) -> list[str]:
        return [*dir(sys.modules["gradtape"]), "__version__"]


class _ModuleName(str):
    """The name of a module as programs see it, which pickles as another."""

    __slots__ = ("own",)
    own: str

    def __reduce__(self) -> tuple[Any, ...]:
        return str, (self.own,)


def classes_of(module: str) -> dict[str, type]:
    """The classes of gradtape that name this module of TensorFlow as theirs."""
    found = {}
    for place in _MODULES.get(module, "").split():
        path, _, name = place.partition(":")
        found[name] = getattr(importlib.import_module(f"gradtape.{path}"), name)
    return found


def _reduced(self: object, protocol: Any) -> Any:
    """`__reduce_ex__` of the classes above; those that programs derive from them have modules of their own."""
    cls = type(self)
    reduced: Any = object.__reduce_ex__(self, protocol)
    if protocol != 3 or not isinstance(cls.__module__, _ModuleName):
        return reduced
    make, arguments, *rest = reduced
    if make is cls:
        make, arguments = operator.call, (cls, *arguments)
    if not arguments or arguments[0] is not cls:
        return reduced
    place = f"{cls.__module__.own.removeprefix('gradtape.')}:{cls.__name__}"
    return rebuilt, (place, make, *arguments[1:]), *rest


def rebuilt(place: str, make: Callable[..., Any], *arguments: Any) -> Any:
    """What `make` gives for a class of the table and further arguments."""
    module = next(module for module, places in _MODULES.items() if place in places.split())
    return make(classes_of(module)[place.partition(":")[2]], *arguments)


def take_names() -> None:
    """Let the classes of values name TensorFlow's modules as theirs, and `tf.compat` know the stand-in."""
    for module in _MODULES:
        for cls in classes_of(module).values():
            name = _ModuleName(module)
            name.own = cls.__module__
            _compat_pickle.REVERSE_NAME_MAPPING[module, cls.__name__] = name.own, cls.__name__
            cls.__module__ = name
            cls.__reduce_ex__ = _reduced  # type: ignore[assignment]
    vars(compat)["v2"] = sys.modules["gradtape.compat.v2"] = sys.modules["tensorflow"]
