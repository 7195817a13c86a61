"""Several processes on one machine: the numbers of one process, a named error when one dies, checkpoints in pieces."""

import contextlib
import json
import os
import pathlib
import re
import subprocess
import sys
import time

import numpy as np
import pytest

import gradtape as tf

pytest.importorskip("jax", reason="the extra `xla` is not installed")

from gradtape.cli.command import main
from gradtape.experimental import dtensor
from gradtape.xla import processes

from .keras_worker import trained

WORKER, KERAS_WORKER = (str(pathlib.Path(__file__).with_name(name)) for name in ("worker.py", "keras_worker.py"))


def launched(*arguments):
    command = [sys.executable, "-m", "gradtape", "launch", *map(str, arguments)]
    environment = {name: value for name, value in os.environ.items() if name != "XLA_FLAGS"}
    return subprocess.run(command, capture_output=True, text=True, timeout=300, env=environment)


def losses_in(done):
    """What each process prints at its end."""
    return [
        [float(x) for x in re.findall(r"[\d.e-]+", line)] for line in re.findall(r"\[\d\] losses (.*)", done.stdout)
    ]


def expected_losses():
    x = np.random.default_rng(0).normal(size=(16, 8)).astype(np.float32)
    whole, cut = np.ones((8, 2), np.float32), np.ones((8, 4), np.float32)
    for _ in range(6):
        first, second = x @ whole, x @ cut
        losses = [(first**2).sum() / 16, (second**2).mean()]
        whole = whole - 0.05 * 2 * x.T @ first / 16
        cut = cut - 0.1 * 2 * x.T @ second / second.size
    return losses


def test_four_processes_give_the_numbers_of_one_and_a_checkpoint_that_another_mesh_reads(tmp_path):
    done = launched("--processes", 4, WORKER, tmp_path, 0)
    assert done.returncode == 0, done.stdout + done.stderr
    found = losses_in(done)
    assert len(found) == 4
    for each in found:
        np.testing.assert_allclose(each, expected_losses(), rtol=1e-5)
    path = tf.train.latest_checkpoint(tmp_path)
    index = json.loads(pathlib.Path(f"{path}.index").read_text(encoding="utf-8").partition("\n")[2])
    (pieces,) = [d["pieces"] for d in index["tensors"].values() if "pieces" in d]
    assert sorted(pieces.values()) == [[0, 0], [2, 0], [4, 0], [6, 0]]
    assert len({index["tensors"][name]["file"] for name in pieces}) == 4
    mesh = dtensor.create_mesh({"a": 4, "b": 2})
    cut = dtensor.DVariable(np.zeros((8, 4), np.float32), layout=dtensor.Layout(["a", "b"], mesh))
    tf.train.Checkpoint(cut=cut).restore(path).expect_partial()
    x = np.random.default_rng(0).normal(size=(16, 8)).astype(np.float32)
    assert float(tf.reduce_mean((x @ cut) ** 2)) < expected_losses()[1]
    double = tf.function(lambda: cut * 2.0)()
    assert [part.shape for part in dtensor.unpack(cut)] == [(2, 2)] * 8
    np.testing.assert_allclose(double, 2.0 * cut.numpy())


def test_a_process_that_is_killed_ends_the_others_and_all_go_on_from_the_last_checkpoint(tmp_path):
    done = launched("--processes", 2, "--devices", 2, "--restarts", 1, WORKER, tmp_path, 3)
    assert done.returncode == 0, done.stdout + done.stderr
    assert re.search(r"process \d of 2 was ended .*; the others were stopped\. Starting again", done.stderr)
    found = losses_in(done)
    assert len(found) == 2
    for each in found:
        np.testing.assert_allclose(each, expected_losses(), rtol=1e-5)


def test_without_restarts_the_error_is_named_at_once(tmp_path):
    script = tmp_path / "fails.py"
    ended = tmp_path / "ended"
    script.write_text(
        f"import os, pathlib, time\nif os.environ['GRADTAPE_PROCESS'] == '1':\n    pathlib.Path({str(ended)!r}).touch()\n"
        "    os._exit(3)\ntime.sleep(1000)\n"
    )
    done = launched("--processes", 2, script)
    assert done.returncode == 1
    assert "process 1 of 2 was ended with exit code 3" in done.stderr
    assert time.time() - ended.stat().st_mtime < 30


def test_a_program_that_is_not_there(capsys):
    assert main(["launch", "nowhere.py"]) != 0
    assert "there is no file 'nowhere.py'" in capsys.readouterr().err


def test_the_environment_names_the_processes(monkeypatch):
    cluster = {"worker": ["a:1", "b:2"], "chief": ["c:3"]}
    text = json.dumps({"cluster": cluster, "task": {"type": "worker", "index": 1}})
    monkeypatch.setenv("TF_CONFIG", text)
    assert processes.from_environment() == processes.Processes(3, 2, "c:3")
    monkeypatch.setenv("TF_CONFIG", json.dumps({"cluster": cluster, "task": {"type": "ps", "index": 0}}))
    with pytest.raises(ValueError, match="names 3 workers, and its task is"):
        processes.from_environment()
    monkeypatch.setenv("TF_CONFIG", "[")
    with pytest.raises(ValueError, match="not a JSON object"):
        processes.from_environment()
    monkeypatch.delenv("TF_CONFIG")
    assert processes.from_environment() == processes.Processes()
    with pytest.raises(ValueError, match="2 addresses were given"):
        processes.initialize("a:1,b:2", count=3, number=0)
    with pytest.raises(ValueError, match="need the address"):
        processes.initialize(count=3)


@pytest.mark.parametrize("how", ["strategy", "distribution"])
def test_fit_of_keras_in_two_processes_gives_the_numbers_of_one(how):
    keras = pytest.importorskip("keras", reason="the extra `keras` is not installed")
    keras.utils.set_random_seed(1)
    expected = trained(contextlib.nullcontext)
    done = launched("--processes", 2, KERAS_WORKER, how)
    assert done.returncode == 0, done.stdout + done.stderr
    found = [json.loads(line) for line in re.findall(r"\[\d\] found (.*)", done.stdout)]
    assert len(found) == 2
    for each in found:
        np.testing.assert_allclose(each, expected, rtol=2e-5, atol=1e-5)
