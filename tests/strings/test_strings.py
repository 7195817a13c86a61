"""tf.strings: what TensorFlow 2.21 gives, and string tensors as values in the other functions."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import gradtape as tf

s = tf.strings
INVALID = tf.errors.InvalidArgumentError

# Each line was observed on TensorFlow.
OBSERVED: list[tuple[Any, Any]] = [
    (lambda: s.as_string(3.14159), b"3.141590"),
    (lambda: s.as_string([1, 20]), [b"1", b"20"]),
    (lambda: s.as_string(1e10), b"10000000000.000000"),
    (lambda: s.as_string(1e-10, precision=3), b"0.000"),
    (lambda: s.as_string(3.5, shortest=True), b"3.5"),
    (lambda: s.as_string(3.5, scientific=True), b"3.500000e+00"),
    (lambda: s.as_string(3.5, width=10), b"  3.500000"),
    (lambda: s.as_string(3, width=5, fill="0"), b"00003"),
    (lambda: s.as_string(3, width=5, fill="-"), b"3    "),
    (lambda: s.as_string(3, width=5, fill=" "), b"    3"),
    (lambda: s.as_string(3, fill="+"), b"+3"),
    (lambda: s.as_string(True), b"true"),
    (lambda: s.as_string(True, width=3), b"true"),
    (lambda: s.as_string(1 + 2j), b"(1.000000,2.000000)"),
    (lambda: s.as_string(1 + 2j, precision=2), b"(1.00,2.00)"),
    (lambda: s.as_string(tf.constant(1.5, tf.float16)), b"1.500000"),
    (lambda: s.as_string(tf.constant(1.5, tf.bfloat16)), b"1.500000"),
    (lambda: s.as_string(float("nan")), b"nan"),
    (lambda: s.as_string(float("-inf")), b"-inf"),
    (lambda: s.as_string("abc"), b"abc"),
    (lambda: s.join(["a", ["b", "c"]], separator="-"), [b"a-b", b"a-c"]),
    (lambda: s.join(["a", "b"]), b"ab"),
    (lambda: s.join([]), b""),
    (lambda: s.length(["abc", "é"]), [3, 2]),
    (lambda: s.length(["abc", "é", ""], unit="UTF8_CHAR"), [3, 1, 0]),
    (lambda: s.lower("ÀBC"), b"\xc3\x80bc"),
    (lambda: s.lower("ÀBC", encoding="utf-8"), b"\xc3\xa0bc"),
    (lambda: s.upper("àbc"), b"\xc3\xa0BC"),
    (lambda: s.upper("àbc", encoding="utf-8"), b"\xc3\x80BC"),
    (lambda: s.strip(["  a b\n\v"]), [b"a b"]),
    (lambda: s.substr("hello", 1, 3), b"ell"),
    (lambda: s.substr("hello", -3, 2), b"ll"),
    (lambda: s.substr("hello", 5, 2), b""),
    (lambda: s.substr(["hello", "world"], [1, 2], [3, 1]), [b"ell", b"r"]),
    (lambda: s.substr("héllo", 1, 2, unit="UTF8_CHAR"), b"\xc3\xa9l"),
    (lambda: s.substr("hello", 1, -1), b"ello"),
    (lambda: s.substr("hello", [1, 2], [3, 1]), [b"ell", b"l"]),
    (lambda: s.substr(["hello"], [[1], [2]], [[3], [1]]), [[b"ell"], [b"l"]]),
    (lambda: s.regex_replace("hello world", "o(.)", r"0\1"), b"hell0 w0rld"),
    (lambda: s.regex_replace("hello", "l", "L", replace_global=False), b"heLlo"),
    (lambda: s.regex_replace("abc", "b", r"[\0]"), b"a[b]c"),
    (lambda: s.regex_replace("abc", "b", r"\3"), b"abc"),
    (lambda: s.regex_replace("éa", ".", "x"), b"xx"),
    (lambda: s.regex_replace("baac", "a*", "-"), b"-b-c-"),
    (lambda: s.regex_full_match(["abc", "ab"], "ab."), [True, False]),
    (lambda: s.regex_full_match("abc", tf.constant("ab.")), True),
    (lambda: s.reduce_join([["a", "b"], ["c", "d"]]), b"abcd"),
    (lambda: s.reduce_join([["a", "b"], ["c", "d"]], axis=0, separator=","), [b"a,c", b"b,d"]),
    (lambda: s.reduce_join([["a", "b"], ["c", "d"]], axis=[0, 1], separator=","), b"a,c,b,d"),
    (lambda: s.reduce_join([["a", "b"], ["c", "d"]], axis=[1, 0], separator=","), b"a,b,c,d"),
    (lambda: s.reduce_join([["a", "b"], ["c", "d"]], axis=-1, keepdims=True), [[b"ab"], [b"cd"]]),
    (lambda: s.reduce_join(tf.zeros([2, 0], tf.string), axis=1), [b"", b""]),
    (lambda: s.reduce_join("a"), b"a"),
    (lambda: s.to_number(["1.5", " 2 ", "-3e2"]), [1.5, 2.0, -300.0]),
    (lambda: s.to_number("12", tf.int32), 12),
    (lambda: s.to_number("99999999999", tf.int64), 99999999999),
    (lambda: s.to_number("inf"), np.inf),
    (lambda: s.to_number("0x10"), 16.0),
    (lambda: s.to_number("1e400", tf.float64), np.inf),
    (lambda: s.format("a {} b {}", (tf.constant([1, 2]), tf.constant(3.5))), b"a [1 2] b 3.5"),
    (lambda: s.format("a {}", tf.constant("x")), b'a "x"'),
    (lambda: s.format("v: {}", tf.range(10), summarize=2), b"v: [0 1 ... 8 9]"),
    (lambda: s.format("no", ()), b"no"),
    (lambda: s.format("{}", tf.constant(["a", "b"])), b'["a" "b"]'),
    (lambda: s.to_hash_bucket_fast(["Hello", "TensorFlow", "2.x"], 3), [0, 2, 2]),
    (lambda: s.split("a b  c"), [b"a", b"b", b"c"]),
    (lambda: s.split("a,b,,c", sep=","), [b"a", b"b", b"", b"c"]),
    (lambda: s.split("a b c", maxsplit=1), [b"a", b"b c"]),
    (lambda: s.split(""), []),
    (lambda: s.split("", sep=","), [b""]),
    (lambda: s.bytes_split("abc"), [b"a", b"b", b"c"]),
    (lambda: s.unicode_decode("aé", "UTF-8"), [97, 233]),
    (lambda: s.unicode_decode(b"a\xff", "UTF-8"), [97, 65533]),
    (lambda: s.unicode_decode(b"a\xffb", "UTF-8", errors="ignore"), [97, 98]),
    (lambda: s.unicode_split("aé", "UTF-8"), [b"a", b"\xc3\xa9"]),
    (lambda: s.unicode_encode([97, 233], "UTF-8"), b"a\xc3\xa9"),
    (lambda: s.unicode_encode([[97, 233], [98, 99]], "UTF-8"), [b"a\xc3\xa9", b"bc"]),
    (lambda: s.unicode_encode([55296], "UTF-8"), b"\xef\xbf\xbd"),
    (lambda: s.unicode_transcode("aé", "UTF-8", "UTF-16-BE"), b"\x00a\x00\xe9"),
    (lambda: s.unsorted_segment_join(["a", "b", "c"], [1, 0, 1], 2, separator=":"), [b"b", b"a:c"]),
    # string tensors as values
    (lambda: tf.constant(["a", "b"]) == tf.constant("a"), [True, False]),
    (lambda: tf.constant(["a", "b"]) != "a", [False, True]),
    (lambda: tf.equal("a", "a"), True),
    (lambda: tf.constant("a") + tf.constant(["b", "c"]), [b"ab", b"ac"]),
    (lambda: "x" + tf.constant("b"), b"xb"),
    (lambda: tf.add("a", "b"), b"ab"),
    (lambda: tf.gather(["a", "b"], 1), b"b"),
    (lambda: tf.gather(["a", "b"], [1, 0]), [b"b", b"a"]),
    (lambda: tf.gather_nd(["a", "b"], [[1]]), [b"b"]),
    (lambda: tf.concat([["a"], ["b"]], 0), [b"a", b"b"]),
    (lambda: tf.stack(["a", "b"]), [b"a", b"b"]),
    (lambda: tf.reshape(["a", "b"], [2, 1]), [[b"a"], [b"b"]]),
    (lambda: tf.where([True, False], ["a", "b"], ["c", "d"]), [b"a", b"d"]),
    (lambda: tf.constant(["a", "b"])[1], b"b"),
    (lambda: tf.boolean_mask(["a", "b"], [True, False]), [b"a"]),
    (lambda: tf.tile(["a"], [2]), [b"a", b"a"]),
    (lambda: tf.unique(["a", "b", "a"]).idx, [0, 1, 0]),
    (lambda: tf.transpose([["a", "b"]]), [[b"a"], [b"b"]]),
    (lambda: tf.identity("a"), b"a"),
    (lambda: tf.zeros_like("a"), b""),
    (lambda: tf.fill([2], "a"), [b"a", b"a"]),
    (lambda: tf.expand_dims("a", 0), [b"a"]),
    (lambda: tf.squeeze([["a"]]), b"a"),
    (lambda: tf.reverse(["a", "b"], [0]), [b"b", b"a"]),
    (lambda: tf.broadcast_to("a", [2]), [b"a", b"a"]),
    (lambda: tf.repeat(["a", "b"], 2), [b"a", b"a", b"b", b"b"]),
    (lambda: tf.split(["a", "b"], 2)[1], [b"b"]),
    (lambda: tf.unstack(["a", "b"])[0], b"a"),
    (lambda: tf.slice(["a", "b"], [0], [1]), [b"a"]),
    (lambda: tf.size(["a"]), 1),
    (lambda: tf.tensor_scatter_nd_update(["a", "b"], [[0]], ["z"]), [b"z", b"b"]),
]  # fmt: skip


@pytest.mark.parametrize("number", range(len(OBSERVED)))
def test_gives_what_tensorflow_gives(number):
    call, expected = OBSERVED[number]
    result = call()
    value = result.numpy()
    assert (value.tolist() if hasattr(value, "tolist") else value) == expected


@pytest.mark.parametrize(
    ("error", "call"),
    [
        (INVALID, lambda: s.as_string(3, precision=2)),
        (INVALID, lambda: s.as_string(3.5, scientific=True, shortest=True)),
        (INVALID, lambda: s.as_string(3, fill="xy")),
        (INVALID, lambda: s.as_string(1, scientific=True)),
        (INVALID, lambda: s.join([["a"], ["b", "c"]])),
        (TypeError, lambda: s.join([1, 2])),
        (INVALID, lambda: s.join([tf.constant(1), tf.constant(2)])),
        (INVALID, lambda: s.length("a", unit="X")),
        (TypeError, lambda: s.length(1)),
        (INVALID, lambda: s.upper("a", encoding="latin1")),
        (INVALID, lambda: s.substr("hello", 6, 2)),
        (INVALID, lambda: s.substr("hello", -6, 2)),
        (INVALID, lambda: s.substr("hello", 1.0, 2)),
        (INVALID, lambda: s.substr("hello", [1, 2], 1)),
        (INVALID, lambda: s.regex_replace("a", "(", "x")),
        (INVALID, lambda: s.regex_full_match("a", "(")),
        (tf.errors.OutOfRangeError, lambda: s.reduce_join([["a", "b"]], axis=2)),
        (INVALID, lambda: s.to_number("abc")),
        (INVALID, lambda: s.to_number("")),
        (INVALID, lambda: s.to_number("1.5", tf.int32)),
        (INVALID, lambda: s.to_number("99999999999", tf.int32)),
        (INVALID, lambda: s.to_number("1", tf.uint8)),
        (ValueError, lambda: s.format("{} {}", [tf.range(10)])),
        (INVALID, lambda: s.to_hash_bucket_fast("a", 0)),
        (INVALID, lambda: s.unicode_decode(b"\xff", "UTF-8", errors="strict")),
        (INVALID, lambda: s.unicode_decode("a", "no such encoding")),
        (INVALID, lambda: s.unicode_encode([97], "latin1")),
        (INVALID, lambda: tf.constant("a") < tf.constant("b")),
        (INVALID, lambda: tf.constant("a") + 1),
        (INVALID, lambda: tf.sort(["b", "a"])),
        (INVALID, lambda: tf.reduce_sum(["a"])),
        (tf.errors.UnimplementedError, lambda: tf.cast("a", tf.float32)),
    ],
)  # fmt: skip
def test_what_cannot_be_raises(error, call):
    with pytest.raises(error):
        call()


def test_types():
    assert s.length("a").dtype == tf.int32
    assert s.to_number("1").dtype == tf.float32
    assert s.regex_full_match("a", "a").dtype == tf.bool
    assert s.to_hash_bucket_fast("a", 5).dtype == tf.int64
    assert s.as_string(1.0).dtype == tf.string


def test_text_cuts_the_path():
    x = tf.constant(1.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = s.to_number(s.as_string(x)) * 2.0
    assert tape.gradient(y, x) is None


# Buckets that TensorFlow gives, for texts of every length class of the hash.
BUCKETS = {
    0: 1936946117179621569, 1: 1995554031892216274, 3: 3528265042124086494, 4: 2213429530439872654,
    8: 1854426077976634363, 16: 3164125853366784482, 17: 1524568542649363307, 32: 3106455374685119367,
    33: 1954662749361463317, 64: 2038694120258497176, 65: 2902213790201947639, 128: 1225414534814053368,
    129: 2081254006075740879, 1000: 3434817637921425020,
}  # fmt: skip


@pytest.mark.quick
@pytest.mark.parametrize("size", BUCKETS)
def test_buckets_are_those_of_tensorflow(size):
    text = "".join(chr(33 + (i * 7 + size * 13) % 90) for i in range(size))
    assert s.to_hash_bucket_fast(text, 2**62 - 57).numpy() == BUCKETS[size]


def test_texts_in_a_tensor_come_apart_in_rows():
    assert s.split(["a b", "", "c"]).to_list() == [[b"a", b"b"], [], [b"c"]]
    assert s.split([["a b"], ["c"]]).to_list() == [[[b"a", b"b"]], [[b"c"]]]
    assert s.bytes_split(["ab", "c"]).to_list() == [[b"a", b"b"], [b"c"]]
    assert s.unicode_decode(["a", "bc"], "UTF-8").to_list() == [[97], [98, 99]]
    assert s.unicode_split(["é", "bc"], "UTF-8").to_list() == [["é".encode()], [b"b", b"c"]]


def test_runs_of_neighbours_are_those_of_tensorflow():
    assert s.ngrams([["a", "b", "c"]], 2).numpy().tolist() == [[b"a b", b"b c"]]
    assert s.ngrams(["a", "b"], 2, pad_values=(b"L", b"R"), padding_width=1).numpy().tolist() == [
        b"L a",
        b"a b",
        b"b R",
    ]
    both = s.ngrams(["a", "b", "c"], (2, 3), pad_values="P").numpy().tolist()
    assert both == [b"P a", b"a b", b"b c", b"c P", b"P P a", b"P a b", b"a b c", b"b c P", b"c P P"]
    ends = s.ngrams(["a", "b", "c"], (2, 3), pad_values=("P", "Q"), padding_width=1).numpy().tolist()
    assert ends == [b"P a", b"a b", b"b c", b"c Q", b"P a b", b"a b c", b"b c Q"]
    assert s.ngrams(["a"], 3).shape == (0,)
    assert s.ngrams(["a"], 3, preserve_short_sequences=True).numpy().tolist() == [b"a"]
    assert s.ngrams(tf.zeros([2, 0], tf.string), 2).shape == (2, 0)
    assert s.ngrams([[["a", "b"], ["c", "d"]]], 2, separator="-").numpy().tolist() == [[[b"a-b"], [b"c-d"]]]
    deep = tf.ragged.constant([[["a", "b"], ["c", "d", "e"]], [["f"]]])
    assert s.ngrams(deep, 2).to_list() == [[[b"a b"], [b"c d", b"d e"]], [[]]]


@pytest.mark.parametrize(
    ("error", "call"),
    [
        (ValueError, lambda: s.ngrams("a", 3)),
        (ValueError, lambda: s.ngrams(["a"], 0)),
        (TypeError, lambda: s.ngrams(["a"], 1.5)),
        (TypeError, lambda: s.ngrams(["a"], 2, pad_values=3)),
        (ValueError, lambda: s.ngrams(["a"], 2, padding_width=1)),
        (ValueError, lambda: s.ngrams(["a"], 2, pad_values="P", padding_width=-1)),
        (TypeError, lambda: s.ngrams([1], 2)),
        (INVALID, lambda: s.ngrams(tf.constant([1]), 2)),
    ],
)
def test_runs_that_cannot_be(error, call):
    with pytest.raises(error):
        call()


def test_texts_in_rows_stay_in_rows():
    rows = tf.ragged.constant([["A b", "c"], ["d"]])
    assert s.lower(rows).to_list() == [[b"a b", b"c"], [b"d"]]
    assert s.length(rows).to_list() == [[3, 1], [1]]
    assert s.to_hash_bucket_fast(rows, 10).to_list() == [[2, 2], [5]]
    assert s.regex_replace(rows, "A", "x").to_list() == [[b"x b", b"c"], [b"d"]]
    assert s.split(rows).to_list() == [[[b"A", b"b"], [b"c"]], [[b"d"]]]
    assert s.bytes_split(rows).to_list() == [[[b"A", b" ", b"b"], [b"c"]], [[b"d"]]]
    with pytest.raises(INVALID):
        s.lower(tf.ragged.constant([[1], [2, 3]]))


@pytest.mark.parametrize("pattern", ["(" * 3000 + ")" * 3000, "a{99999999999}", "(", "[z-a]"])
def test_patterns_that_are_none_or_too_deep_are_refused(pattern):
    for function in (tf.strings.regex_full_match, lambda text, pattern: tf.strings.regex_replace(text, pattern, "x")):
        with pytest.raises(tf.errors.InvalidArgumentError, match="Invalid pattern"):
            function("aab", pattern)
