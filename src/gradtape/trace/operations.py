"""The steps of a graph as TensorFlow shows the graph of a function: operations and the tensors between them, to look at.

`concrete_function.graph.get_operations()` lists them. Names are TensorFlow's where a step is one op there. A step that TensorFlow
takes apart, such as `tf.image.resize`, is one operation here; branches and loops are one operation each.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

import numpy as np

from ..base.dtypes import DType, resource
from ..base.shapes import TensorShape
from ..op.declaration import REGISTRY, Op
from ..values.tensor import EagerTensor, TensorSpec, to_tensor
from ..variables.variable import Variable
from .graph import Graph, Method, Ref, leaves
from .printing import name_of

# Python's operators have names of their own.
_NAMES = {"AddV2": "add", "Sub": "sub", "Mul": "mul", "RealDiv": "truediv", "FloorDiv": "floordiv", "Pow": "pow"}
_TYPES = {
    **{"to_tensor": "Const", "cond": "If", "while_loop": "While", "getitem": "StridedSlice", "ones": "Fill", "split": "Split"},
    **{"read_variable": "ReadVariableOp", ".read_value": "ReadVariableOp", ".assign": "AssignVariableOp"},
    **{".assign_add": "AssignAddVariableOp", ".assign_sub": "AssignSubVariableOp"},
}  # fmt: skip
_ON_HANDLES = {"ReadVariableOp", "AssignVariableOp", "AssignAddVariableOp", "AssignSubVariableOp"}


@dataclass(slots=True, eq=False, repr=False)
class Operation:
    """One operation of a graph.

    Attributes:
        name: Its name, each once in a graph.
        type: What it computes, by TensorFlow's name.
        inputs: The tensors it takes.
        outputs: The tensors it gives.
        graph: The graph it stands in.
    """

    name: str
    type: str
    inputs: tuple[GraphTensor, ...]
    graph: Graph
    outputs: list[GraphTensor] = field(default_factory=list)

    @property
    def control_inputs(self) -> list[Operation]:
        """Always empty: steps run in their order."""
        return []

    def values(self) -> tuple[GraphTensor, ...]:
        """The tensors it gives."""
        return tuple(self.outputs)

    def __repr__(self) -> str:
        return f"<tf.Operation {self.name!r} type={self.type}>"


@dataclass(slots=True, eq=False, repr=False)
class GraphTensor:
    """What an operation gives: its name, type and shape. It has no value, and no op takes it."""

    op: Operation
    value_index: int
    dtype: DType
    shape: TensorShape

    @property
    def name(self) -> str:
        """The name of its operation, and its number among the outputs."""
        return f"{self.op.name}:{self.value_index}"

    @property
    def graph(self) -> Graph:
        """The graph it stands in."""
        return self.op.graph

    def consumers(self) -> list[Operation]:
        """The operations that take it."""
        name = self.name
        return [each for each in operations(self.graph) if any(tensor.name == name for tensor in each.inputs)]

    def __repr__(self) -> str:
        kind = "resource" if self.dtype is None else self.dtype.name
        return f"<tf.Tensor {self.name!r} shape={self.shape} dtype={kind}>"


class _Listing:
    """Operations in the order of the steps, and where each value comes from."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.operations: list[Operation] = []
        self._values: dict[int, GraphTensor] = {}
        self._handles: dict[int, GraphTensor] = {}  # of variables, by their identities
        self._used: dict[str, int] = {}

    def add(self, type: str, name: str, inputs: list[GraphTensor], outputs: list[TensorSpec]) -> Operation:
        made = Operation(self._unused(name), type, tuple(inputs), self.graph)
        made.outputs += [GraphTensor(made, place, spec.dtype, spec.shape) for place, spec in enumerate(outputs)]
        self.operations.append(made)
        return made

    def _unused(self, name: str) -> str:
        count = self._used.get(name, 0)
        self._used[name] = count + 1
        return f"{name}_{count}" if count else name

    def bind(self, operation: Operation, refs: list[Ref]) -> None:
        for ref, tensor in zip(refs, operation.outputs, strict=True):
            self._values[ref.number] = tensor

    def spec(self, ref: Ref) -> TensorSpec:
        found = self.graph.specs.get(ref.number)
        return found if found is not None else TensorSpec(None)

    def operand(self, value: object, name: str) -> GraphTensor:
        """What stands for an operand: the output of an operation, which is made for constants and variables."""
        if isinstance(value, Ref):
            if value.number not in self._values:  # of a graph around this one
                self.bind(self.add("Placeholder", name, [], [self.spec(value)]), [value])
            return self._values[value.number]
        if isinstance(value, Variable):
            spec = TensorSpec(value.shape, value.dtype)
            return self.add("ReadVariableOp", f"{name}/ReadVariableOp", [self.handle(value)], [spec]).outputs[0]
        constant = value if isinstance(value, EagerTensor) else to_tensor(value)
        return self.add("Const", name, [], [TensorSpec(constant.shape, constant.dtype)]).outputs[0]

    def handle(self, variable: Variable) -> GraphTensor:
        """What stands for a variable itself."""
        if variable._id not in self._handles:
            made = self.add("VarHandleOp", variable.name.split(":")[0], [], [TensorSpec([])]).outputs[0]
            made.dtype = resource
            self._handles[variable._id] = made
        return self._handles[variable._id]


