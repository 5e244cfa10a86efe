"""The help texts, for a terminal of 80 columns. A square bracket has to be escaped, or else it is markup."""

from cuemem.commands.manual_experiments import COMPARE as COMPARE
from cuemem.commands.manual_experiments import EVALUATE as EVALUATE
from cuemem.commands.manual_experiments import SWEEP as SWEEP

CUEMEM = """CueMem Lab: what a conversational memory recalls for a question, and why.

A conversation is loaded from its LoCoMo or LongMemEval file into a store,
cues are made of its turns and linked to a graph, and questions are traced
through it:

  question → cues → anchors → graph expansion → context

Everything runs on this machine; retrieval needs no language model.

A first look, with the bundled conversations:

  python -m cuemem sample
  python -m cuemem list
  python -m cuemem trace lakeside 0 --cues imported

Your own data:

  python -m cuemem load locomo10.json longmemeval_s_cleaned.json.gz
  python -m cuemem build conv-26 --cues sentences
  python -m cuemem trace conv-26 0 -w 2 -k 1 -m 10
  python -m cuemem explain conv-26 0 D1:3
  python -m cuemem retrieval

Exit codes: 0 success, 1 bad input, 2 wrong usage, 3 refusal (another process
holds the store, or a newer version wrote it), 130 interrupted. The options
below may stand before or after the command.
"""

LOAD = """Load conversations from LoCoMo or LongMemEval files, or a chat of your own.

The format is told from the content: the ten released LoCoMo conversations or
a single one in the older flat format; LongMemEval S, M or oracle files; a
JSON object for each message, on lines of their own; each also gzipped. A file
comes in whole or not at all, and loading it again changes nothing. What is
odd or wrong in a file is never dropped in silence: it is counted here and
listed, with its place, by `problems`.

  python -m cuemem load locomo10.json longmemeval_s_cleaned.json.gz
"""

BUILD = """Build memories: cues of every turn, or memory units, and what links them.

Cues (section 4.1 of the paper) are short facts that point to the turn they
came from. Where they come from:

  sentences     each sentence with its speaker's name before it; needs nothing
  observations  the statements that a LoCoMo file brings along
  imported      triples made elsewhere, from the folder given by --cue-dir: a
                file SAMPLE.jsonl for each conversation, a line for each turn:
                {"turn_id": "D1:3", "cues": \\[["Ann", "adopted", "a cat"]]}
  llm           triples that a language model extracts, as in the paper; one
                call a turn. What it will take is told before; a turn that it
                fails at is listed and stops nothing. Ctrl-C loses only the
                calls under way. Keys are taken from the environment.

A turn is an utterance (one message) or an exchange (a message and the reply
to it); auto takes exchanges for user and assistant, else utterances.

QGMem (--method qgmem) is built of memory units: single claims bound to the
turns they were said in. They come from a folder given by --units, a file
SAMPLE.units.jsonl for each conversation, with parsed questions beside it
(SAMPLE.queries.jsonl) and perhaps traces (SAMPLE.traces.jsonl); or from a
language model (--cues llm), in windows of --window-turns lines: two calls a
window, one a trace, one a question. With --units and --model together the
model writes the trajectories of the units that are given.

Vectors are kept by text and model, so what was computed once is never
computed again; an interrupted build is taken up where it stopped. Several
memories of a conversation may stand side by side. With --all, conversations
that lack what the cue source needs are listed and left out.

Examples:

  python -m cuemem build --all --cues imported --cue-dir cues/
  python -m cuemem build conv-26 conv-30 --cues observations
  python -m cuemem build lakeside --turns exchange
  python -m cuemem build lakeside --cues llm --model gpt-4o-mini --estimate
  python -m cuemem build lakeside --cues llm --model local
  python -m cuemem build conv-26 --method qgmem --units units/
  python -m cuemem build lakeside --method qgmem --cues llm --model local
"""

LIST = """List the conversations by their shortest names, and what is built of each."""

TRACE = """Trace a question stage by stage, and say what became of its gold turns.

The stages (section 4.3 of the paper):

  Query            the question is embedded
  Cue retrieval    the m cues nearest to it, by cosine
  Anchors          the turns these cues point to
  Graph expansion  turns within w of an anchor (temporal), and turns that hold
                   one of the k nearest cues of an anchor's cue (semantic)
  Evidence context all of them in chronological order, within the budget if
                   there is one

The scoreboard names, for each gold turn, its role (anchor, temporal, semantic
or missed), its best cue with its rank among all cues and its cosine, the
least single changes that would recover it, and the stage it was lost at:

  no cue           nothing was extracted from it, and no anchor reaches it
  below m          its best cue ranks below m, and no anchor reaches it
  no unit          it lies in the evidence of no memory unit
  below n          its units are among the first n of no channel, or not of
                   their fusion
  below k          its best unit has a place below k in the pool
  cut by budget    it was chosen, but the budget was full
  in context       nothing is wrong

The stages of QGMem: query parse, three ranked lists (lexical, dense, event-
attribute), their fusion, rerank, working memory, local graph, context.

Defaults suit the conversation: w = 2, k = 1, m = 10 in paper mode for
utterances; w = 1 and a budget of 3,000 tokens for exchanges.

Examples:

  python -m cuemem trace conv-26 0
  python -m cuemem trace conv-26 0 -w 1 -k 0 -m 20 --budget 2000 --no-context
  python -m cuemem trace lakeside 0 --cues sentences --items
  python -m cuemem trace lakeside 0 --method naive_rag --budget 1000
  python -m cuemem trace conv-26 0 --method qgmem -k 10 -n 100 --no-stems
"""

