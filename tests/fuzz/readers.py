"""The readers: everything that reads bytes from outside, each with files of our own to begin from."""

from __future__ import annotations

import functools
import io
import json
import pathlib
import struct
import zlib
from typing import Any
from unittest import mock

import numpy as np

import gradtape as tf
from gradtape.io.crc32c import masked_crc32c
from gradtape.train import storage

from .reader import READERS as READERS
from .reader import placed, reader, refused, room

RECORD_END = b"\n--\n"  # between records, where a reader is given records and not a file of them

# --- records -----------------------------------------------------------------------------------------------------------------


def records_file(data: bytes) -> bytes:
    """A record file with whole checksums."""
    parts = []
    for record in data.split(RECORD_END):
        length = struct.pack("<Q", len(record))
        parts += [length, struct.pack("<I", masked_crc32c(length)), record, struct.pack("<I", masked_crc32c(record))]
    return b"".join(parts)


def _examples() -> list[bytes]:
    def feature(value: Any) -> Any:
        if isinstance(value[0], bytes):
            return tf.train.Feature(bytes_list=tf.train.BytesList(value=value))
        kind = tf.train.FloatList if isinstance(value[0], float) else tf.train.Int64List
        return tf.train.Feature(**{"float_list" if kind is tf.train.FloatList else "int64_list": kind(value=value)})

    values = {"f": [1.5, -2.0], "i": [1, 300, -7], "s": [b"text", b""], "at": [0, 3], "splits": [0, 1, 2]}
    example = tf.train.Example(features=tf.train.Features(feature={k: feature(v) for k, v in values.items()}))
    lists = {"steps": tf.train.FeatureList(feature=[feature([1.0]), feature([2.0, 3.0])])}
    sequence = tf.train.SequenceExample(
        context=tf.train.Features(feature={"i": feature([5])}), feature_lists=tf.train.FeatureLists(feature_list=lists)
    )
    return [example.SerializeToString(), sequence.SerializeToString(), tf.train.Example().SerializeToString()]


@reader("tfrecord", lambda: [records_file(b"one" + RECORD_END + b"two"), b"", records_file(b"x" * 1000)])
def _(data: bytes) -> Any:
    return list(tf.data.TFRecordDataset(placed("records", data)))


@reader("tfrecord_gzip", lambda: [_gzip(records_file(b"one" + RECORD_END + b"two")), _gzip(b"")])
def _(data: bytes) -> Any:
    return list(tf.data.TFRecordDataset(placed("records", data), compression_type="GZIP"))


@reader("tfrecord_zlib", lambda: [zlib.compress(records_file(b"one" + RECORD_END + b"two")), zlib.compress(b"")])
def _(data: bytes) -> Any:
    return list(tf.data.TFRecordDataset(placed("records", data), compression_type="ZLIB"))


def _gzip(data: bytes) -> bytes:
    packed = zlib.compressobj(wbits=31)
    return packed.compress(data) + packed.flush()


_FEATURES = {
    "f": tf.io.FixedLenFeature([2], tf.float32, [0.0, 0.0]),
    "i": tf.io.VarLenFeature(tf.int64),
    "s": tf.io.FixedLenSequenceFeature([], tf.string, allow_missing=True),
    "sparse": tf.io.SparseFeature("at", "f", tf.float32, 5),
    "ragged": tf.io.RaggedFeature(tf.int64, "i", [tf.io.RaggedFeature.RowSplits("splits")], validate=True),
}


@reader("example", _examples)
def _(data: bytes) -> None:
    for read in (
        lambda: tf.io.parse_single_example(data, {**_FEATURES, "s": tf.io.VarLenFeature(tf.string)}),
        lambda: tf.io.parse_example([data, data], _FEATURES),
        lambda: str(tf.train.Example.FromString(data)),
    ):
        with refused():
            read()


@reader("sequence_example", _examples)
def _(data: bytes) -> None:
    context = {"i": tf.io.VarLenFeature(tf.int64)}
    steps = {"steps": tf.io.VarLenFeature(tf.float32), "f": tf.io.FixedLenSequenceFeature([1], tf.float32, True)}
    for read in (
        lambda: tf.io.parse_single_sequence_example(data, context, steps),
        lambda: tf.io.parse_sequence_example([data, data], context, steps),
        lambda: str(tf.train.SequenceExample.FromString(data)),
    ):
        with refused():
            read()


_JSON_EXAMPLE = {
    "features": {
        "feature": {
            "a": {"int64List": {"value": ["1", 2]}},
            "b": {"floatList": {"value": [1.5]}},
            "c": {"bytesList": {"value": ["aGk="]}},
        }
    }
}


