"""The help texts of the commands that measure, written as those in :mod:`cuemem.commands.manual`."""

SWEEP = """Sweep every setting of a method at once: recall against tokens.

For the whole grid, by default every value of every knob (4,620 settings of
w, k and m), over the scorable questions of the conversations named, or of all
that are built, dataset by dataset: mean, any and all recall, mean tokens and
their 95th percentile, turns. --csv writes a row a setting. The table shows
the usual setting and, in steps, the frontier: what no cheaper setting equals.

Tokens are added up from the turns and one header for each session shown.
`exact` is what the rendered context costs, for the usual setting, and with
--exact for every setting shown. `anchors` is the recall of the method without
its graph at equal tokens: is it the graph, or only more tokens? Settings that
were chosen on the questions they are reported for are tuned; --within says
what is left of that on conversations that were held out.

With --budget, and for methods whose contexts do not nest, each setting is
recalled by itself: a coarse grid, unless values are given.

Examples:

  python -m cuemem sweep -w 0-6 -k 0-10 -m 1-60 --csv sweep.csv
  python -m cuemem sweep --dataset locomo --cues imported --within 2000
  python -m cuemem sweep --method naive_rag --by-category --csv rag.csv
  python -m cuemem sweep conv-26 --budget 1000 -w 0-2 -k 0,1 -m 10,20
"""

EVALUATE = """Run a benchmark: methods × questions, answered and judged.

Each method makes one run: the context of every question, what it holds of the
gold and, with a model, the answer to it and a judge's verdict. Without a
model, or with --model none, only retrieval is measured. What it will take is
told first, and asked for unless --yes; --max-cost and --max-calls stop it
cleanly before more is spent. Every question is committed as it is done, so
whatever stops a run, the same command, or --resume RUN, goes on from there
and asks nothing twice.

Questions are those of the conversations named, of a --dataset, or of all that
are built. --limit takes a sample of them, drawn by --seed: of each category
its share by size, but at least one, and of all conversations alike; a larger
sample holds the smaller one, and the run card names the seed. Answers go
method by method and conversation by conversation, which makes the best of a
server's prefix cache. `oracle` answers from the gold turns. A method may have
settings of its own: cuemem:w=0,k=0,m=25.

Presets, made of the methods named (by default cuemem):

  ablations   section 5.3: as it is, anchors only, anchors only at as many
              tokens, and without the priority instruction
  comparison  section 5.4: beside full history; the paper's figures below

Examples:

  python -m cuemem evaluate --dataset locomo --cues imported
  python -m cuemem evaluate lakeside --method oracle --model local --yes
  python -m cuemem evaluate --preset comparison --model gpt-4o --max-cost 2
"""

COMPARE = """Compare two runs question by question.

How many questions B fixed and broke against A, with McNemar's exact p, by
category; the difference in evidence, tokens and money. What keeps the runs
from being compared fairly (another prompt, model, judge, file or question
set) is said first. Runs of retrieval alone are compared by whether all gold
turns are in the context.

  python -m cuemem compare full_hi cuemem-3f2a --show broken
"""
