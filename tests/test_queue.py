"""tf.queue: elements between threads; values and classes of errors as observed with TensorFlow."""

import threading

import pytest

import gradtape as tf

Q = tf.queue


def test_first_come_first_served():
    queue = Q.FIFOQueue(3, [tf.float32])
    queue.enqueue(1.0)
    queue.enqueue_many([[2.0, 3.0]])
    assert (int(queue.size()), queue.size().dtype) == (3, tf.int32)
    assert [float(queue.dequeue()) for _ in range(3)] == [1.0, 2.0, 3.0]


def test_elements_of_several_tensors_and_with_names():
    pair = Q.FIFOQueue(3, [tf.float32, tf.int32])
    pair.enqueue((1.0, 2))
    assert [float(x) for x in pair.dequeue()] == [1.0, 2.0]
    named = Q.FIFOQueue(3, [tf.float32, tf.int32], shapes=[(2,), ()], names=["a", "b"])
    named.enqueue({"a": [1.0, 2.0], "b": 3})
    element = named.dequeue()
    assert element["a"].numpy().tolist() == [1.0, 2.0]
    assert int(element["b"]) == 3
    assert (named.dtypes, named.names, named.shapes[0]) == ([tf.float32, tf.int32], ["a", "b"], (2,))


def test_many_at_once_and_what_is_left():
    queue = Q.FIFOQueue(5, tf.float32, shapes=[()])
    queue.enqueue_many([[1.0, 2.0, 3.0]])
    assert queue.dequeue_many(2).numpy().tolist() == [1.0, 2.0]
    queue.close()
    assert bool(queue.is_closed())
    assert queue.dequeue_up_to(5).numpy().tolist() == [3.0]
    with pytest.raises(tf.errors.OutOfRangeError, match="insufficient elements"):
        queue.dequeue_up_to(5)
    with pytest.raises(tf.errors.OutOfRangeError):
        queue.dequeue()
    with pytest.raises(tf.errors.CancelledError, match="closed"):
        queue.enqueue(1.0)


def test_other_orders():
    priority = Q.PriorityQueue(5, [tf.string], [()])
    for element in ((3, "c"), (1, "a"), (3, "d")):
        priority.enqueue(element)
    assert [priority.dequeue()[1].numpy() for _ in range(3)] == [b"a", b"c", b"d"]
    shuffled = Q.RandomShuffleQueue(100, 0, tf.int32, seed=1)
    shuffled.enqueue_many([list(range(50))])
    taken = [int(shuffled.dequeue()) for _ in range(50)]
    assert sorted(taken) == list(range(50)) != taken
    padded = Q.PaddingFIFOQueue(5, tf.int32, [(None,)])
    padded.enqueue([[1, 2]])
    padded.enqueue([[3]])
    assert padded.dequeue_many(2).numpy().tolist() == [[1, 2], [3, 0]]


def test_a_shuffled_queue_keeps_some_back_until_it_is_closed():
    queue = Q.RandomShuffleQueue(10, 2, tf.int32)
    queue.enqueue_many([[1, 2, 3]])
    queue.dequeue()
    seen = []
    thread = threading.Thread(target=lambda: seen.append(int(queue.dequeue())))
    thread.start()
    thread.join(0.05)
    assert thread.is_alive()
    queue.close()
    thread.join(10)
    assert len(seen) == 1


def test_those_who_bring_and_those_who_take_wait_for_each_other():
    queue = Q.FIFOQueue(2, tf.int32)
    thread = threading.Thread(target=lambda: [queue.enqueue(number) for number in range(100)])
    thread.start()
    assert [int(queue.dequeue()) for _ in range(100)] == list(range(100))
    thread.join(10)
    assert not thread.is_alive()


def test_closing_wakes_those_who_wait():
    queue = Q.FIFOQueue(1, tf.int32)
    queue.enqueue(1)
    errors = []

    def bring():
        try:
            queue.enqueue(2)
        except tf.errors.CancelledError as error:
            errors.append(error)

    thread = threading.Thread(target=bring)
    thread.start()
    thread.join(0.05)
    queue.close(cancel_pending_enqueues=True)
    thread.join(10)
    assert len(errors) == 1


def test_wrong_elements():
    queue = Q.FIFOQueue(3, [tf.float32, tf.int32], shapes=[(2,), ()])
    for call, error in [
        (lambda: queue.enqueue((1.0,)), tf.errors.InvalidArgumentError),
        (lambda: queue.enqueue(([1.0], 3)), ValueError),
        (lambda: queue.enqueue(([1.0, 2.0], 3.5)), TypeError),
        (lambda: queue.enqueue_many(([[1.0, 2.0]], [1, 2])), tf.errors.InvalidArgumentError),
        (lambda: queue.dequeue_many(-1), tf.errors.InvalidArgumentError),
        (lambda: Q.FIFOQueue(3, tf.float32).dequeue_many(1), tf.errors.InvalidArgumentError),
        (lambda: Q.FIFOQueue(3, [tf.float32], shapes=[(), ()]), ValueError),
        (lambda: Q.FIFOQueue(3, [tf.float32], names=["a", "b"]), ValueError),
        (lambda: Q.FIFOQueue(3, tf.float32, names="a").enqueue(1.0), ValueError),
        (lambda: Q.RandomShuffleQueue(3, 3, tf.float32), tf.errors.InvalidArgumentError),
    ]:
        with pytest.raises(error):
            call()
    assert int(queue.size()) == 0


def test_a_closed_queue_gives_no_element_when_none_is_asked_for():
    queue = tf.queue.FIFOQueue(3, tf.float32, shapes=())
    queue.close()
    assert queue.dequeue_up_to(0).shape == [0]
    with pytest.raises(tf.errors.OutOfRangeError, match="insufficient"):
        queue.dequeue_up_to(1)
