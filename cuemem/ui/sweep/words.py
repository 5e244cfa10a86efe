"""What the numbers of a sweep say, in sentences. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from cuemem.evaluation.frontier import Gain, fair
from cuemem.evaluation.swept import Measure
from cuemem.ui.sweep.measured import Exact, Reading

MEASURES: dict[Measure, tuple[str, str]] = {
    "recall": ("Mean recall", "Gold turns found, mean"),
    "any": ("Any gold turn", "Questions with any gold turn found"),
    "all": ("All gold turns", "Questions with all gold turns found"),
}
STEPS = {"alone": "added to anchors only", "last": "added to all the rest", "instead": "more cues in place of edges"}
_HOLDS = {
    "recall": "holds {} of a question's gold turns",
    "any": "holds a gold turn of {} of the questions",
    "all": "holds all gold turns of {} of the questions",
}
_SAME = 0.005  # half a point


def headline(reading: Reading) -> str:
    """The open setting, what it costs, and what the control makes of as many tokens."""
    if reading.place is None:
        return "The setting of the sidebar is not in this grid."
    means, place = reading.means, reading.place
    found, tokens = float(reading.found[place]), float(means.tokens[place])
    holds = _HOLDS[reading.measure].format(_share(found))
    said = f"At {reading.called(place)} a context of {tokens:,.0f} tokens {holds}."
    if reading.control is None or place in reading.control:
        return said
    rival = fair(means, reading.control, tokens)
    if rival is None:
        return f"{said} Without edges even the smallest context costs more."
    at, limited = rival
    other, spent = float(reading.found[at]), float(means.tokens[at])
    grown = reading.called(at).rpartition(", ")[2]
    reach = f"with {grown} they reach {_share(other)} for {spent:,.0f} tokens"
    if limited:
        return f"{said} Anchors only cannot spend as much: {reach}."
    return f"{said} {_against(found - other)} anchors only for as many tokens: {reach}."


def _against(gap: float) -> str:
    if abs(gap) < _SAME:
        return "That is as much as"
    return f"That is {abs(100 * gap):.1f} percentage points {'more' if gap > 0 else 'less'} than"


def _share(value: float) -> str:
    return f"{value:.1%}"


def counting(reading: Reading, exact: Exact | None) -> str:
    """How tokens were counted, and what an exact count of the open setting gives, or how far that is."""
    if reading.means.rendered:
        return "Tokens are those of the rendered contexts."
    said = "Tokens are added up: each turn and one header for each session shown."
    if reading.place is None:
        return said
    if exact is None or exact.done < exact.of:
        so_far = f", conversation {exact.done:,} of {exact.of:,}" if exact else ""
        return f"{said} The contexts of this setting are being rendered for an exact count{so_far} …"
    added = float(reading.means.tokens[reading.place])
    gap = 100 * (exact.tokens - added) / added if added else 0.0
    more = "more" if gap >= 0 else "less"
    return (
        f"{said} The rendered contexts of this setting cost {exact.tokens:,.0f} tokens, {abs(gap):.1f} % {more} than "
        "added up."
    )


def of_gains(gains: Sequence[Gain], letters: dict[str, str]) -> str:
    """Which step brings most for its tokens."""
    priced = [gain for gain in gains if gain.per_hundred is not None and gain.step != "last"]
    if not priced:
        return "This setting has no edges, so there is nothing to take apart."
    best = max(priced, key=lambda gain: gain.per_hundred or 0)
    what = f"more cues ({letters[best.knob]} = {best.value})" if best.step == "instead" else (
        f"edges by {letters[best.knob]} = {best.value}"
    )  # fmt: skip
    return f"Added to anchors only, {what} bring most: {best.per_hundred:.3f} gold turns for each 100 tokens."
