"""What everybody may use: errors, types, shapes, nested structures, the state of each thread."""
