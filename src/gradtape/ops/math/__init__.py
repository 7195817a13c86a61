"""Elementwise functions, reductions, special functions."""
