"""All ops of the package: those that are imported on first use, too."""

from gradtape import ops
from gradtape.op.declaration import REGISTRY, Op


def all_ops() -> list[Op]:
    ops.load_all()
    return [op for op in REGISTRY.values() if op.__module__.startswith(f"{ops.__name__}.")]
