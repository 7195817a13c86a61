"""Fork again and again while other threads trace, compile, change variables, save, log and load data.

    python storm.py FORKS FOLDER

Each child does some of that itself, and has a while for it. Run in a process of its own, which has no other threads.
"""

from __future__ import annotations

import os
import random
import sys
import tempfile
import threading
import time
import traceback
import warnings
from pathlib import Path

import numpy as np

import gradtape as tf

warnings.filterwarnings("ignore", category=DeprecationWarning)  # (of Python 3.12: a process with threads forks)
PATIENCE = 60.0  # seconds for a child
VARIABLE = tf.Variable(tf.zeros([100, 200]))
ONES = tf.ones([100, 200])


def trace(_: Path) -> None:
    """A new function, with a branch that AutoGraph converts."""

    @tf.function
    def function(x):
        if tf.reduce_sum(x) > 0.0:
            return x * 2.0
        return -x

    assert float(function(tf.constant([1.0, 2.0]))[1]) == 4.0


def compile_(_: Path) -> None:
    """A kernel in machine code that there was not before."""
    scale = random.random()
    function = tf.function(lambda x: tf.reduce_sum(tf.tanh(x * scale) * tf.exp(-x)))
    x = np.linspace(0, 1, 5000, dtype=np.float32)
    np.testing.assert_allclose(function(tf.constant(x)), (np.tanh(x * scale) * np.exp(-x)).sum(), rtol=1e-4)


def change(_: Path) -> None:
    """A large variable, in place; it is never seen half changed."""
    VARIABLE.assign_add(ONES)
    assert np.ptp(VARIABLE.numpy()) == 0


def save(folder: Path) -> None:
    """A checkpoint, and the way back."""
    with tempfile.TemporaryDirectory(dir=folder) as inside:
        path = tf.train.Checkpoint(v=VARIABLE).save(Path(inside) / "ckpt")
        again = tf.Variable(tf.zeros_like(VARIABLE))
        tf.train.Checkpoint(v=again).restore(path).assert_consumed()
        assert np.ptp(again.numpy()) == 0


WRITERS: dict[Path, object] = {}


def log(folder: Path) -> None:
    """A line of a summary."""
    if folder not in WRITERS:
        WRITERS[folder] = tf.summary.create_file_writer(str(folder / f"log-{os.getpid()}"))
    with WRITERS[folder].as_default(step=1):
        tf.summary.scalar("x", 1.0)
    WRITERS[folder].flush()


def load(_: Path) -> None:
    """A pipeline with threads."""
    dataset = tf.data.Dataset.range(40).shuffle(40).map(lambda x: x + 1, num_parallel_calls=2).cache().batch(8)
    assert sum(int(tf.reduce_sum(batch)) for batch in dataset.prefetch(2)) == 820


def draw(_: Path) -> None:
    """Random numbers, and a table."""
    tf.random.get_global_generator().normal([3])
    tf.random.normal([3], seed=1)
    assert not np.array_equal(tf.random.normal([300]), tf.random.normal([300]))  # without a seed
    table = tf.lookup.experimental.MutableHashTable(tf.int64, tf.int64, -1)
    table.insert(tf.range(3, dtype=tf.int64), tf.range(3, dtype=tf.int64))
    assert int(table.lookup(tf.constant(2, tf.int64))) == 2


WORK = (trace, compile_, change, save, log, load, draw)


def child(folder: Path) -> int:
    """Some of the work, in any order; 0 if it was done."""
    try:
        for work in random.sample(WORK, 4):
            work(folder)
    except BaseException:
        traceback.print_exc()
        return 1
    return 0


def ended(process: int) -> int | None:
    """What a child said, or None if it has not ended in time."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        done, status = os.waitpid(process, os.WNOHANG)
        if done:
            return os.waitstatus_to_exitcode(status)
        time.sleep(1e-3)
    os.kill(process, 9)
    os.waitpid(process, 0)
    return None


def forked(folder: Path) -> int:
    """The number of a child that works."""
    process = os.fork()
    if process == 0:
        folder.mkdir()
        os._exit(child(folder))
    return process


def main(forks: int, folder: Path) -> int:
    """How many children failed, or did not end."""
    stopped, errors = threading.Event(), []

    def go_on(work) -> None:
        try:
            while not stopped.wait(2e-3):
                work(folder)
        except BaseException as error:
            traceback.print_exc()
            errors.append(error)

    threads = [threading.Thread(target=go_on, args=(work,)) for work in WORK]
    for thread in threads:
        thread.start()
    failed, early = 0, []
    for number in range(min(forks, 8)):  # while the threads import what they need
        time.sleep(random.random() * 0.1)
        early.append(forked(folder / f"early-{number}"))
    for number in range(forks):
        if not early:
            time.sleep(random.random() * 0.02)  # any moment
        process = early.pop() if early else forked(folder / f"child-{number}")
        status = ended(process)
        if status != 0:
            print(f"child {number}: {'did not end' if status is None else f'ended with {status}'}", file=sys.stderr)
            failed += 1
    stopped.set()
    for thread in threads:
        thread.join()
    return failed + len(errors)


if __name__ == "__main__":
    raise SystemExit(main(int(sys.argv[1]), Path(sys.argv[2])))
