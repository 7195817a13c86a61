"""A picture in the language of Graphviz."""

from __future__ import annotations

from .picture import Group, Node, Picture

_SHAPES = {"variable": "ellipse", "watched": "ellipse", "value": "ellipse"}


def dot_of(picture: Picture) -> str:
    """All nodes, with groups as clusters."""
    lines = [
        "digraph tape {",
        f"  label={_quoted(picture.title)}; labelloc=t; fontname=Helvetica;",
        '  node [shape=box, style="rounded,filled", fillcolor=white, fontname=Helvetica, fontsize=11];',
        "  edge [color=gray50, arrowsize=0.7];",
    ]
    count = 0

    def put(group: Group, indent: str) -> None:
        nonlocal count
        for child in group.children:
            if isinstance(child, int):
                lines.append(f"{indent}n{child} [{_attributes(picture.nodes[child])}];")
            else:
                count += 1
                lines.append(f"{indent}subgraph cluster_{count} {{")
                lines.append(f"{indent}  label={_quoted(child.name)}; style=rounded; color=gray70;")
                put(child, indent + "  ")
                lines.append(f"{indent}}}")

    put(picture.root, "  ")
    for place, node in enumerate(picture.nodes):
        lines += [f"  n{source} -> n{place};" for source in node.inputs]
        lines += [f"  n{source} -> n{place} [style=dashed, color=orange3];" for source in node.lost]
    return "\n".join([*lines, "}", ""])


def _attributes(node: Node) -> str:
    words = [node.name, node.look, *(mark.upper() for mark in node.marks)]
    attributes = {"label": "\n".join(word for word in words if word)}
    if node.kind in _SHAPES:
        attributes |= {"shape": _SHAPES[node.kind], "fillcolor": "honeydew"}
    if node.kind in ("cut", "exit"):
        attributes |= {"color": "orange3", "style": "rounded,dashed"}
    if node.marks:
        attributes |= {"color": "red3", "fillcolor": "mistyrose"}
    if node.where is not None:
        attributes["tooltip"] = str(node.where)
    return ", ".join(f"{name}={_quoted(value)}" for name, value in attributes.items())


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'
