"""What `mkdocs build` needs beside docs/: the pages of the reference, the how-to pages, and links that leave docs/."""
