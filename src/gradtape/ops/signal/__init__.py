"""Ops on sampled signals."""
