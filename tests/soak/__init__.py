"""Mixed work for a long time: memory stays flat, and results stay exact."""
