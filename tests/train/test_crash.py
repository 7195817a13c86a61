"""A process that saves checkpoints is killed at random points: the last good checkpoint is always there."""

import os
import random
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

import gradtape as tf

SIZE = 200_000

WRITER = f"""
import sys
import gradtape as tf
folder = sys.argv[1]
step, w = tf.Variable(0), tf.Variable(tf.zeros([{SIZE}]))
checkpoint = tf.train.Checkpoint(step=step, w=w)
manager = tf.train.CheckpointManager(checkpoint, folder, max_to_keep=2)
manager.restore_or_initialize()
print("ready", flush=True)
while True:
    step.assign_add(1)
    w.assign(tf.fill([{SIZE}], float(step)))
    manager.save()
    print(int(step), flush=True)
"""


def restored(folder):
    """The step of the newest checkpoint, all of whose values belong to that step."""
    path = tf.train.latest_checkpoint(folder)
    if path is None:
        return 0
    step, w = tf.Variable(0), tf.Variable(tf.ones([SIZE]))
    tf.train.Checkpoint(step=step, w=w).restore(path).assert_consumed()
    np.testing.assert_array_equal(w, np.full(SIZE, float(step)))
    return int(step)


def started(folder):
    process = subprocess.Popen([sys.executable, "-c", WRITER, str(folder)], stdout=subprocess.PIPE)
    assert process.stdout.readline() == b"ready\n"
    return process


def killed(process):
    """Kill the process; the steps that it had saved and said so, after the first line read."""
    os.kill(process.pid, signal.SIGKILL)
    return [int(line) for line in process.communicate()[0].split()]


def kill_and_look(folder, kills, seed):
    draw = random.Random(seed)
    process = started(folder)
    begin = time.perf_counter()
    process.stdout.readline()
    first_save = time.perf_counter() - begin  # how long it takes is up to the disk and the load
    for _ in range(2):
        process.stdout.readline()
    killed(process)
    before, saved = restored(folder), 0
    assert before >= 3
    for _ in range(kills):
        process = started(folder)
        acknowledged = [int(process.stdout.readline()) for _ in range(draw.randrange(3))]
        time.sleep(draw.uniform(0, first_save))
        acknowledged += killed(process)
        after = restored(folder)
        assert after >= max([before, *acknowledged])  # what `save` returned from is never lost
        saved += after > before
        before = after
    assert saved > 0  # (some of them were waited for)
    # What crashes leave behind is cleared away by the next save of that number.
    assert len(os.listdir(folder)) < 2 * 2 + 1 + 2 * kills


def test_a_killed_process_leaves_the_last_good_checkpoint(tmp_path):
    kill_and_look(tmp_path, kills=10, seed=0)


@pytest.mark.full
def test_a_killed_process_leaves_the_last_good_checkpoint_200_times(tmp_path):
    kill_and_look(tmp_path, kills=200, seed=1)


STEP_BY_STEP = """
import os, sys
import gradtape as tf
from gradtape.train import storage

def dying(function):
    def call(*args, **kwargs):
        global left
        left -= 1
        if left == 0:
            os.kill(os.getpid(), 9)
        return function(*args, **kwargs)
    return call

def save_twice(folder):
    checkpoint = tf.train.Checkpoint(v=tf.Variable(1.0))
    manager = tf.train.CheckpointManager(checkpoint, folder, max_to_keep=1)
    manager.save()
    checkpoint.v.assign(2.0)
    for name in ("fsync", "replace", "open", "remove", "listdir"):
        setattr(storage.os, name, dying(getattr(os, name)))
    storage.open = dying(open)
    manager.save()

for left in range(1, 100):
    child = os.fork()
    if not child:
        save_twice(os.path.join(sys.argv[1], str(left)))
        os._exit(0)
    if os.waitpid(child, 0)[1] == 0:
        break
"""


def test_a_crash_between_any_two_calls_of_the_system_leaves_a_whole_checkpoint(tmp_path):
    """The same, without chance: dies before the 1st, 2nd, ... call that touches the disk."""
    subprocess.run([sys.executable, "-c", STEP_BY_STEP, str(tmp_path)], check=True)
    values = []
    for fatal in range(1, 1 + len(os.listdir(tmp_path))):
        v = tf.Variable(0.0)
        tf.train.Checkpoint(v=v).restore(tf.train.latest_checkpoint(tmp_path / str(fatal))).assert_consumed()
        values.append(v.numpy())
    assert 12 < len(values) < 99
    assert values == sorted(values)  # the old one up to some point, the new one from there on
    assert set(values) == {1.0, 2.0}
