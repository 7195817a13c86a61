"""Ops that move, pick, sort and count elements."""
