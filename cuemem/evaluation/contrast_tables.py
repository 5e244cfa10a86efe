"""Two runs against each other, as tables."""

from __future__ import annotations

from cuemem.evaluation.contrast import Contrast, FlipLine, mean_recalls
from cuemem.evaluation.tables import INTERVAL, NOTHING, Table, bounds, decimal, whole
from cuemem.text import money


def flip_table(of: Contrast, before: str, after: str) -> Table:
    """The four-way table by category, with McNemar's exact p."""
    columns = ("questions", "both right", "fixed", "broken", "both wrong", "n", "A", "B", "p")
    rows = tuple(_flip_row(line) for line in of.table)
    right = "all gold turns are in the context" if of.measure == "all evidence" else "the judge says correct"
    note = (
        f"A is {before}, B is {after}. Right means that {right}; fixed: wrong in A and right in B. p is McNemar's "
        "exact two-sided p over fixed and broken."
    )
    return Table("What became of each question", columns, rows, notes=(note,))


def _flip_row(line: FlipLine) -> tuple[str, ...]:
    it = line.flips
    n = it.both_right + it.fixed + it.broken + it.both_wrong
    shares = (it.both_right + it.broken) / n, (it.both_right + it.fixed) / n
    counts = (it.both_right, it.fixed, it.broken, it.both_wrong, n)
    return (
        line.name,
        *(f"{count:,}" for count in counts),
        *(f"{100 * share:.1f}" for share in shares),
        p_value(it.p),
    )


def difference_table(of: Contrast) -> Table:
    """B − A in evidence, tokens and money."""
    one, other = mean_recalls(of)
    interval = of.recall if of.conversations > 1 else None
    change = of.recall.estimate if of.recall else None
    rows = [("evidence recall", decimal(one), decimal(other), _signed(change, 3), bounds(interval, 1, 3))]
    before, after = of.costs
    tokens = [("context tokens", before.context, after.context)]
    answered = before.answers and after.answers
    if answered:
        tokens.append(("tokens in", before.tokens_in, after.tokens_in))
        tokens.append(("tokens out", before.tokens_out, after.tokens_out))
    for name, left, right in tokens:
        more = None if left is None or right is None else right - left
        rows.append((name, whole(left), whole(right), _signed(more, 0), ""))
    if answered:
        rows.append(("answers, US dollars", *_prices(of, "answer_cost")))
        rows.append(("judge, US dollars", *_prices(of, "judge_cost")))
    note = (
        "The interval resamples conversations, so that it tells whether the difference would hold in others."
        if interval
        else "No interval: there is one conversation, and it takes several to tell whether the difference would hold."
    )
    return Table("Difference, B − A", ("", "A", "B", "B − A", INTERVAL), tuple(rows), notes=(note,))


def _prices(of: Contrast, name: str) -> tuple[str, str, str, str]:
    left, right = (getattr(side, name) for side in of.costs)
    if left is None or right is None:
        return money(left), money(right), NOTHING, ""
    return money(left), money(right), f"{'−' if right < left else '+'}{money(abs(right - left))}", ""


def p_value(p: float) -> str:
    """A p value for people."""
    return "< .001" if p < 0.001 else f"{p:.3f}"


def _signed(value: float | None, digits: int) -> str:
    if value is None:
        return NOTHING
    rounded = round(value, digits)
    return f"{rounded:+,.{digits}f}".replace("-", "−") if rounded else f"{0:.{digits}f}"
