"""How an unmodified Keras comes to run on gradtape. Each statement is tried in an interpreter of its own."""

import importlib.metadata
import os
import pathlib
import subprocess
import sys
import textwrap
from types import SimpleNamespace

import pytest

from keras_gradtape import completions, hook

FOREIGN = (
    "import sys; assert not {'tensorflow', 'torch', 'jax', 'jaxlib'} & set(sys.modules), 'imports another library'"
)


def run(program: str, **environment: str) -> subprocess.CompletedProcess[str]:
    variables = {name: value for name, value in os.environ.items() if name != "KERAS_BACKEND"} | environment
    script = textwrap.dedent(program)
    return subprocess.run([sys.executable, "-c", script], env=variables, capture_output=True, text=True, check=False)


def answer(program: str, **environment: str) -> str:
    done = run(program, **environment)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_every_way_to_import_gives_the_same_keras():
    program = f"""
        import gradtape as tf
        import gradtape.keras as imported
        from gradtape import keras
        from gradtape.keras import layers
        from gradtape.keras.layers import Dense
        import gradtape.keras.layers as imported_layers
        import keras as plain
        assert imported is keras is tf.keras
        assert layers is imported_layers is tf.keras.layers
        assert Dense is plain.layers.Dense is tf.keras.layers.Dense
        assert layers.__spec__.name == layers.__name__
        assert tf.optimizers.Adam is plain.optimizers.Adam and tf.losses.MeanSquaredError is plain.losses.MeanSquaredError
        assert tf.metrics.Mean is plain.metrics.Mean and tf.initializers.Zeros is plain.initializers.Zeros
        from gradtape.optimizers.schedules import ExponentialDecay
        {FOREIGN}
        print(keras.backend.backend(), plain.config.backend())
    """
    assert answer(program) == "gradtape gradtape"


@pytest.mark.parametrize("chosen", [{}, {"KERAS_BACKEND": ""}, {"KERAS_BACKEND": "gradtape"}])
def test_keras_imported_after_gradtape_runs_on_it(chosen):
    assert answer("import gradtape, keras; print(keras.backend.backend())", **chosen) == "gradtape"


def test_asking_for_gradtape_keras_overrules_the_environment():
    assert answer("import gradtape; print(gradtape.keras.backend.backend())", KERAS_BACKEND="jax") == "gradtape"


def test_the_environment_and_the_installed_files_stay_as_they_are():
    program = """
        import os, pathlib, keras_gradtape.hook as hook
        import importlib.util
        folder = pathlib.Path(importlib.util.find_spec("keras").origin).parent / "src"
        def state():
            return {f: f.stat().st_mtime_ns for f in folder.rglob("*.py*") if "backend" in f.parts or "layer" in f.name}
        before = state()
        import gradtape.keras
        changed = {f for f, time in state().items() if before.get(f) != time and f.suffix == ".py"}
        cached = [f for f in (folder / "backend" / "__pycache__").glob("__init__.*.pyc") if b"keras_gradtape" in f.read_bytes()]
        print(changed, cached, "KERAS_BACKEND" in os.environ)
    """
    assert answer(program) == "set() [] False"


def test_keras_on_another_backend_is_a_named_error():
    # A Keras that says it runs elsewhere; the others are not installed here.
    program = """
        import sys, types
        config = types.ModuleType("keras.src.backend.config")
        config.backend = lambda: "jax"
        sys.modules["keras"] = types.ModuleType("keras")
        sys.modules["keras.src.backend.config"] = config
        import gradtape as tf
        try:
            tf.keras
        except ImportError as error:
            print(type(error).__name__, error)
    """
    text = answer(program)
    assert text.startswith("UnsupportedKerasError")
    assert "'jax'" in text
    assert "Import gradtape before keras" in text


