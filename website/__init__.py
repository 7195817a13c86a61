"""What `mkdocs build` needs beside docs/: the pages of the reference, and links that leave docs/."""
