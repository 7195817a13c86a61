"""What an event file says, read with tensorboardX's messages and nothing of ours but the framing."""

from pathlib import Path

import numpy as np

from gradtape.summary.event_file import event_files, read_events

TYPES = {1: "<f4", 2: "<f8", 3: "<i4", 9: "<i8", 10: "?"}


def events(folder: Path) -> list:
    """All events below the folder, without the first of each file."""
    return [event for path in event_files(folder) for event in read_events(path) if not event.file_version]


def values(folder: Path) -> list[tuple[str, int, str, object]]:
    """(tag, step, plugin, value) of each summary."""
    return [
        (value.tag, event.step, value.metadata.plugin_data.plugin_name, decoded(value.tensor))
        for event in events(folder)
        for value in event.summary.value
    ]


def by_tag(folder: Path) -> dict[str, object]:
    """The last value under each tag."""
    return {tag: value for tag, _, _, value in values(folder)}


def decoded(tensor: object) -> object:
    """The value of a TensorProto: nested lists."""
    shape = [dim.size for dim in tensor.tensor_shape.dim]
    if tensor.dtype == 7:
        return np.array([*tensor.string_val, None], object)[:-1].reshape(shape).tolist()
    return np.frombuffer(tensor.tensor_content, TYPES[tensor.dtype]).reshape(shape).tolist()