@reader("json_example", lambda: [json.dumps(_JSON_EXAMPLE).encode()], kind="json")
def _(data: bytes) -> Any:
    return tf.io.decode_json_example(data)


# --- tensors and texts -------------------------------------------------------------------------------------------------------


@functools.cache
def _tensors() -> list[bytes]:
    values = [
        [1.5, 2.0],
        [[1, 2], [3, 4]],
        ["a", "bc"],
        True,
        tf.constant([1 + 2j]),
        tf.zeros([0, 3]),
        tf.cast(1.0, tf.bfloat16),
    ]
    return [tf.io.serialize_tensor(value).numpy() for value in values]


@reader("parse_tensor", _tensors)
def _(data: bytes) -> None:
    for dtype in (tf.float32, tf.int32, tf.string, tf.bool, tf.complex64, tf.bfloat16):
        with refused():
            tf.io.parse_tensor(data, dtype)


@reader("decode_raw", lambda: [b"12345678" * 4, b""])
def _(data: bytes) -> None:
    for dtype in (tf.uint8, tf.int16, tf.float32, tf.float64, tf.complex64, tf.bool, tf.half):
        with refused():
            tf.io.decode_raw(data, dtype, little_endian=False)
        tf.io.decode_raw([data, data[:3]], dtype, fixed_length=16)


@reader("decode_base64", lambda: [b"aGVsbG8_Pg", b"YQ=="])
def _(data: bytes) -> Any:
    return tf.io.decode_base64(data)


@reader("decode_csv", lambda: [b'1,2.5,"a ""b""",4', b",,,", b"1,nan,x,-5"])
def _(data: bytes) -> Any:
    return tf.io.decode_csv(data, [0, tf.float32, "", tf.constant([1], tf.int64)])


@reader("text_lines", lambda: [b"one\r\ntwo\n\nthree", _gzip(b"one\ntwo\n"), zlib.compress(b"one\ntwo")])
def _(data: bytes) -> None:
    path = placed("lines", data)
    list(tf.data.TextLineDataset(path))
    for compression in ("GZIP", "ZLIB"):
        with refused():
            list(tf.data.TextLineDataset(path, compression))
        with refused():
            list(tf.data.FixedLengthRecordDataset(path, 4, 1, 1, compression_type=compression))


@reader("csv_dataset", lambda: [b"a,b,c\n1,2.5,x\n2,,y\n3,4.5,z\n", b'"a","b c"\n1,"2\n3"\n'], ValueError)
def _(data: bytes) -> Any:
    path = placed("table.csv", data)
    with refused():
        list(tf.data.experimental.CsvDataset(path, [0, tf.float32, ""], header=True))
    found = tf.data.experimental.make_csv_dataset(path, batch_size=2, num_epochs=1, shuffle=False)
    return list(found.map(lambda row: row))


@reader("vocabulary", lambda: [b"one\ntwo\nthree", b"a\t1\nb\t2\n"], ValueError)
def _(data: bytes) -> None:
    path = placed("vocabulary", data)
    kinds = [(tf.string, tf.lookup.TextFileIndex.WHOLE_LINE), (tf.string, 0)]
    for dtype, column in kinds:
        with refused():
            made = tf.lookup.TextFileInitializer(
                path, dtype, column, tf.int64, tf.lookup.TextFileIndex.LINE_NUMBER, delimiter="\t"
            )
            tf.lookup.StaticHashTable(made, -1).lookup(tf.constant(["one"]))


# --- sound and images --------------------------------------------------------------------------------------------------------


@reader("wav", lambda: [tf.audio.encode_wav(np.full((9, n), 0.5, np.float32), 8000).numpy() for n in (1, 2)])
def _(data: bytes) -> None:
    tf.audio.decode_wav(data)
    tf.audio.decode_wav(data, desired_channels=2, desired_samples=5)


@functools.cache
def _images() -> list[bytes]:
    from PIL import Image

    pixels = np.arange(48, dtype=np.uint8).reshape(4, 4, 3)
    picture = Image.fromarray(pixels)
    found = [tf.io.encode_png(pixels).numpy(), tf.io.encode_png(pixels[..., :1].astype(np.uint16)).numpy()]
    found.append(tf.io.encode_jpeg(pixels).numpy())
    for image, options in (
        (picture, {"format": "BMP"}),
        (picture.convert("P"), {"format": "GIF", "save_all": True, "append_images": [picture.convert("P").rotate(90)]}),
        (picture.convert("P"), {"format": "PNG", "transparency": 0}),
        (picture.convert("CMYK"), {"format": "JPEG"}),
        (picture, {"format": "JPEG", "progressive": True}),
        (picture.convert("1"), {"format": "PNG"}),
        (picture.convert("1"), {"format": "BMP"}),
    ):
        out = io.BytesIO()
        image.save(out, **options)
        found.append(out.getvalue())
    return found


