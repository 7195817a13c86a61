"""The picture of a recorded computation: read, arranged in groups, and written as a page, SVG, PNG or DOT.

| file | subject |
| --- | --- |
| `entries.py`, `looks.py`, `surroundings.py` | what is known of each record: operands, lines, shapes, calls around it |
| `tapes.py`, `graphs.py` | from a tape, or a traced function, to nodes |
| `folding.py` | from a list of nodes to a tree of small groups |
| `picture.py` | nodes and groups, and their JSON |
| `view.py`, `dot.py`, `png.py` | what is written |
| `assets/` | the page; `layout.js` also lays pictures out where there is no browser |
"""
