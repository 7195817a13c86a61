"""PyTorch's dialect."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar

import numpy as np

from benchmarks.dialects.dialect import Compiler, Dialect, Loss, as_written
from benchmarks.optimizers import Optimizer
from benchmarks.step import Array, Data, Step

IMAGES_TO_NCHW = (0, 3, 1, 2)
KERNEL_TO_OIHW = (3, 2, 0, 1)
KERNEL_FROM_OIHW = (2, 3, 1, 0)


class Torch(Dialect):
    words: ClassVar[Mapping[str, str]] = {
        "tanh": "tanh",
        "exp": "exp",
        "sigmoid": "sigmoid",
        "square": "square",
        "relu": "relu",
        "stack": "stack",
        "sum": "sum",
        "mean": "mean",
        "reshape": "reshape",
        "transpose": "permute",
    }

    def __init__(self, module: Any, compiled: Compiler = as_written, channels_last: bool = False) -> None:
        super().__init__(module, compiled)
        self.nn = module.nn.functional
        self.channels_last = channels_last

    def array(self, value: Any) -> Array | Sequence[Array]:
        if value.is_sparse:
            return [value._values().numpy(), value._indices()[0].numpy()]
        return np.asarray(value.detach().numpy())

    def batches(self, images: Array, labels: Array, size: int, maps: bool) -> Callable[[], Any]:
        torch = self.module
        from torch.utils.data import DataLoader, TensorDataset

        pixels, classes = torch.from_numpy(images), torch.from_numpy(labels)

        class Scaled(TensorDataset):  # type: ignore[misc]
            def __getitem__(self, index: int) -> Any:
                return pixels[index].float() / 255.0, classes[index]

        kind = Scaled if maps else TensorDataset
        loader = DataLoader(kind(pixels, classes), batch_size=size, shuffle=True)
        return lambda: iter(loader)

    def call(self, function: str, *operands: Array) -> Step:
        torch = self.module
        return Step(self.compiled(getattr(torch, function)), tuple(torch.from_numpy(operand) for operand in operands))

    def gradient(self, loss: Loss, data: Data) -> Step:
        torch = self.module
        parameters, inputs = self._tensors(data)
        forward = self.compiled(lambda *parameters: loss(self, parameters, inputs))

        def gradient() -> Any:
            value = forward(*parameters)
            return value, torch.autograd.grad(value, parameters, allow_unused=True)

        return Step(gradient)

    def training(self, loss: Loss, data: Data, optimizer: Optimizer) -> Step:
        parameters, inputs = self._tensors(data)
        update = optimizer.torch(self.module, parameters)
        forward = self.compiled(lambda *parameters: loss(self, parameters, inputs))

        def step() -> Any:
            update.zero_grad()
            value = forward(*parameters)
            value.backward()
            update.step()
            return value

        return Step(step, state=lambda: [self._as_given(parameter) for parameter in parameters])

    def jacobian(self, function: Loss, data: Data) -> Step:
        parameters, inputs = self._tensors(data)
        parameters = [parameter.detach() for parameter in parameters]
        return Step(self.compiled(self.module.func.jacrev(lambda x: function(self, parameters, [x]))), tuple(inputs))

    def _tensors(self, data: Data) -> tuple[list[Any], list[Any]]:
        parameters = [self._tensor(array, KERNEL_TO_OIHW).requires_grad_() for array in data.parameters]
        return parameters, [self._tensor(array, IMAGES_TO_NCHW) for array in data.inputs]

    def _tensor(self, array: Array, layout: tuple[int, ...]) -> Any:
        torch = self.module
        if array.dtype.kind == "i":
            return torch.tensor(array, dtype=torch.int64)
        if array.ndim != 4:
            return torch.tensor(array)
        memory_format = torch.channels_last if self.channels_last else torch.contiguous_format
        return torch.tensor(array.transpose(layout)).contiguous(memory_format=memory_format)

    def _as_given(self, parameter: Any) -> Any:
        return parameter.permute(KERNEL_FROM_OIHW) if parameter.ndim == 4 else parameter

    def gelu(self, x: Any) -> Any:
        return self.nn.gelu(x, approximate="tanh")

    def split(self, x: Any, parts: int) -> Sequence[Any]:
        return x.chunk(parts, dim=-1)  # type: ignore[no-any-return]

    def lookup(self, table: Any, ids: Any) -> Any:
        return self.nn.embedding(ids, table, sparse=True)

    def dense(self, x: Any, weights: Any, bias: Any) -> Any:
        return self.nn.linear(x, weights.t(), bias)

    def head(self, images: Any, kernel: Any, bias: Any) -> Any:
        return self.nn.linear(images.flatten(1), kernel.flatten(1), bias)

    def convolution(self, images: Any, kernel: Any, bias: Any) -> Any:
        return self.nn.conv2d(images, kernel, bias)

    def same_convolution(self, images: Any, kernel: Any, stride: int) -> Any:
        padding = []
        for size, width in zip(images.shape[:1:-1], kernel.shape[:1:-1], strict=True):  # the last axis comes first
            missing = max((-(-size // stride) - 1) * stride + width - size, 0)
            padding += [missing // 2, missing - missing // 2]
        return self.nn.conv2d(self.nn.pad(images, padding), kernel, stride=stride)

    def batch_norm(self, images: Any, scale: Any, shift: Any) -> Any:
        return self.nn.batch_norm(images, None, None, scale, shift, training=True, eps=1e-5)

    def mean_of_positions(self, images: Any) -> Any:
        return images.mean((2, 3))

    def max_pool(self, images: Any) -> Any:
        return self.nn.max_pool2d(images, 2)

    def layer_norm(self, x: Any, scale: Any, shift: Any) -> Any:
        return self.nn.layer_norm(x, scale.shape, scale, shift, eps=1e-5)

    def attention(self, q: Any, k: Any, v: Any) -> Any:
        return self.nn.scaled_dot_product_attention(q, k, v)

    def cross_entropy(self, logits: Any, labels: Any) -> Any:
        return self.nn.cross_entropy(logits, labels)
