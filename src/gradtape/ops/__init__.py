"""The ops, one block each: kernel, derivatives, batching, samples. See docs/design/ops.md."""
