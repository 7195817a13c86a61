"""`tf.io`: record files, serialized examples and tensors, images as bytes."""

from __future__ import annotations

from ..base.namespaces import listing
from . import gfile as gfile
from .features import FixedLenFeature as FixedLenFeature
from .features import FixedLenSequenceFeature as FixedLenSequenceFeature
from .features import RaggedFeature as RaggedFeature
from .features import SparseFeature as SparseFeature
from .features import VarLenFeature as VarLenFeature
from .files import matching_files as matching_files
from .files import read_file as read_file
from .files import write_file as write_file
from .images import decode_and_crop_jpeg as decode_and_crop_jpeg
from .images import decode_bmp as decode_bmp
from .images import decode_gif as decode_gif
from .images import decode_image as decode_image
from .images import decode_jpeg as decode_jpeg
from .images import decode_png as decode_png
from .images import encode_jpeg as encode_jpeg
from .images import encode_png as encode_png
from .images import extract_jpeg_shape as extract_jpeg_shape
from .images import is_jpeg as is_jpeg
from .parsing import decode_json_example as decode_json_example
from .parsing import parse_example as parse_example
from .parsing import parse_sequence_example as parse_sequence_example
from .parsing import parse_single_example as parse_single_example
from .parsing import parse_single_sequence_example as parse_single_sequence_example
from .records import TFRecordOptions as TFRecordOptions
from .records import TFRecordWriter as TFRecordWriter
from .sparse_texts import deserialize_many_sparse as deserialize_many_sparse
from .sparse_texts import serialize_many_sparse as serialize_many_sparse
from .sparse_texts import serialize_sparse as serialize_sparse
from .tensors import decode_base64 as decode_base64
from .tensors import decode_csv as decode_csv
from .tensors import decode_raw as decode_raw
from .tensors import encode_base64 as encode_base64
from .tensors import parse_tensor as parse_tensor
from .tensors import serialize_tensor as serialize_tensor

__dir__ = listing(globals())