def test_keras_before_version_3_is_a_named_error(monkeypatch):
    monkeypatch.setattr(importlib.metadata, "version", lambda name: "2.15.0")
    with pytest.raises(hook.UnsupportedKerasError, match=r"needs Keras 3\.13 to 3\.15, found 2\.15\.0: pip install"):
        hook._check_version()


@pytest.mark.parametrize("version", ["3.12.1", "3.16.0", "4.0.0"])
def test_an_unknown_version_is_tried_with_a_warning(monkeypatch, version):
    monkeypatch.setattr(importlib.metadata, "version", lambda name: version)
    with pytest.warns(hook.UnknownKerasWarning, match=f"knows Keras 3.13 to 3.15, and this is {version}"):
        hook._check_version()


@pytest.mark.parametrize("version", ["3.13.0", "3.14.2", "3.15.1"])
def test_a_known_version_is_taken_silently(monkeypatch, version):
    monkeypatch.setattr(importlib.metadata, "version", lambda name: version)
    hook._check_version()


def test_the_variable_alone_chooses_gradtape_for_a_plain_import_of_keras():
    # What the installed gradtape_keras.pth runs when the interpreter starts.
    line = (pathlib.Path(hook.__file__).parents[1] / "gradtape_keras.pth").read_text()
    program = f"{line}\nimport keras; print(keras.backend.backend(), keras.config.backend())"
    assert answer(program, KERAS_BACKEND="gradtape") == "gradtape gradtape"


def test_the_line_of_the_installed_file_loads_nothing_unless_the_variable_says_gradtape():
    line = (pathlib.Path(hook.__file__).parents[1] / "gradtape_keras.pth").read_text()
    program = f"{line}\nimport sys; print('keras_gradtape' in sys.modules)"
    assert [answer(program), answer(program, KERAS_BACKEND="jax")] == ["False", "False"]


def test_without_keras_the_error_names_the_command(monkeypatch):
    def missing(name):
        raise importlib.metadata.PackageNotFoundError(name)

    monkeypatch.setattr(importlib.metadata, "version", missing)
    with pytest.raises(hook.UnsupportedKerasError, match=r"pip install 'keras>=3\.13'"):
        hook._check_version()


def test_a_keras_with_other_text_is_a_named_error(tmp_path):
    file = tmp_path / "layer.py"
    file.write_text("x = 1\n")
    for name in ("keras.src.layers.layer", "keras.src.backend.common.dtypes"):
        with pytest.raises(hook.UnsupportedKerasError, match="is not as gradtape knows it"):
            hook._Loader(name, str(file)).get_code(name)


def test_a_branch_is_added_before_the_chain(tmp_path):
    file = tmp_path / "optimizer.py"
    file.write_text(
        'def backend(): return "gradtape"\n'
        'if backend() == "tensorflow":\n    chosen = "tensorflow"\n'
        'elif backend() == "jax":\n    chosen = "jax"\n'
        'else:\n    raise RuntimeError("unknown")\n'
    )
    code = hook._Loader("keras.src.optimizers.optimizer", str(file)).get_code("keras.src.optimizers.optimizer")
    names = {}
    exec(code, names)
    assert "chosen" not in names
    assert names["BackendOptimizer"].__module__ == "keras_gradtape.optimizer"


def test_importing_gradtape_does_not_import_keras():
    assert answer("import gradtape, sys; print([m for m in sys.modules if m.split('.')[0] == 'keras'])") == "[]"


def test_the_archive_of_keras_3_13_is_the_backends_own():
    class Ours: ...

    class Refusing(Ours):  # a class over the backend's, as Keras 3.13 has it
        def __init__(self):
            raise NotImplementedError

    old = SimpleNamespace(BackendExportArchive=Ours, ExportArchive=Refusing)
    completions.complete_export(old)
    assert isinstance(old.ExportArchive(), Ours)

    class Choosing: ...  # a class that gives the backend's, as later versions have it

    new = SimpleNamespace(BackendExportArchive=Ours, ExportArchive=Choosing)
    completions.complete_export(new)
    assert new.ExportArchive is Choosing