def operations(graph: Graph) -> list[Operation]:
    """The operations of a graph, in the order of its steps."""
    listing = _Listing(graph)
    inputs = _refs(graph.inputs)
    names = graph.labels if len(graph.labels) == len(inputs) else ["input"] * len(inputs)
    for ref, name in zip(inputs, names, strict=True):
        listing.bind(listing.add("Placeholder", name, [], [listing.spec(ref)]), [ref])
    for step in graph.steps:
        type = _type(step.function)
        name = _NAMES.get(type, type)
        is_op = isinstance(step.function, Op) and not step.function.variadic
        labels = step.function.arguments if is_op else ()
        given = []
        for place, argument in enumerate((*step.args, *step.kwargs.values())):
            label = labels[place] if place < len(labels) else f"values_{place}"
            for leaf in leaves(argument):
                if isinstance(leaf, Variable):
                    given.append(listing.handle(leaf) if type in _ON_HANDLES else listing.operand(leaf, name))
                elif isinstance(leaf, (Ref, EagerTensor)) or (place < len(labels) and isinstance(leaf, _NUMBERS)):
                    given.append(listing.operand(leaf, f"{name}/{label}"))
        results = _refs(step.results)
        listing.bind(listing.add(type, name, given, [listing.spec(ref) for ref in results]), results)
    for leaf in leaves(graph.outputs):
        if isinstance(leaf, (Ref, EagerTensor, Variable)):
            tensor = listing.operand(leaf, "Const")
            listing.add("Identity", "Identity", [tensor], [TensorSpec(tensor.shape, tensor.dtype)])
    return listing.operations


_NUMBERS = (bool, int, float, complex, bytes, str, np.ndarray, np.generic)


def _refs(structure: object) -> list[Ref]:
    return [leaf for leaf in leaves(structure) if leaf.__class__ is Ref]


def _type(function: object) -> str:
    if isinstance(function, Op):
        return function.tf_name
    name = name_of(function)
    if name in _TYPES:
        return _TYPES[name]
    if name in REGISTRY and not isinstance(function, Method):
        return REGISTRY[name].tf_name
    return "".join(word.capitalize() for word in re.split("[_.]", name))


def operation_by_name(graph: Graph, name: str) -> Operation:
    """The operation of this name; KeyError where there is none."""
    if not isinstance(name, str):
        raise TypeError(f"Operation names are strings (or similar), not {type(name).__name__}.")
    for operation in operations(graph):
        if operation.name == name:
            return operation
    raise KeyError(f"The name {name!r} refers to an Operation not in the graph.")


def tensor_by_name(graph: Graph, name: str) -> GraphTensor:
    """The tensor of this name, an operation's name with the number of its output behind a colon."""
    if not isinstance(name, str):
        raise TypeError(f"Tensor names are strings (or similar), not {type(name).__name__}.")
    of, colon, place = name.partition(":")
    if not colon or not place.isdigit():
        raise ValueError(f'Tensor names must be of the form "<op_name>:<output_index>", got {name!r}.')
    outputs = operation_by_name(graph, of).outputs
    if int(place) >= len(outputs):
        raise KeyError(f"The name {name!r} refers to output {place} of an operation that has {len(outputs)}.")
    return outputs[int(place)]


Graph.get_operations = operations  # type: ignore[attr-defined]
Graph.get_operation_by_name = operation_by_name  # type: ignore[attr-defined]
Graph.get_tensor_by_name = tensor_by_name  # type: ignore[attr-defined]
