"""The version of the schema, and the steps that bring an older store up to it.

A step is never edited once it was released: a store of any age goes through every step after its own version,
in one transaction, and so arrives at what ``schema.sql`` describes.
"""

from __future__ import annotations

from pathlib import Path

import duckdb

from cuemem.errors import Refused

Step = tuple[str, ...]

# STEPS[i] leads from version i + 1 to version i + 2. Version 1 is that of the first prototypes.
STEPS: tuple[Step, ...] = (
    (
        # 2: a file tells how many conversations it holds, so that a load brings back those that were removed,
        #    and which published file it is. What version 1 holds of a file was loaded whole.
        "ALTER TABLE files ADD COLUMN conversations INTEGER",
        "ALTER TABLE files ADD COLUMN known_as VARCHAR",
        """UPDATE files SET conversations =
               (SELECT count(*) FROM conversations AS c WHERE c.file_sha256 = files.sha256)""",
    ),
    (
        # 3: cues can be corrected by hand, known faults of the gold laid over it, and background work taken up
        #    again after a restart.
        """CREATE TABLE corrections (
               conversation_id VARCHAR NOT NULL, source VARCHAR NOT NULL, turn_unit VARCHAR NOT NULL,
               number INTEGER NOT NULL, turn_id VARCHAR NOT NULL, before JSON NOT NULL, before_failure VARCHAR,
               after JSON NOT NULL, state VARCHAR NOT NULL, corrected_at TIMESTAMP NOT NULL,
               PRIMARY KEY (conversation_id, source, turn_unit, number))""",
        """CREATE TABLE overlays (
               conversation_id VARCHAR NOT NULL, question_index INTEGER NOT NULL, sha256 VARCHAR NOT NULL,
               name VARCHAR NOT NULL, error_type VARCHAR NOT NULL, reasoning VARCHAR NOT NULL,
               correct_answer JSON, correct_evidence JSON, added_at TIMESTAMP NOT NULL,
               PRIMARY KEY (conversation_id, question_index, sha256))""",
        """CREATE TABLE jobs (
               job_id VARCHAR PRIMARY KEY, kind VARCHAR NOT NULL, title VARCHAR NOT NULL, details JSON NOT NULL,
               state VARCHAR NOT NULL, message VARCHAR NOT NULL, what VARCHAR NOT NULL, done BIGINT NOT NULL,
               total BIGINT NOT NULL, created_at TIMESTAMP NOT NULL, started_at TIMESTAMP, ended_at TIMESTAMP)""",
    ),
    (
        # 4: language models: their replies and failures, the prompts used, and verdicts.
        """CREATE TABLE replies (
               request_key VARCHAR PRIMARY KEY, model VARCHAR NOT NULL, prompt VARCHAR NOT NULL,
               prompt_hash VARCHAR NOT NULL, conversation_id VARCHAR NOT NULL, text VARCHAR NOT NULL,
               finish_reason VARCHAR NOT NULL, tokens_in BIGINT NOT NULL, tokens_out BIGINT NOT NULL,
               seconds DOUBLE NOT NULL, cost DOUBLE, recorded BOOLEAN NOT NULL, asked_at TIMESTAMP NOT NULL)""",
        """CREATE TABLE chat_failures (
               request_key VARCHAR PRIMARY KEY, model VARCHAR NOT NULL, prompt VARCHAR NOT NULL,
               prompt_hash VARCHAR NOT NULL, conversation_id VARCHAR NOT NULL, kind VARCHAR NOT NULL,
               sentence VARCHAR NOT NULL, retryable BOOLEAN NOT NULL, tried INTEGER NOT NULL,
               failed_at TIMESTAMP NOT NULL)""",
        """CREATE TABLE prompts (
               name VARCHAR NOT NULL, hash VARCHAR NOT NULL, own BOOLEAN NOT NULL, about VARCHAR NOT NULL,
               text VARCHAR NOT NULL, used_at TIMESTAMP NOT NULL, PRIMARY KEY (name, hash))""",
        """CREATE TABLE verdicts (
               conversation_id VARCHAR NOT NULL, question_index INTEGER NOT NULL, answer_key VARCHAR NOT NULL,
               judge VARCHAR NOT NULL, protocol VARCHAR NOT NULL, prompt_hash VARCHAR NOT NULL,
               outcome VARCHAR NOT NULL, reason VARCHAR NOT NULL, judged_at TIMESTAMP NOT NULL,
               PRIMARY KEY (conversation_id, question_index, answer_key, judge, protocol, prompt_hash))""",
    ),
    # 5: a reply tells how many requests it took, so that the counts agree with the server's.
    ("ALTER TABLE replies ADD COLUMN tried INTEGER DEFAULT 1",),
    (
        # 6: runs have answers and verdicts, and may wait for replies from batch files. The earlier ones, of retrieval
        #    alone, had another form; measuring anew takes seconds.
        "DROP TABLE results",
        """CREATE TABLE results (
               run_id VARCHAR NOT NULL, conversation_id VARCHAR NOT NULL, question_index INTEGER NOT NULL,
               "values" JSON NOT NULL, open VARCHAR NOT NULL,
               PRIMARY KEY (run_id, conversation_id, question_index))""",
        "DELETE FROM runs",
        """CREATE TABLE batch_requests (
               request_key VARCHAR NOT NULL, owner VARCHAR NOT NULL, part VARCHAR NOT NULL, model VARCHAR NOT NULL,
               prompt VARCHAR NOT NULL, prompt_hash VARCHAR NOT NULL, conversation_id VARCHAR NOT NULL,
               max_tokens INTEGER NOT NULL, tokens_in INTEGER NOT NULL, reply_schema JSON,
               exported_at TIMESTAMP NOT NULL, PRIMARY KEY (request_key, owner))""",
    ),
    (
        # 7: failures are reviewed, and judges asked repeatedly.
        """CREATE TABLE reviews (
               run_id VARCHAR NOT NULL, conversation_id VARCHAR NOT NULL, question_index INTEGER NOT NULL,
               answer_key VARCHAR NOT NULL, proposed VARCHAR NOT NULL, decided VARCHAR, flag BOOLEAN NOT NULL,
               note VARCHAR NOT NULL, decided_at TIMESTAMP NOT NULL,
               PRIMARY KEY (run_id, conversation_id, question_index))""",
        """CREATE TABLE repeated_verdicts (
               conversation_id VARCHAR NOT NULL, question_index INTEGER NOT NULL, answer_key VARCHAR NOT NULL,
               judge VARCHAR NOT NULL, protocol VARCHAR NOT NULL, prompt_hash VARCHAR NOT NULL,
               repeat INTEGER NOT NULL, outcome VARCHAR NOT NULL, reason VARCHAR NOT NULL,
               judged_at TIMESTAMP NOT NULL,
               PRIMARY KEY (conversation_id, question_index, answer_key, judge, protocol, prompt_hash, repeat))""",
    ),
    (
        # 8: QGMem: memory units with their windows and traces, parsed queries, scores of rerankers; and serial
        #    numbers where the data counts instead of dating.
        "ALTER TABLE utterances ADD COLUMN serial INTEGER",
        """CREATE TABLE unit_sets (conversation_id VARCHAR NOT NULL, source VARCHAR NOT NULL, layout
               VARCHAR NOT NULL, windows INTEGER NOT NULL, provenance JSON NOT NULL, traces_given BOOLEAN NOT
               NULL, complete BOOLEAN NOT NULL, content_hash VARCHAR, created_at TIMESTAMP NOT NULL, PRIMARY
               KEY (conversation_id, source, layout))""",
        """CREATE TABLE unit_windows (conversation_id VARCHAR NOT NULL, source VARCHAR NOT NULL, layout
               VARCHAR NOT NULL, position INTEGER NOT NULL, failure VARCHAR, index_failure VARCHAR, PRIMARY KEY
               (conversation_id, source, layout, position))""",
        """CREATE TABLE units (conversation_id VARCHAR NOT NULL, source VARCHAR NOT NULL, layout VARCHAR
               NOT NULL, position INTEGER NOT NULL, number INTEGER NOT NULL, unit_id VARCHAR NOT NULL,
               start_turn VARCHAR NOT NULL, end_turn VARCHAR NOT NULL, fact_text VARCHAR NOT NULL, subject
               VARCHAR NOT NULL, predicate VARCHAR NOT NULL, object VARCHAR NOT NULL, attributes JSON NOT NULL,
               PRIMARY KEY (conversation_id, source, layout, position, number))""",
        """CREATE TABLE unit_problems (conversation_id VARCHAR NOT NULL, source VARCHAR NOT NULL, layout
               VARCHAR NOT NULL, position INTEGER, number INTEGER NOT NULL, kind VARCHAR NOT NULL, place
               VARCHAR NOT NULL, detail VARCHAR NOT NULL)""",
        """CREATE TABLE trajectories (conversation_id VARCHAR NOT NULL, source VARCHAR NOT NULL, layout
               VARCHAR NOT NULL, members_key VARCHAR NOT NULL, members VARCHAR[] NOT NULL, trajectory VARCHAR
               NOT NULL, failure VARCHAR, provenance JSON NOT NULL, PRIMARY KEY (conversation_id, source,
               layout, members_key))""",
        """CREATE TABLE query_parses (conversation_id VARCHAR NOT NULL, source VARCHAR NOT NULL, query_key
               VARCHAR NOT NULL, text VARCHAR NOT NULL, time TIMESTAMP, parse JSON, failure VARCHAR, provenance
               JSON NOT NULL, PRIMARY KEY (conversation_id, source, query_key))""",
        """CREATE TABLE rerank_scores (model VARCHAR NOT NULL, pair_sha256 VARCHAR NOT NULL, score DOUBLE
               NOT NULL, PRIMARY KEY (model, pair_sha256))""",
    ),
)
CURRENT = len(STEPS) + 1


def migrate(cursor: duckdb.DuckDBPyConnection, path: Path, found: int) -> None:
    """Bring a store of version ``found`` to CURRENT, inside the transaction of ``cursor``.

    Raises Refused for a version newer than CURRENT, or one that never was.
    """
    if found > CURRENT:
        raise Refused(
            f"{path} was written by a newer version of CueMem Lab (schema {found}; this one reads up to {CURRENT}). "
            "Update, or name another store with --store."
        )
    if found < 1:
        raise Refused(f"{path} says that its schema is {found}, which never was. Name another store with --store.")
    for step in STEPS[found - 1 :]:
        for statement in step:
            cursor.execute(statement)
    cursor.execute("UPDATE meta SET value = ? WHERE key = 'schema_version'", [str(CURRENT)])
