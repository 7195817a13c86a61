"""Tensors: arrays with an identity."""
