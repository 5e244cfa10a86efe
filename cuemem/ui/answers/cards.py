"""The cards: what was answered from each context, how it was judged, and what it cost."""

from __future__ import annotations

from datetime import datetime

from cuemem.evaluation.answer import left_out
from cuemem.evaluation.compare import Row
from cuemem.evaluation.f1 import OFFICIAL, SET_TOKENS, SUBSTRING
from cuemem.text import counted, money
from cuemem.types import Answer, EvidenceContext, Verdict, VerdictOutcome
from cuemem.ui.answers import cited
from cuemem.ui.answers.entrants import Entrant
from cuemem.ui.markup import Html, facts, html, join
from cuemem.workbench.asking import Live
from cuemem.workbench.comparison import Standing

_OUTCOMES: dict[VerdictOutcome, tuple[str, str]] = {
    "correct": ("correct", "cm-good"),
    "incorrect": ("incorrect", "cm-bad"),
    "unparsed": ("unparsed", "cm-busy"),
    "failed": ("not judged", "cm-busy"),
    "no answer": ("no answer", "cm-bad"),
}


def head(entrant: Entrant) -> Html:
    """The name of a contestant and how its context was made."""
    return html('<h3>{title}</h3><p class="cma-told">{told}</p>', title=entrant.title, told=entrant.told)


def size(entrant: Entrant, standing: Standing, longest: int) -> Html:
    """The tokens of the context as a bar beside the longest one's; hatched what the model's window leaves out."""
    whole, sent = standing.contestant.context.tokens, standing.sent.tokens
    share = sent / longest if longest else 0.0
    found = len(entrant.gold.intersection(standing.sent.turn_ids))
    evidence = f" · {found} of {counted(len(entrant.gold), 'gold turn')}" if entrant.gold else ""
    missing, what = left_out(standing.contestant.context, standing.sent)
    if missing:
        evidence += f" · {counted(missing, f'oldest {what}')} left out, since the model's window is shorter"
    beside = "" if sent == longest or not longest else f", {share:.0%} of the longest"
    return html(
        '<div class="cma-bar" role="img" aria-label="{tokens:,} of {longest:,} tokens">'
        '<i style="width:{sent:.2f}%"></i><i style="width:{lost:.2f}%"></i></div>'
        '<p class="cma-tokens"><b>{tokens:,} tokens</b> of context{beside}</p>'
        '<p class="cma-told">{turns}{evidence}</p>',
        tokens=sent,
        longest=longest,
        sent=100 * share,
        lost=100 * (whole - sent) / longest if longest and whole > sent else 0.0,
        beside=beside,
        turns=counted(len(standing.sent.items), "turn"),
        evidence=evidence,
    )


def coming(live: Live, tokens: int) -> Html:
    """An answer on its way."""
    if live.step == "waiting":
        return html('<p class="cma-none" role="status">waiting for its turn …</p>')
    if not live.text:
        words = f"The model reads {tokens:,} tokens … {live.seconds:.0f} s"
        return html('<p class="cma-none" role="status">{words}</p>', words=words)
    if live.step == "judging":
        return html(
            '<p class="cma-answer" dir="auto">{text}</p><p class="cma-none" role="status">The judge reads it …</p>',
            text=live.text,
        )
    return html('<p class="cma-answer cma-coming" dir="auto">{text}</p>', text=live.text)


def said(row: Row | None, can_ask: bool, sent: EvidenceContext) -> Html:
    """What was answered: the answer, its thoughts, what is to be known of it, and its verdict."""
    if row is None:
        words = "Not asked yet." if can_ask else "Nobody has asked this yet."
        return html('<p class="cma-none">{words}</p>', words=words)
    answer = row.answer
    if answer.failure is not None:
        note = html("<br>{note}", note=answer.note) if answer.note else Html()
        return html(
            '<div class="cm-notice cm-error" role="alert">No answer: {failure}{note}</div>',
            failure=answer.failure,
            note=note,
        )
    parts = [html('<p class="cma-answer" dir="auto">{text}</p>', text=answer.text or "(empty)")]
    if answer.reasoning and answer.style == "cited":
        parts.append(cited.path(answer.reasoning, sent))
    elif answer.reasoning:
        parts.append(_folded("The model's reasoning", answer.reasoning))
    if answer.note:
        parts.append(html('<p class="cm-notice cm-warning">{note}</p>', note=answer.note))
    if row.verdict is not None:
        parts.append(verdict(row.verdict))
    return join(parts)


def verdict(found: Verdict) -> Html:
    """A verdict with its reason, and whose it is."""
    state, look = _OUTCOMES[found.outcome]
    words = html(
        '<div class="cma-verdict"><span class="cm-state {look}">{state}</span>'
        '<span class="cma-reason" dir="auto">{reason}</span></div>'
        '<p class="cma-told">Judged by {model}, {protocol}{when}</p>',
        look=look,
        state=state,
        reason=found.reason,
        model=found.model,
        protocol=found.protocol,
        when=f", recorded {_day(found.asked_at)}" if found.recorded else "",
    )
    if found.outcome in ("unparsed", "failed") and found.reply:
        return join([words, _folded("What the judge said", found.reply)])
    return words


def figures(row: Row) -> Html:
    """What the answer cost (Table 3), and its token F1."""
    recon, infer = row.contestant.reconstruction_seconds, row.inference_seconds
    pairs = {
        "Tokens in": _number(row.tokens_in),
        "Tokens out": _number(row.tokens_out),
        "Money": money(row.cost),
        "Reconstruction": "none" if recon is None else seconds(recon),
        "Inference": "not known" if infer is None else seconds(infer),
    }
    if row.official_f1 is not None:
        pairs[OFFICIAL] = f"{row.official_f1:.2f}"
    if row.set_token_f1 is not None:
        pairs[SET_TOKENS] = f"{row.set_token_f1:.2f}"
    if row.substring_match is not None:
        pairs[SUBSTRING] = "yes" if row.substring_match else "no"
    return facts(pairs, "cma-figures")


def origin(answer: Answer) -> Html:
    """Who answered and when, and whether anybody was asked for it here."""
    if answer.recorded:
        return html(
            '<p class="cma-origin"><span class="cma-recorded">recorded</span> by {model}, {day}</p>',
            model=answer.model,
            day=_day(answer.asked_at),
        )
    return html(
        '<p class="cma-origin">{model}, asked {day}; shown from the cache, at no cost</p>',
        model=answer.model,
        day=_day(answer.asked_at),
    )


def seconds(value: float) -> str:
    """A measured time, with as many digits as it is worth."""
    return f"{1000 * value:.1f} ms" if value < 0.1 else f"{value:.2f} s" if value < 10 else f"{value:,.0f} s"


def _number(count: int | None) -> str:
    return "not known" if count is None else f"{count:,}"


def _day(time: datetime | None) -> str:
    return "at an unknown time" if time is None else f"{time:%Y-%m-%d}"


def _folded(title: str, text: str) -> Html:
    return html(
        '<details><summary>{title}</summary><p class="cma-long" dir="auto">{text}</p></details>',
        title=title,
        text=text,
    )
