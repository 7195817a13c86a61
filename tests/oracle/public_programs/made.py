"""What programs load from the network, made here: data sets of the same shapes, files, pictures, environments.

The same in both interpreters.
"""

from __future__ import annotations

import contextlib
import importlib
import random
import sys
import types
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

ROWS = 256  # of a made data set
STEPS = 16  # of an episode, at most
WORDS = "the king of all men said that we shall see no more night and day go down to our sea with him my lord"

# Of each data set of Keras: shape of a row, largest value and number of classes.
IMAGES = {
    "mnist": ((28, 28), 10),
    "fashion_mnist": ((28, 28), 10),
    "cifar10": ((32, 32, 3), 10),
    "cifar100": ((32, 32, 3), 100),
}


def install(tf: Any, rows: int, gym_api: str) -> None:
    """Put the made parts into a library and among the modules, and seed everything."""
    seed(tf)
    datasets = tf.keras.datasets
    for name, (shape, classes) in IMAGES.items():
        getattr(datasets, name).load_data = lambda *a, s=shape, c=classes, n=name: _pictures(s, c, rows, len(n))
    datasets.imdb.load_data = lambda *a, **k: _reviews(
        rows, k.get("num_words") or (a[0] if a else 10000), k.get("maxlen")
    )
    datasets.reuters.load_data = datasets.imdb.load_data
    datasets.imdb.get_word_index = datasets.reuters.get_word_index = lambda *a: {f"word{n}": n for n in range(1, 500)}
    for name, columns in (("boston_housing", 13), ("california_housing", 8)):
        with contextlib.suppress(AttributeError):
            getattr(datasets, name).load_data = lambda *a, c=columns, **k: _houses(rows, c)
    tf.keras.utils.get_file = made_file
    with contextlib.suppress(ImportError):
        importlib.import_module("keras").utils.get_file = made_file
    _applications(tf)
    sys.modules["tensorflow_datasets"] = _tfds(tf, rows)
    sys.modules["gym"] = _gym(gym_api)
    sys.modules["wandb"] = _silent("wandb", "init", "log")
    ipython: Any = sys.modules.setdefault("IPython", types.ModuleType("IPython"))
    ipython.version_info, ipython.get_ipython = (8, 0), lambda: None  # matplotlib asks for both
    shown = _silent("IPython.display", "display", "clear_output", "Image", "HTML", "Audio", "Markdown")
    ipython.display = sys.modules["IPython.display"] = shown


def seed(tf: Any) -> None:
    """The same seeds for both libraries."""
    random.seed(0)
    np.random.seed(0)
    tf.keras.utils.set_random_seed(0)


def plots() -> None:
    """Pictures are drawn into memory, and shown nowhere."""
    with contextlib.suppress(ImportError):
        import matplotlib

        matplotlib.use("Agg")
        from matplotlib import pyplot

        pyplot.show = lambda *a, **k: pyplot.close("all")
        pyplot.style.use = lambda *a, **k: None  # styles come and go with versions


def _silent(module: str, *names: str) -> Any:
    """A module whose functions do nothing."""
    made: Any = types.ModuleType(module)
    for name in names:
        setattr(made, name, lambda *a, **k: None)
    return made


# --- data sets --------------------------------------------------------------------------------------------------------


