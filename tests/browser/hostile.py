"""A conversation in LoCoMo's layout whose every text tries to be more than text."""

from __future__ import annotations

from typing import Any

NAME = "<b>Eve</b> \"'><img src=x onerror=alert(1)> " + "van der Längstername " * 12
OTHER = "اسم طويل [c](javascript:alert(2))"
SAMPLE = "<script>alert('id')</script>"
TEXTS = (
    "<img src=x onerror=\"alert('img')\"> and <script>alert('script')</script>",
    "[click me](javascript:alert('link')) ![picture](http://example.com/p.png) <a href='http://example.com'>a</a>",
    "https://example.com/track?me=1 www.example.com mailto:a@example.com",
    "$\\frac{1}{2}$ and $$\\int_0^1 x\\,dx$$ \\(y\\) cost $5 and $6",
    "# Heading\n* item\n| a | b |\n|---|---|\n`code` **bold** ~~gone~~ :material/delete: :smile: :red[red]",
    "שלום עולם! زيارة إلى المدينة 123 \u202e reversed \u202c end",
    "👩‍👩‍👧 🏳️‍🌈 é e\u0301 zalgo: Z\u0351\u036b\u0343 𝔘𝔫𝔦",
    "</style><style>*{display:none}</style></textarea><svg onload=alert('svg')> {{7*7}} ${7*7} %s {0}",
    "unbroken" * 400,
    "long word by word, to 76,000 characters: " + "Marta walked to the lake again. " * 2375,
)
CAPTION = "<iframe src=javascript:alert('frame')></iframe> a \"photo\""


def conversation() -> dict[str, Any]:
    """One session of ten turns, two questions."""
    turns = [
        {"speaker": (NAME, OTHER)[place % 2], "dia_id": f"D1:{place + 1}", "text": text}
        for place, text in enumerate(TEXTS)
    ]
    turns[0] |= {"img_url": ["http://example.com/i.png"], "blip_caption": CAPTION}
    questions = [
        {"question": TEXTS[1] + TEXTS[3], "answer": TEXTS[0], "category": 4, "evidence": ["D1:2", "D1:10"]},
        {"question": TEXTS[4], "answer": TEXTS[5], "category": 1, "evidence": ["D1:5", "<b>D9:9</b>"]},
    ]
    return {
        "sample_id": SAMPLE,
        "conversation": {
            "speaker_a": NAME,
            "speaker_b": OTHER,
            "session_1_date_time": "1:56 pm on 8 May, 2023",
            "session_1": turns,
        },
        "qa": questions,
    }
