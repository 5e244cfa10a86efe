"""The shown graph as a file: a page that needs nothing else, or GraphML for other tools."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Mapping
from html import escape
from importlib import resources

from cuemem.types import Explanation, Recall, Turn, TurnId
from cuemem.viz.graph.looks import THEMES
from cuemem.viz.graph.marks import Mark, marks_of, status_of
from cuemem.viz.graph.network import drawing_code, payload, vis_library
from cuemem.viz.graph.picture import Picture

_PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy"
  content="default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width">
<title>{title}</title>
<style>
:root {{ --ink: {light_ink}; --paper: {light_paper}; --tint: {light_band}; color-scheme: light dark; }}
@media (prefers-color-scheme: dark) {{ :root {{ --ink: {dark_ink}; --paper: {dark_paper}; --tint: {dark_band}; }} }}
body {{ margin: 1.5rem auto; padding: 0 1rem; max-width: {width}px; background: var(--paper); color: var(--ink);
  font: 15px/1.5 "Source Sans Pro", Helvetica, Arial, sans-serif; }}
h1 {{ font-size: 1.3rem; overflow-wrap: anywhere; }}
.cuemem-graph {{ background-color: var(--paper); color: var(--ink); }}
table {{ border-collapse: collapse; width: 100%; font-size: 14px; }}
th, td {{ text-align: left; vertical-align: top; padding: .3rem .6rem; border-bottom: 1px solid var(--tint); }}
td {{ white-space: pre-wrap; overflow-wrap: anywhere; }}
td:first-child {{ white-space: nowrap; }}
{css}
div.vis-tooltip {{ background: var(--tint); color: var(--ink); }}
</style>
</head>
<body>
<h1>{title}</h1>
<p>{sentence}</p>
<div class="cuemem-graph" id="graph" role="img"></div>
<p>{legend}</p>
<table><thead><tr><th>Turn</th><th>Why it is shown</th><th>Text</th></tr></thead><tbody>
{rows}
</tbody></table>
<script type="application/json" id="payload">{payload}</script>
<script>{library}</script>
<script>
{code}
const graph = cuememGraph(vis, document.getElementById("graph"), {{ onTurn: () => {{}}, onWidth: () => {{}} }});
graph.show(JSON.parse(document.getElementById("payload").textContent));
</script>
</body>
</html>
"""

LEGEND = (
    "Blue square A1, A2, …: anchor, by the rank of its best cue. Orange dot: reached by a temporal edge. Sky-blue "
    "diamond: reached by a semantic edge (dashed arc). Star: gold turn that was found. Vermillion triangle “miss”: "
    "gold turn that is not in the context. Hollow dot: cut by the budget. Dotted line with a number: turns left out."
)


def standalone_html(picture: Picture, title: str, marks: Collection[Mark]) -> str:
    """A page that works from a file, without any network: the picture, its sentence, and its turns as a table."""
    rows = "\n".join(
        f"<tr><td>{escape(mark.turn.turn_id)}</td><td>{escape(status_of(mark))}</td>"
        f"<td>{escape(mark.turn.text)}</td></tr>"
        for mark in marks
    )
    colours = {f"{theme}_{name}": THEMES[theme][name] for theme in THEMES for name in ("ink", "paper", "band")}
    return _PAGE.format(
        title=escape(title),
        sentence=escape(picture.sentence),
        legend=escape(LEGEND),
        rows=rows,
        width=round(picture.width) + 8,
        css=(resources.files(__package__) / "draw.css").read_text(encoding="utf-8"),
        payload=_inert(json.dumps(payload(picture), ensure_ascii=True)),
        library=vis_library().replace("</script", "<\\/script"),
        code=drawing_code(),
        **colours,
    )


def _inert(text: str) -> str:
    """JSON that cannot end the script element it stands in."""
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def graphml(
    recall: Recall, gold: Collection[TurnId], turns: Mapping[TurnId, Turn], explanations: Mapping[TurnId, Explanation]
) -> str:
    """The query, the retrieved cues, the turns of the context and what was cut or missed, with all their edges."""
    import networkx as nx  # type: ignore[import-untyped]

    graph = nx.MultiDiGraph()
    graph.add_node("query", kind="query", text=_xml(recall.query.text))
    marks = marks_of(recall, gold, turns, explanations)
    for mark in marks:
        turn = mark.turn
        graph.add_node(
            mark.node_id,
            kind="turn",
            turn=_xml(turn.turn_id),
            text=_xml(turn.text),
            session=turn.session,
            time=turn.time.isoformat() if turn.time else "",
            role="missed" if mark.missed else (mark.role or ""),
            gold=mark.gold,
            cut=mark.cut,
        )
        for hit in mark.hits:
            cue = f"cue {hit.cue.index}"
            graph.add_node(cue, kind="cue", text=_xml(hit.cue.text), rank=hit.rank, cosine=hit.cosine)
            graph.add_edge(cue, mark.node_id, kind="points to")
            if mark.retrieved:
                graph.add_edge("query", cue, kind="retrieves", cosine=hit.cosine)
    for mark in marks:
        for edge in mark.via:
            values = {} if edge.cosine is None else {"cosine": edge.cosine}
            graph.add_edge(f"turn {edge.source}", f"turn {edge.target}", kind=edge.kind, rank=edge.rank, **values)
    return "\n".join(nx.generate_graphml(graph))


_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def _xml(text: str) -> str:
    """The text without the characters that XML cannot hold, not even escaped."""
    return _NOT_XML.sub("\ufffd", text)