def _pictures(shape: tuple[int, ...], classes: int, rows: int, stream: int) -> Any:
    """Pictures with one bright patch for each class, in noise: something can be learned from them."""
    rng = np.random.default_rng(stream)

    def part(count: int) -> tuple[Any, Any]:
        labels = rng.integers(0, classes, count).astype(np.uint8)
        pictures = rng.integers(0, 60, (count, *shape))
        for picture, label in zip(pictures, labels, strict=True):
            row, column = divmod(int(label) % 25, 5)
            picture[row * 5 : row * 5 + 6, column * 5 : column * 5 + 6] += 180
        return pictures.astype(np.uint8), labels if len(shape) == 2 else labels[:, None]

    return part(rows), part(max(rows // 4, 1))


def _reviews(rows: int, words: int, longest: int | None) -> Any:
    rng = np.random.default_rng(3)

    def part(count: int) -> tuple[Any, Any]:
        labels = rng.integers(0, 2, count)
        texts = np.empty(count, object)
        for n, label in enumerate(labels):
            length = int(rng.integers(10, min(longest or 120, 120)))
            texts[n] = [1, *(int(w) for w in rng.integers(4, words // 2, length) * 2 - label)]
        return texts, labels

    return part(rows), part(max(rows // 4, 1))


def _houses(rows: int, columns: int) -> Any:
    rng = np.random.default_rng(4)

    def part(count: int) -> tuple[Any, Any]:
        x = rng.normal(size=(count, columns)).astype(np.float32)
        return x, (20 + x @ np.arange(columns, dtype=np.float32) + rng.normal(size=count)).astype(np.float32)

    return part(rows), part(max(rows // 4, 1))


def _tfds(tf: Any, rows: int) -> Any:
    """`tensorflow_datasets.load` of pictures and labels."""
    module: Any = types.ModuleType("tensorflow_datasets")

    def load(
        name: str,
        split: Any = None,
        as_supervised: bool = False,
        with_info: bool = False,
        batch_size: int | None = None,
        **k: Any,
    ) -> Any:
        shape, classes = IMAGES.get(name.split(":")[0].split("/")[0], ((64, 64, 3), 5))
        shape = (*shape, 1) if len(shape) == 2 else shape
        (x, y), (x_test, y_test) = _pictures(shape, classes, rows, len(name))
        parts = {"train": (x, y), "test": (x_test, y_test), "validation": (x_test, y_test)}

        def dataset(part: str) -> Any:
            images, labels = parts[part.split("[")[0]]
            labels = labels.reshape(-1).astype(np.int64)
            rows_of = (images, labels) if as_supervised else {"image": images, "label": labels}
            made = tf.data.Dataset.from_tensor_slices(rows_of)
            return made.batch(batch_size) if batch_size else made

        def of(split: Any) -> Any:
            return dataset(split) if isinstance(split, str) else [of(one) for one in split]

        found = {part: dataset(part) for part in parts} if split is None else of(split)
        features = {"label": types.SimpleNamespace(num_classes=classes, names=[str(n) for n in range(classes)])}
        sizes = {part: types.SimpleNamespace(num_examples=len(x)) for part, (x, _) in parts.items()}
        return (found, types.SimpleNamespace(features=features, splits=sizes)) if with_info else found

    module.load = load
    module.as_numpy = lambda dataset: dataset.as_numpy_iterator()
    module.disable_progress_bar = lambda: None
    return module


# --- files and networks -----------------------------------------------------------------------------------------------


def made_file(fname: str | None = None, origin: str = "", *args: Any, **kwargs: Any) -> str:
    """A file as `get_file` gives it: a text, or a picture, by the end of its name."""
    name = Path(fname or origin.rsplit("/", 1)[-1])
    place = Path("made_files") / name.name
    place.parent.mkdir(exist_ok=True)
    match name.suffix.lower():
        case ".txt" | "":
            place.write_text(made_text(), encoding="utf-8")
        case ".jpg" | ".jpeg" | ".png":
            _made_picture(place)
        case other:
            raise OSError(f"No file can be downloaded here: {origin or fname} ({other}).")
    return str(place.resolve())


def made_text(lines: int = 400) -> str:
    """Lines of some words."""
    rng = random.Random(5)
    words = WORDS.split()
    return "".join(" ".join(rng.choices(words, k=8)).capitalize() + ".\n" for _ in range(lines))


def _made_picture(place: Path) -> None:
    from PIL import Image

    y, x = np.mgrid[0:160, 0:200]
    channels = [127 + 120 * np.sin(x / (9 + 5 * c) + y / (17 - 4 * c)) for c in range(3)]
    Image.fromarray(np.stack(channels, -1).astype(np.uint8)).save(place)


def _applications(tf: Any) -> None:
    """The networks of `keras.applications` with made weights instead of trained ones."""
    for space in (tf.keras.applications, importlib.import_module("keras").applications):
        for name in dir(space):
            build = getattr(space, name)
            if isinstance(build, types.ModuleType):
                for inner in dir(build):
                    if inner[:1].isupper():
                        setattr(build, inner, _unweighted(getattr(build, inner)))
            elif name[:1].isupper():
                setattr(space, name, _unweighted(build))


def _unweighted(build: Callable[..., Any]) -> Callable[..., Any]:
    def made(*args: Any, **kwargs: Any) -> Any:
        return build(*args, **{**kwargs, "weights": None})

    return made


# --- environments of reinforcement learning ---------------------------------------------------------------------------


def _gym(api: str) -> Any:
    """`gym` made of gymnasium: `api` old has `reset` give an observation and `step` four values."""
    module: Any = types.ModuleType("gym")
    try:
        gymnasium = importlib.import_module("gymnasium")
    except ImportError:
        return module
    seeds: Iterator[int] = iter(range(10**6))

    class Seeded(gymnasium.Wrapper):  # type: ignore[misc, name-defined]
        def reset(self, **kwargs: Any) -> Any:
            kwargs["seed"] = next(seeds)
            return self.env.reset(**kwargs) if api == "new" else self.env.reset(**kwargs)[0]

        def step(self, action: Any) -> Any:
            observation, reward, ended, cut, info = self.env.step(
                np.asarray(action) if np.ndim(action) else int(action)
            )
            return (
                (observation, reward, ended, cut, info) if api == "new" else (observation, reward, ended or cut, info)
            )

        def render(self, *args: Any, **kwargs: Any) -> Any:
            return np.zeros((40, 60, 3), np.uint8)

        def seed(self, seed: int = 0) -> list[int]:
            return [seed]

    build = gymnasium.make

    def make(name: str, *args: Any, **kwargs: Any) -> Any:
        env = build(name.replace("-v0", "-v1"), max_episode_steps=STEPS)
        env.action_space.seed(0)
        if hasattr(env.action_space, "n"):
            env.action_space.n = int(env.action_space.n)
        return Seeded(env)

    vars(module).update({name: value for name, value in vars(gymnasium).items() if not name.startswith("__")})
    module.make, module.__version__ = make, "0.26.0" if api == "new" else "0.18.0"
    sys.modules["gym.spaces"] = gymnasium.spaces
    if api == "new":
        gymnasium.make = make
    return module
