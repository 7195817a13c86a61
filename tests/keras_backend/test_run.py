"""`gradtape run`: scripts written for TensorFlow and Keras, unchanged."""

import os
import subprocess
import sys
import textwrap

from gradtape.cli import command as cli


def run(tmp_path, script, *arguments):
    (tmp_path / "helper.py").write_text("import tensorflow as tf\n\n\ndef double(x):\n    return tf.add(x, x)\n")
    file = tmp_path / "script.py"
    file.write_text(textwrap.dedent(script))
    environment = {**os.environ, "KERAS_BACKEND": "torch"}  # what it says does not matter here
    command = [sys.executable, "-m", "gradtape", "run", str(file), *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False, env=environment)


def test_a_script_for_tensorflow_runs_unchanged(tmp_path):
    done = run(
        tmp_path,
        """
        import sys
        import numpy as np
        import tensorflow as tf
        from tensorflow import keras
        from tensorflow.keras import layers
        from tensorflow.keras.models import Sequential
        from tensorflow.keras.optimizers import Adam
        from helper import double

        model = Sequential([keras.Input((4,)), layers.Dense(3, activation="relu"), layers.Dense(1)])
        model.compile(Adam(0.01), "mse")
        model.fit(np.ones((8, 4)), np.ones(8), epochs=2, verbose=0)
        x = tf.constant([[1.0, 2.0, 3.0, 4.0]])
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = double(model(x))
        assert tape.gradient(y, x).shape == (1, 4)
        print(__name__, sys.argv[1:], tf.__name__, tf.__version__, keras.backend.backend())
        sys.exit(3)
        """,
        "--epochs",
        "2",
    )
    assert done.returncode == 3, done.stderr
    assert done.stdout.split("\n")[-2] == "__main__ ['--epochs', '2'] tensorflow 2.21.0 tensorflow"


def test_a_script_for_keras_alone_runs_unchanged(tmp_path):
    done = run(tmp_path, "import keras\nprint(keras.backend.backend(), keras.ops.ones(2).numpy().tolist())")
    assert (done.returncode, done.stdout) == (0, "tensorflow [1.0, 1.0]\n"), done.stderr


def test_an_error_of_the_script_is_shown_as_python_shows_it(tmp_path):
    done = run(tmp_path, "import tensorflow as tf\n\ntf.no_such_thing\n")
    assert done.returncode == 1
    assert 'script.py", line 3' in done.stderr
    assert "AttributeError" in done.stderr


def test_a_script_that_is_not_there(capsys):
    assert cli.main(["run", "no-such-file.py"]) == 1
    assert "there is no file 'no-such-file.py'" in capsys.readouterr().err


def in_folder(folder, *arguments):
    command = [sys.executable, "-m", "gradtape", "run", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False, cwd=folder)


def test_a_package_runs_as_a_module(tmp_path):
    (tmp_path / "package").mkdir()
    (tmp_path / "package" / "__main__.py").write_text(
        "import sys, tensorflow as tf\nprint(__name__, sys.argv[1:], tf.__version__)\n"
    )
    done = in_folder(tmp_path, "-m", "package", "--fast")
    assert (done.returncode, done.stdout) == (0, "__main__ ['--fast'] 2.21.0\n"), done.stderr


def test_an_installed_command_runs_in_the_same_process(tmp_path):
    (tmp_path / "test_it.py").write_text(
        "def test():\n    import tensorflow as tf\n    assert tf.__version__ == '2.21.0'\n"
    )
    done = in_folder(tmp_path, "pytest", "-q", "-p", "no:cacheprovider")
    assert done.returncode == 0, done.stdout
    assert "1 passed" in done.stdout


def test_a_module_that_is_not_there(capsys):
    assert cli.main(["run", "-m", "no_such_package.at_all"]) == 1
    assert "there is no module 'no_such_package.at_all'" in capsys.readouterr().err