@reader("image", _images)
def _(data: bytes) -> None:
    decoders = (tf.io.decode_jpeg, tf.io.decode_png, tf.io.decode_gif, tf.io.decode_bmp, tf.io.extract_jpeg_shape)
    for decode in (
        tf.io.decode_image,
        lambda x: tf.io.decode_image(x, dtype=tf.float32, expand_animations=False),
        *decoders,
    ):
        with refused():
            decode(data)


# --- checkpoints and models --------------------------------------------------------------------------------------------------


def _sealed(body: bytes, kind: storage.Kind) -> bytes:
    """An index with a head that fits."""
    head = {"format": kind.format, "version": kind.version, "bytes": len(body), "crc32": zlib.crc32(body)}
    return json.dumps(head).encode() + b"\n" + body


def _same_names() -> Any:
    """Files of arrays are named at random; here they are found by an index that was kept from another run."""
    return mock.patch.object(storage.secrets, "token_hex", return_value="0" * 8)


class Net(tf.Module):
    """Something of everything that a saved model stores."""

    def __init__(self) -> None:
        super().__init__()
        self.w = tf.Variable([[1.0, 2.0]], name="w")
        self.plain = {"a": (1, [2.5, "x"]), 7: None}
        self.texts = tf.constant(["a", "bc"])
        keys = tf.lookup.KeyValueTensorInitializer(tf.constant(["a", "b"]), tf.constant([1, 2], tf.int64))
        self.table = tf.lookup.StaticHashTable(keys, -1)

    @tf.function(input_signature=[tf.TensorSpec([None, 2], tf.float32)])
    def __call__(self, x: Any) -> Any:
        if tf.reduce_sum(x) > 0.0:
            x = x[:, ::-1]
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.reduce_sum(tf.nn.softmax(x * self.w) ** 2)
        return {"y": y, "g": tape.gradient(y, x)}

    @tf.function(input_signature=[tf.TensorSpec([None], tf.string)])
    def number(self, texts: Any) -> Any:
        return self.table.lookup(texts)


@functools.cache
def saved_net() -> tuple[pathlib.Path, bytes, bytes]:
    """A saved model: its folder, the body of its index, its arrays."""
    folder = room() / "model"
    with _same_names():
        tf.saved_model.save(Net(), folder)
    (data,) = folder.glob("*.safetensors")
    return folder, (folder / "saved_model.index").read_bytes().split(b"\n", 1)[1], data.read_bytes()


def _load_model(index: bytes | None = None, arrays: bytes | None = None) -> None:
    folder, body, original = saved_net()
    data = folder / json.loads(body)["data"]
    data.write_bytes(original if arrays is None else arrays)
    (folder / "saved_model.index").write_bytes(
        _sealed(body, storage.Kind("saved model", 1)) if index is None else index
    )
    loaded = tf.saved_model.load(folder)
    repr(loaded)
    for trace in loaded.signatures.values():
        trace.pretty_printed_signature()


@reader("saved_model", lambda: [saved_net()[1]], kind="json")
def _(data: bytes) -> None:
    _load_model(index=_sealed(data, storage.Kind("saved model", 1)))


@reader("saved_model_index", lambda: [_sealed(saved_net()[1], storage.Kind("saved model", 1))])
def _(data: bytes) -> None:
    _load_model(index=data)


@reader("safetensors", lambda: [saved_net()[2]])
def _(data: bytes) -> None:
    _load_model(arrays=data)


def _trained() -> Any:
    data = (
        tf.data.Dataset.range(20).shuffle(5, seed=1).map(lambda n: {"n": n, "text": tf.strings.as_string(n)}).batch(2)
    )
    return tf.train.Checkpoint(
        w=tf.Variable([[1.0, 2.0]]),
        names=tf.Variable(["a", "bc"]),
        z=tf.Variable(1 + 2j),
        data=iter(data.cache().unbatch()),
        random=tf.random.Generator.from_seed(1),
    )


@functools.cache
def saved_checkpoint() -> tuple[str, bytes]:
    """A checkpoint: its prefix, and the body of its index."""
    trained = _trained()
    next(trained.data)
    with _same_names():
        prefix = trained.write(str(room() / "ckpt"))
    return prefix, pathlib.Path(f"{prefix}.index").read_bytes().split(b"\n", 1)[1]


