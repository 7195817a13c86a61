"""gradtape as a backend of Keras 3.

Users reach it as `gradtape.keras`, or by importing gradtape before keras. The package is laid out as Keras's own plug-in
backends are: `ops/` by subject, and `variable`, `random`, `rnn`, `trainer`, `optimizer`, `layer` and `export` beside them.
Keras 3.15 knows no other backends than its own; `hook` tells it of this one while it is being imported.

Importing this package imports neither Keras nor gradtape.
"""