EXPLAIN = """Explain why a turn is, or is not, in the context of a question.

Says at which stage the turn was lost or how it came in, lists its cues with
their ranks over all cues, and the least value of w, of k, of m and of the
budget that would each alone bring it in, found by re-evaluation. For a turn
that is in, these values say how far each could be lowered.

  python -m cuemem explain conv-26 0 D1:3
  python -m cuemem explain lakeside 0 D4:4 --cues imported -k 0
"""

ANSWER = """Answer a question from several contexts by one model, and compare.

Each method's context goes into the same prompt, then to the same model and
the same judge. For each: verdict, tokens in and out, price, seconds to
reconstruct the context and to answer (Table 3 of the paper), and token F1;
then the answers with the judge's reasons. What was asked before comes from
the store and costs nothing. A history longer than the model's window is cut
at its oldest end, and that is said.

A question that is not in the file has no gold, so no verdict.

  python -m cuemem answer lakeside 0 --method cuemem --method full_history
  python -m cuemem answer lakeside 14 --model gpt-4o-mini --no-priority
  python -m cuemem answer lakeside "Who bakes rye bread?" --model local
"""

PROMPTS = """Print the prompts for language models, each with its source and hash.

To put one of your own in its place, write it to DIR/NAME.txt, beginning with
a copy of the one here, and say --prompts DIR or set CUEMEM_PROMPTS. Results
remember which prompt they came from.

  python -m cuemem prompts extraction
"""

EXTRACTION_QUALITY = """Measure how well a model extracts facts, on 54 turns of the samples.

Recall is the share of hand-written facts that a triple of their turn matches,
precision the share of triples that match a fact: by stemmed words or by
embedding, with the same numbers. docs/notes/models.md says what this rule
gets wrong, and what models reached.
"""

RETRIEVAL = """Measure how much of the gold evidence is retrieved, and at what cost.

For all questions of the conversations named, or of all that are built:

  recall, any, all  mean share of a question's gold turns in its context;
                    share of questions with any of them; with all of them
  prec.             share of the context that is gold
  anchors           recall of the anchors alone, before the graph is expanded
  tokens, p95       mean size of the context and its 95th percentile
  R@k, nDCG@k       of the turns by best cue rank, as trec_eval defines them
  session recall    share of the gold sessions that the context touches

Overall, by category with number, name and how many questions it has, and
apart the questions whose right reply is that it was not mentioned. Evidence
that cannot be resolved never counts as a miss. Compare methods or settings at
equal tokens only: by one --budget, or by reading recall against tokens.

The run is kept in the store with a card that says how to repeat it and the
result of every question; the same run again replaces it.

Examples:

  python -m cuemem retrieval --cues imported
  python -m cuemem retrieval conv-26 conv-30 -w 0 -k 0 -m 30
  python -m cuemem retrieval --method naive_rag --budget 2000
"""

GRID = """Measure recall for every combination of w, k and m, in paper mode.

A row for each conversation and setting, over the answerable questions with
gold: mean recall of the anchors and of the context, share of questions with
all gold turns in the context, mean number of turns. --csv writes these rows;
the table shows each setting over all conversations.

Values are ranges (0-3), lists (0,1,5) or steps (10-60:10). Where a knob has
none: w 0-3, k 0,1,2,3,5, m 5,10,15,20,30.

Examples:

  python -m cuemem grid --cues imported --csv grid.csv
  python -m cuemem grid conv-26 -w 0-6 -k 1 -m 10
  python -m cuemem grid --method naive_rag -m 5-60:5
"""

EXPORT = """Write cues, contexts or metrics to a CSV or JSON-lines file.

  cues      the cues of a memory; as .jsonl in the form that `build` imports
  contexts  for each question the context a model would be given
  metrics   for each question what `retrieval` measures

A run card is written beside it (FILE.card.json): files and their sha256,
method and settings, cue source, embedding model, tokenizer, code, time.

Examples:

  python -m cuemem export cues conv-26 --out conv-26.jsonl
  python -m cuemem export contexts lakeside --budget 2000 --out contexts.jsonl
  python -m cuemem export metrics conv-26 conv-30 -m 20 --out metrics.csv
"""

PROBLEMS = """List what was wrong or odd in the loaded files, each with its place.

A note says that the data is peculiar and nothing was changed on that account;
a problem, that something was changed or could not be used. What cannot be
resolved is left out of every measurement, never counted as a miss.

  python -m cuemem problems
  python -m cuemem problems locomo10.json --csv problems.csv
  python -m cuemem problems conv-26
"""

REMOVE = """Take conversations out of the store, with all that was made of them.

Their cues, memories and results go too; vectors stay, as other conversations
may share them, unless --compact drops those that nothing refers to.

Asks first, unless told --yes. Loading the file again brings the data back.

  python -m cuemem remove conv-26 conv-30 --yes
"""

INFO = """Say where the store lies, how large it is, and what it holds."""

SAMPLE = """Load and build the bundled conversations; quick the second time.

lakeside, two friends over eight months in LoCoMo's format, with hand-written
and with sentence cues, and with hand-written memory units and those that a
recorded model makes; and seven questions in LongMemEval's format, one of each
type and an abstention, with sentence cues.
"""

RECORD = """Let a model extract from, answer and judge the bundled conversations.

First QGMem's memory units of lakeside. Then six questions on lakeside and
three on the chat with an assistant, by every method, by QGMem from either
units, and from the gold turns. What comes back, failures of the extraction
too, is written to data/recorded_replies.jsonl: python -m cuemem sample brings
it in, and the app shows it as recorded, with the model and the date.
Interrupted, the same command goes on.

  python -m cuemem record --model local
"""
