"""Ops of neural networks: activations, convolutions, pools, normalisation, losses."""
