"""Ops on text and bytes."""