def _restore(index: bytes) -> None:
    prefix, _ = saved_checkpoint()
    pathlib.Path(f"{prefix}.index").write_bytes(index)
    opened = tf.train.load_checkpoint(prefix)
    opened.get_variable_to_shape_map()
    try:
        _trained().read(prefix).expect_partial()
    except ValueError as error:
        # (TensorFlow's error for another shape, and ours for another pipeline)
        if not any(words in str(error) for words in ("Received incompatible tensor", "The state does not fit")):
            raise


@reader("checkpoint", lambda: [saved_checkpoint()[1]], kind="json")
def _(data: bytes) -> None:
    _restore(_sealed(data, storage.CHECKPOINT))


@reader("checkpoint_index", lambda: [_sealed(saved_checkpoint()[1], storage.CHECKPOINT)])
def _(data: bytes) -> None:
    _restore(data)


@reader("checkpoint_state", lambda: [b'model_checkpoint_path: "ckpt-1"\nall_model_checkpoint_paths: "ckpt-1"\n'])
def _(data: bytes) -> None:
    saved_checkpoint()
    placed("checkpoint", data)
    tf.train.get_checkpoint_state(room())
    tf.train.latest_checkpoint(room())


# --- datasets and events -----------------------------------------------------------------------------------------------------


@functools.cache
def _elements() -> list[bytes]:
    def saved(dataset: Any) -> bytes:
        folder = room() / "made"
        dataset.save(str(folder))
        return RECORD_END.join(_records_of(folder / "elements"))

    first = tf.data.Dataset.from_tensor_slices({"x": [[1.0, 2.0], [3.0, 4.0]], "y": [b"a", b"bc"]})
    second = tf.data.Dataset.range(3).map(lambda n: (n, {"k": tf.cast(n, tf.float32)}))
    return [saved(first), saved(second)]


def _records_of(path: pathlib.Path) -> list[bytes]:
    return [record.numpy() for record in tf.data.TFRecordDataset(str(path))]


@reader("dataset", _elements, kind="records")
def _(data: bytes) -> None:
    folder = room() / "dataset"
    folder.mkdir(exist_ok=True)
    for name in ("elements", "cache.elements", "snapshot/snapshot.elements"):
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_bytes(records_file(data))
    for read in (
        lambda: list(tf.data.Dataset.load(str(folder))),
        lambda: list(tf.data.Dataset.range(2).cache(str(folder / "cache"))),
        lambda: list(tf.data.Dataset.range(2).snapshot(str(folder / "snapshot"))),
    ):
        with refused():
            read()


@functools.cache
def _events() -> list[bytes]:
    folder = room() / "events"
    with tf.summary.create_file_writer(str(folder)).as_default():
        tf.summary.scalar("loss", 1.5, step=1)
        tf.summary.histogram("h", [1.0, 2.0], step=2)
        tf.summary.text("t", "hello", step=3)
    (path,) = folder.iterdir()
    return [RECORD_END.join(_records_of(path))]


@reader("events", _events, kind="records")
def _(data: bytes) -> None:
    from gradtape.summary.event_file import read_events

    for event in read_events(placed("events.out.tfevents.1", records_file(data))):
        str(event)


# --- Keras -------------------------------------------------------------------------------------------------------------------


@functools.cache
def saved_keras() -> tuple[bytes, dict[str, bytes]]:
    """A `.keras` file, and its parts."""
    import zipfile

    keras = tf.keras
    model = keras.Sequential(
        [keras.layers.Input((2,)), keras.layers.Dense(3, activation="relu"), keras.layers.Dense(1)]
    )
    path = room() / "model.keras"
    model.save(path)
    with zipfile.ZipFile(path) as archive:
        return path.read_bytes(), {name: archive.read(name) for name in archive.namelist()}


def _load_keras(data: bytes) -> None:
    path = placed("damaged.keras", data)
    tf.keras.models.load_model(path)


# (Keras's own code reads its files, and raises under every backend what it and its libraries raise.)


@reader("keras", lambda: [saved_keras()[0]], Exception)
def _(data: bytes) -> None:
    _load_keras(data)


@reader("keras_config", lambda: [saved_keras()[1]["config.json"]], Exception, kind="json")
def _(data: bytes) -> None:
    import zipfile

    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, content in saved_keras()[1].items():
            archive.writestr(name, data if name == "config.json" else content)
    _load_keras(out.getvalue())
