"""Result tables as Markdown and LaTeX. A text from the data stands in either as text."""

from __future__ import annotations

from cuemem.evaluation.tables import Table

_LATEX = str.maketrans(
    {
        "&": r"\&",
        "%": r"\%",
        "$": r"\$",
        "#": r"\#",
        "_": r"\_",
        "{": r"\{",
        "}": r"\}",
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        "\\": r"\textbackslash{}",
        "–": "--",
        "−": "$-$",
        "→": r"$\to$",
        "<": r"\textless{}",
        ">": r"\textgreater{}",
        "·": r"$\cdot$",
        "\n": " ",
    }
)
_MARKDOWN = str.maketrans({sign: f"\\{sign}" for sign in "\\`*_[]<>|#$"} | {"\n": " ", "\r": " "})


def markdown(table: Table) -> str:
    """The table as a pipe table under its title, its notes below."""
    head = [_md(name) for name in table.columns]
    rule = ["---" if place < table.left else "---:" for place in range(len(head))]
    lines = [head, rule, *([_md(cell) for cell in row] for row in table.rows)]
    body = "\n".join(f"| {' | '.join(line)} |" for line in lines)
    notes = "".join(f"\n{_md(note)}\n" for note in table.notes)
    return f"**{_md(table.title)}**\n\n{body}\n{notes}"


def latex(table: Table) -> str:
    """The table as a ``table`` environment of booktabs, its notes in the caption."""
    columns = "l" * table.left + "r" * (len(table.columns) - table.left)
    lines = [" & ".join(map(_tex, row)) + r" \\" for row in table.rows]
    caption = " ".join(map(_tex, (f"{table.title}.", *table.notes)))
    return "\n".join(
        [
            r"\begin{table}",
            r"\centering",
            rf"\caption{{{caption}}}",
            rf"\begin{{tabular}}{{{columns}}}",
            r"\toprule",
            " & ".join(map(_tex, table.columns)) + r" \\",
            r"\midrule",
            *lines,
            r"\bottomrule",
            r"\end{tabular}",
            r"\end{table}",
            "",
        ]
    )


def _md(text: str) -> str:
    return text.translate(_MARKDOWN)


def _tex(text: str) -> str:
    return text.translate(_LATEX)
