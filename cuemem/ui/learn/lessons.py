"""What each step teaches, in plain words and in the paper's equations. Constants only: nothing here is data."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Equation:
    """An equation of the paper in LaTeX, and how to read it aloud."""

    latex: str
    words: str


@dataclass(frozen=True, slots=True)
class Lesson:
    """One step. ``section`` is the paper's, ``code`` the place in this project that does it; texts are Markdown."""

    number: int
    name: str
    title: str
    section: str
    text: str
    equations: tuple[Equation, ...]
    code: str


LESSONS: tuple[Lesson, ...] = (
    Lesson(
        1,
        "Turns",
        "A conversation is a line of turns",
        "3",
        "A memory begins with everything that was said, in the order in which it was said. One entry is a **turn**: "
        "between two people one message, in a chat with an assistant a request with its reply. Sessions are pauses "
        "in the line and no more; the numbering runs on across them, over weeks and months.",
        (Equation(r"\mathcal{D}=\{u_{1},u_{2},\ldots,u_{T}\}", "The history is T turns in chronological order."),),
        "cuemem/turns.py::cut_turns",
    ),
    Lesson(
        2,
        "Cues",
        "Small facts that point back to where they were said",
        "4.1",
        "From each turn the small facts in it are written down, each as *subject, relation, object*. Such a fact is "
        "a **cue**. The answer is not made from it; it is a handle that points to the turn it came from. As it says "
        "one thing only, a question meets it more easily than a whole turn that says five. A turn can have "
        "several cues, or none.",
        (
            Equation(
                r"\mathcal{C}=\{c_{1},c_{2},\ldots,c_{N}\},\quad c_{i}=(t_{i},\tau_{i})",
                "A cue is a fact t and a pointer τ to its source turn.",
            ),
            Equation(
                r"\mathbf{t}_{i}=\mathrm{Enc}(t_{i})",
                "An embedding model turns the fact into a list of numbers; similar meanings give similar numbers.",
            ),
        ),
        "cuemem/methods/cuemem/extraction.py::extract_cues",
    ),
    Lesson(
        3,
        "Time",
        "Temporal edges: what was said just before and after",
        "4.2",
        "Many a message makes sense only beside its neighbours: “Late.” answers a question that was asked one turn "
        "before. So every turn is linked to the $w$ turns before it and the $w$ turns after it. These links are the "
        "**temporal edges** of the turn graph. A pause between two sessions does not cut them.",
        (
            Equation(
                r"\mathcal{N}_{\mathrm{temp}}(v_{i})=\{v_{j}\in\mathcal{V}\mid 0<|i-j|\leq w\}",
                "The temporal neighbours of turn i are the turns at most w places away.",
            ),
            Equation(r"(v_{i},v_{j})\in\mathcal{E}_{\mathrm{temp}}", "An edge leads to each of them."),
        ),
        "cuemem/methods/cuemem/graph.py::in_window",
    ),
    Lesson(
        4,
        "Meaning",
        "Semantic edges: far apart, but about the same thing",
        "4.2",
        "Two turns can belong together although months lie between them. So for every cue the $k$ most similar cues "
        "of the whole conversation are looked up, and each pair links the turn of the one to the turn of the other: "
        "a **semantic edge**. How similar two cues are is told by the **cosine** of their vectors: 1 means the same "
        "direction, 0 nothing in common.",
        (
            Equation(
                r"\mathcal{N}_{\mathrm{sem}}(c_{i})=\mathrm{TopK}_{c_{j}\in\mathcal{C}\setminus\{c_{i}\}}"
                r"\cos(\mathbf{t}_{i},\mathbf{t}_{j})",
                "The neighbours of a cue are the k other cues with the largest cosine.",
            ),
            Equation(
                r"(v_{\tau_{i}},v_{\tau_{j}})\in\mathcal{E}_{\mathrm{sem}}",
                "An edge leads from the turn of the cue to the turn of its neighbour.",
            ),
        ),
        "cuemem/methods/cuemem/graph.py::semantic_edges",
    ),
    Lesson(
        5,
        "Query",
        "The question finds its cues",
        "4.3",
        "Up to here nothing was asked: cues and edges are made once, in advance. Now a question comes. The same "
        "embedding model turns it into a vector, all cues are ranked by their cosine with it, and the best $m$ are "
        "kept. What stands below the line is not looked at again.",
        (
            Equation(r"\mathbf{q}=\mathrm{Enc}(q)", "The question becomes a vector, as the cues did."),
            Equation(
                r"\mathcal{C}_{q}=\mathrm{TopK}_{c_{i}\in\mathcal{C}}\cos(\mathbf{q},\mathbf{t}_{i})",
                "Kept are the m cues with the largest cosine.",
            ),
        ),
        "cuemem/methods/cuemem/reconstruction.py::retrieve",
    ),
    Lesson(
        6,
        "One hop",
        "Anchors, and one hop from them",
        "4.3",
        "Each kept cue points to its turn. These turns are the **anchors**. From them one step is taken along the "
        "edges, temporal and semantic, and never a second one. Anchors and what one step reaches are the turns that "
        "the answer will be made from.",
        (
            Equation(
                r"\mathcal{A}_{q}=\{\tau_{i}\mid c_{i}\in\mathcal{C}_{q}\}",
                "The anchors are the turns that the kept cues point to.",
            ),
            Equation(
                r"\mathcal{N}_{\mathcal{G}}(\mathcal{A}_{q})=\{j\mid\exists i\in\mathcal{A}_{q},\ "
                r"(v_{i},v_{j})\in\mathcal{E}_{\mathrm{temp}}\cup\mathcal{E}_{\mathrm{sem}}\}",
                "Their neighbours are the turns to which an edge of either kind leads from an anchor.",
            ),
            Equation(
                r"\mathrm{E}_{q}=\{u_{j}\mid j\in\mathcal{A}_{q}\cup\mathcal{N}_{\mathcal{G}}(\mathcal{A}_{q})\}",
                "The evidence context is both together.",
            ),
        ),
        "cuemem/methods/cuemem/reconstruction.py::expand",
    ),
    Lesson(
        7,
        "Context",
        "The context, and the answer",
        "4.3 and 3",
        "The turns that were reached are put back into the order in which they were said, with the dates of their "
        "sessions and a … where something is left out. This text and the question are all that a language model is "
        "given to write the answer. It cannot use a turn that is not there: a wrong answer is often a missing turn.",
        (
            Equation(
                r"a=\mathrm{LLM}(\mathrm{Prompt}(q,\mathrm{E}_{q}))",
                "The answer is what a language model writes, given the question and the context.",
            ),
        ),
        "cuemem/context.py::assemble",
    ),
    Lesson(
        8,
        "Limits",
        "A fair look at the limits",
        "5.3",
        "The graph brings more turns, and more turns find more evidence: a larger context always does. So the fair "
        "question is not whether the graph finds more than the anchors alone, but whether it finds more **for the "
        "same number of tokens**. Instead of following edges one could simply keep more cues, or search whole turns "
        "without any cues.",
        (),
        "cuemem/evaluation/sweep.py::sweep",
    ),
    Lesson(
        9,
        "Beside",
        "The same question, another method",
        "5.1",
        "There are other ways to make a memory. One of them keeps no turn graph. It writes down **memory units**: "
        "single facts with the names, places and times in them. A question is looked up by three rankings side by "
        "side (its words, its meaning, and the people, places and times that it demands), which are joined by "
        "adding up reciprocal ranks; the best units become the context. Facts that change are tied into **traces**, "
        "so that the newest state is known. Both methods answer to the same protocol, so one question can be put to "
        "both.",
        (),
        "cuemem/ports.py::MemoryMethod",
    ),
)
STEPS = len(LESSONS) - 2  # the last two are no steps of the method


def lesson_of(note: str) -> tuple[Lesson, str]:
    """The lesson that a page's note names, the first where there is none; and a sentence where it cannot be meant."""
    if not note:
        return LESSONS[0], ""
    for lesson in LESSONS:
        if note == str(lesson.number):
            return lesson, ""
    return LESSONS[0], f"There is no step “{note[:20]}”; they go from 1 to {len(LESSONS)}. Step 1 is shown."


def heading(lesson: Lesson) -> str:
    """Where in the course a lesson stands: ``Step 4 of 7``."""
    return f"Step {lesson.number} of {STEPS}" if lesson.number <= STEPS else "After the seven steps"
