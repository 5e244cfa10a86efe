"""A picture as a pyvis network, and that as the payload a browser draws."""

from __future__ import annotations

import hashlib
import json
from importlib import resources
from typing import Any

from cuemem.viz.graph.looks import GREY, LINK_COLOURS, SHAPES, THEMES, groups
from cuemem.viz.graph.picture import Link, Node, Picture

Payload = dict[str, Any]


def network(picture: Picture) -> Any:
    """A :class:`pyvis.network.Network` of the picture: positions given, physics off."""
    from pyvis.edge import Edge
    from pyvis.network import Network
    from pyvis.node import Node as VisNode

    net = Network(height=f"{round(picture.height)}px", width="100%", directed=True)
    net.options = _options()
    # Appended as they are: add_node and add_edge search all that was added before, for each one.
    for node in picture.nodes:
        net.nodes.append(VisNode(node.node_id, SHAPES[node.look], **_node(node)).options)
        net.node_ids.append(node.node_id)
        net.node_map[node.node_id] = net.nodes[-1]
    place = {node.node_id: node.x for node in picture.nodes}
    for number, link in enumerate(picture.links):
        options = _link(link, number, rightwards=place[link.source] < place[link.target])
        net.edges.append(Edge(link.source, link.target, **options).options)
    return net


def payload(picture: Picture) -> Payload:
    """What the browser draws, compact; ``rev`` changes with the picture and only then."""
    nodes, edges, _heading, _height, _width, options = network(picture).get_network_data()
    scenery = [
        [piece.kind, *(_px(value) for value in (piece.x1, piece.y1, piece.x2, piece.y2)), piece.text]
        for piece in picture.scenery
    ]
    body: Payload = {
        "nodes": nodes,
        "edges": edges,
        "options": json.loads(options),
        "scenery": scenery,
        "width": _px(picture.width),
        "height": _px(picture.height),
        "alt": picture.sentence,
    }
    text = json.dumps(body, sort_keys=True, ensure_ascii=True)
    return body | {"rev": hashlib.blake2b(text.encode(), digest_size=8).hexdigest()}


def themes() -> dict[str, Any]:
    """What the drawing code needs of both themes; it never changes, so it is no part of a payload."""
    return {name: {"ink": ink, "groups": groups(name)} for name, ink in THEMES.items()}


def vis_library() -> str:
    """The text of vis-network, as pyvis brings it along."""
    return (resources.files("pyvis") / "lib" / "vis-9.1.2" / "vis-network.min.js").read_text(encoding="utf-8")


def drawing_code() -> str:
    """Our own code around vis: mounting, updates, themes, the scenery, the selected turn."""
    code = (resources.files(__package__) / "draw.js").read_text(encoding="utf-8")
    return code.replace("__THEMES__", json.dumps(themes(), sort_keys=True))


def _options() -> dict[str, Any]:
    """Options that hold for every picture. Groups are those of the light theme until a browser says otherwise."""
    return {
        "autoResize": False,
        "physics": {"enabled": False},
        "layout": {"improvedLayout": False},
        "groups": groups("light") | {"useDefaultGroups": False},
        "nodes": {"labelHighlightBold": False, "chosen": False, "margin": 0},
        "edges": {
            "smooth": False,
            "chosen": False,
            "selectionWidth": 0,
            "hoverWidth": 0.5,
            "arrowStrikethrough": False,
            "font": {"size": 10, "strokeWidth": 3, "align": "horizontal"},
        },
        "interaction": {
            "hover": True,
            "tooltipDelay": 120,
            "dragNodes": False,
            "selectConnectedEdges": False,
            "hoverConnectedEdges": False,
            "zoomView": False,
            "multiselect": False,
        },
    }


def _node(node: Node) -> dict[str, Any]:
    options: dict[str, Any] = {
        "label": node.label or " ",  # pyvis and vis would write the id under a node without a label
        "group": node.look,
        "x": _px(node.x),
        "y": _px(node.y),
        "title": node.title,
    }
    if SHAPES[node.look] == "box":
        width, height = _px(node.box.width), _px(node.box.height)
        options |= {"widthConstraint": {"minimum": width, "maximum": width}, "heightConstraint": {"minimum": height}}
    if node.turn_id is not None:
        options["turn"] = node.turn_id
    return options


def _link(link: Link, number: int, *, rightwards: bool) -> dict[str, Any]:
    colour = GREY if link.lost else LINK_COLOURS[link.kind]
    width = {
        "query": 0.6 + 2.0 * link.emphasis,
        "points": 0.8 + 1.6 * link.emphasis,
        "temporal": 2.5,
        "semantic": 1.4,
    }
    options: dict[str, Any] = {
        "id": f"{number} {link.kind}",
        "color": {
            "color": colour,
            "hover": colour,
            "opacity": 0.3 + 0.5 * link.emphasis if link.kind == "query" else 1,
        },
        "width": round(width[link.kind], 2),
        "title": link.title,
    }
    if link.label:
        options["label"] = link.label
    if link.kind == "semantic":
        options |= {"dashes": [6, 4], "arrows": {"to": {"enabled": True, "scaleFactor": 0.45}}}
    else:
        options["dashes"] = [3, 3] if link.lost else False
        options["arrows"] = ""
    if link.upright:
        options["smooth"] = {"enabled": True, "type": "cubicBezier", "forceDirection": "vertical", "roundness": 0.55}
    elif link.bow is not None:
        side = "curvedCCW" if rightwards else "curvedCW"  # either hangs below the line
        options["smooth"] = {"enabled": True, "type": side, "roundness": link.bow}
    return options


def _opacity(link: Link) -> float:
    """Lines to better cues are stronger; what crosses from row to row keeps in the background."""
    if link.kind == "query":
        return round(0.3 + 0.5 * link.emphasis, 2)
    return 0.6 if link.upright and link.kind == "semantic" else 1.0


def _px(value: float) -> float:
    return round(value, 1)
