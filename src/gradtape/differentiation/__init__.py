"""Tapes and the backward pass, Jacobians, forward mode, rules of users."""
