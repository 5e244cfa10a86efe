-- The store of CueMem Lab: everything that was loaded, extracted, embedded, built and measured, in one file.
--
-- There are no foreign keys. DuckDB checks them against the state before the transaction, so that children and
-- parent cannot be deleted in one transaction; the code that removes a conversation names the tables instead.
--
-- Times of a dialogue are naive, as the datasets give them. Bookkeeping times (…_at) are UTC.
-- The version of this schema is migrations.CURRENT; a change here needs a step there.

CREATE TABLE meta (
    key   VARCHAR PRIMARY KEY,       -- application, schema_version, created_by, created_at
    value VARCHAR NOT NULL
);

-- What was loaded ---------------------------------------------------------------------------------------------

CREATE TABLE files (
    sha256        VARCHAR PRIMARY KEY,
    name          VARCHAR NOT NULL,  -- the file's name when it was first loaded
    format        VARCHAR NOT NULL,
    dataset       VARCHAR NOT NULL,
    bytes         BIGINT NOT NULL,
    loaded_at     TIMESTAMP NOT NULL,
    conversations INTEGER,           -- how many the file holds; NULL while only a part of it was read
    known_as      VARCHAR            -- the published file that it is byte for byte, where it is one
);

CREATE TABLE conversations (
    conversation_id VARCHAR PRIMARY KEY,   -- the first 16 digits of the file's hash, '/', position in the file
    file_sha256     VARCHAR NOT NULL,
    position        INTEGER NOT NULL,
    dataset         VARCHAR NOT NULL,
    sample_id       VARCHAR NOT NULL,
    UNIQUE (file_sha256, position)
);

CREATE TABLE sessions (
    conversation_id VARCHAR NOT NULL,
    position        INTEGER NOT NULL,      -- the order of the conversation, from 0
    number          INTEGER NOT NULL,
    time            TIMESTAMP,
    source_id       VARCHAR,               -- may leak the gold: shown, never retrieved
    PRIMARY KEY (conversation_id, position)
);

CREATE TABLE utterances (
    conversation_id VARCHAR NOT NULL,
    position        INTEGER NOT NULL,      -- chronological, from 0
    utterance_id    VARCHAR NOT NULL,
    session         INTEGER NOT NULL,
    speaker         VARCHAR NOT NULL,
    role            VARCHAR NOT NULL,
    text            VARCHAR NOT NULL,
    caption         VARCHAR,
    time            TIMESTAMP,
    serial          INTEGER,               -- its number, where the data counts instead of dating
    PRIMARY KEY (conversation_id, position)
);

CREATE TABLE questions (
    conversation_id    VARCHAR NOT NULL,
    question_index     INTEGER NOT NULL,   -- the place in the file, from 0: a question's only key
    text               VARCHAR NOT NULL,
    answer             JSON NOT NULL,      -- of any type, as in the file
    adversarial_answer JSON NOT NULL,
    category           VARCHAR NOT NULL,
    category_number    INTEGER,
    time               TIMESTAMP,
    abstention         BOOLEAN NOT NULL,
    PRIMARY KEY (conversation_id, question_index)
);

CREATE TABLE evidence (
    conversation_id VARCHAR NOT NULL,
    question_index  INTEGER NOT NULL,
    position        INTEGER NOT NULL,      -- the order in which the file cites it
    cited           VARCHAR NOT NULL,
    utterance_id    VARCHAR,               -- NULL where known by session only, or unresolved
    session         INTEGER,
    PRIMARY KEY (conversation_id, question_index, position)
);

-- Known faults of the gold, from a list that the user loads on top; the gold itself stays as its file has it.
CREATE TABLE overlays (
    conversation_id  VARCHAR NOT NULL,
    question_index   INTEGER NOT NULL,
    sha256           VARCHAR NOT NULL,     -- of the list's file
    name             VARCHAR NOT NULL,
    error_type       VARCHAR NOT NULL,     -- in the list's own words; WRONG_CITATION leaves the answer right
    reasoning        VARCHAR NOT NULL,
    correct_answer   JSON,                 -- NULL where the list has none
    correct_evidence JSON,                 -- a list of [cited, utterance_id, session]; NULL where the list has none
    added_at         TIMESTAMP NOT NULL,
    PRIMARY KEY (conversation_id, question_index, sha256)
);

CREATE TABLE observations (
    conversation_id VARCHAR NOT NULL,
    position        INTEGER NOT NULL,
    utterance_id    VARCHAR NOT NULL,
    statement       VARCHAR NOT NULL,
    PRIMARY KEY (conversation_id, position)
);

CREATE TABLE problems (
    file_sha256     VARCHAR NOT NULL,
    conversation_id VARCHAR,               -- NULL for a problem of the file as a whole
    position        INTEGER NOT NULL,      -- the order in which they were found, within the conversation or file
    sample_id       VARCHAR NOT NULL,
    question_index  INTEGER,
    kind            VARCHAR NOT NULL,
    place           VARCHAR NOT NULL,
    detail          VARCHAR NOT NULL
);

-- Section 4.1: cues -------------------------------------------------------------------------------------------

CREATE TABLE cue_sets (
    conversation_id VARCHAR NOT NULL,
    source          VARCHAR NOT NULL,
    turn_unit       VARCHAR NOT NULL,
    turns           VARCHAR[] NOT NULL,    -- the ids of the turns to be covered, in chronological order
    provenance      JSON NOT NULL,
    complete        BOOLEAN NOT NULL,
    content_hash    VARCHAR,               -- of the cues in order, once complete
    created_at      TIMESTAMP NOT NULL,
    PRIMARY KEY (conversation_id, source, turn_unit)
);

-- One row for each turn done, with or without cues: an interrupted extraction resumes at the turns without a row.
CREATE TABLE extractions (
    conversation_id VARCHAR NOT NULL,
    source          VARCHAR NOT NULL,
    turn_unit       VARCHAR NOT NULL,
    turn_id         VARCHAR NOT NULL,
    failure         VARCHAR,               -- why nothing usable came back, or NULL
    PRIMARY KEY (conversation_id, source, turn_unit, turn_id)
);

-- A cue is numbered within its turn, so that one turn can be extracted anew without touching the others; its
-- index in C follows from the order of the turns and is given when the cues are read.
CREATE TABLE cues (
    conversation_id VARCHAR NOT NULL,
    source          VARCHAR NOT NULL,
    turn_unit       VARCHAR NOT NULL,
    turn_id         VARCHAR NOT NULL,
    number          INTEGER NOT NULL,
    subject         VARCHAR,               -- a triple …
    relation        VARCHAR,
    object          VARCHAR,
    statement       VARCHAR,               -- … or a statement; the other is NULL
    PRIMARY KEY (conversation_id, source, turn_unit, turn_id, number)
);

-- Each time the cues of a turn were corrected by hand, the oldest first by number. A cue set that is made anew from
-- another origin leaves its corrections here as dropped, so that nobody's work vanishes unseen.
CREATE TABLE corrections (
    conversation_id VARCHAR NOT NULL,
    source          VARCHAR NOT NULL,
    turn_unit       VARCHAR NOT NULL,
    number          INTEGER NOT NULL,      -- within the cue set, from 1
    turn_id         VARCHAR NOT NULL,
    before          JSON NOT NULL,         -- the turn's cues: a list of [subject, relation, object] or "statement"
    before_failure  VARCHAR,               -- why the extraction had given nothing, where it had failed
    after           JSON NOT NULL,
    state           VARCHAR NOT NULL,      -- applied, undone, dropped
    corrected_at    TIMESTAMP NOT NULL,
    PRIMARY KEY (conversation_id, source, turn_unit, number)
);

-- QGMem, section III-A: memory units ----------------------------------------------------------------------------

-- A unit set is the units of one conversation from one source; the layout is that of its windows ("6/2": six lines,
-- two of them from the window before), or '' where the source knows no windows.
CREATE TABLE unit_sets (
    conversation_id VARCHAR NOT NULL,
    source          VARCHAR NOT NULL,
    layout          VARCHAR NOT NULL,
    windows         INTEGER NOT NULL,      -- how many are to be covered
    provenance      JSON NOT NULL,
    traces_given    BOOLEAN NOT NULL,      -- the relation clusters came with the units and are not computed
    complete        BOOLEAN NOT NULL,
    content_hash    VARCHAR,               -- of the units in order, once complete
    created_at      TIMESTAMP NOT NULL,
    PRIMARY KEY (conversation_id, source, layout)
);

-- One row for each window done, with or without units: an interrupted extraction resumes at the others.
CREATE TABLE unit_windows (
    conversation_id VARCHAR NOT NULL,
    source          VARCHAR NOT NULL,
    layout          VARCHAR NOT NULL,
    position        INTEGER NOT NULL,
    failure         VARCHAR,               -- why nothing usable came back, or NULL
    index_failure   VARCHAR,               -- why the units have no attributes, or NULL
    PRIMARY KEY (conversation_id, source, layout, position)
);

CREATE TABLE units (
    conversation_id VARCHAR NOT NULL,
    source          VARCHAR NOT NULL,
    layout          VARCHAR NOT NULL,
    position        INTEGER NOT NULL,      -- of the window in which its last line is new
    number          INTEGER NOT NULL,      -- within the window
    unit_id         VARCHAR NOT NULL,
    start_turn      VARCHAR NOT NULL,      -- evidence bounds: utterance ids
    end_turn        VARCHAR NOT NULL,
    fact_text       VARCHAR NOT NULL,
    subject         VARCHAR NOT NULL,
    predicate       VARCHAR NOT NULL,
    object          VARCHAR NOT NULL,
    attributes      JSON NOT NULL,         -- {"entities": […], "locations": […], "time": [{start, end, granularity}]}
    PRIMARY KEY (conversation_id, source, layout, position, number)
);

-- Units, or parts of their index, that failed validation, and what was odd in an imported file.
CREATE TABLE unit_problems (
    conversation_id VARCHAR NOT NULL,
    source          VARCHAR NOT NULL,
    layout          VARCHAR NOT NULL,
    position        INTEGER,               -- of the window; NULL for a file's
    number          INTEGER NOT NULL,
    kind            VARCHAR NOT NULL,
    place           VARCHAR NOT NULL,
    detail          VARCHAR NOT NULL
);

-- What is told of a relation cluster, under the hash of its members.
CREATE TABLE trajectories (
    conversation_id VARCHAR NOT NULL,
    source          VARCHAR NOT NULL,
    layout          VARCHAR NOT NULL,
    members_key     VARCHAR NOT NULL,
    members         VARCHAR[] NOT NULL,    -- unit ids, oldest first
    trajectory      VARCHAR NOT NULL,
    failure         VARCHAR,
    provenance      JSON NOT NULL,
    PRIMARY KEY (conversation_id, source, layout, members_key)
);

-- Section III-B1: questions as a parser read them, found by text and time, which is all that a method sees of one.
CREATE TABLE query_parses (
    conversation_id VARCHAR NOT NULL,
    source          VARCHAR NOT NULL,
    query_key       VARCHAR NOT NULL,
    text            VARCHAR NOT NULL,
    time            TIMESTAMP,
    parse           JSON,                  -- {"entities": …, "locations": …, "time": {"fact": …, "utterance": …}}
    failure         VARCHAR,               -- why there is none
    provenance      JSON NOT NULL,
    PRIMARY KEY (conversation_id, source, query_key)
);

CREATE TABLE rerank_scores (
    model       VARCHAR NOT NULL,
    pair_sha256 VARCHAR NOT NULL,          -- of query and document
    score       DOUBLE NOT NULL,
    PRIMARY KEY (model, pair_sha256)
);

-- What is dear to compute -------------------------------------------------------------------------------------

-- FLOAT[] and not FLOAT[n], since models of different dimension share the table; each has one, checked on insert.
CREATE TABLE vectors (
    model       VARCHAR NOT NULL,
    text_sha256 VARCHAR NOT NULL,          -- of the UTF-8 bytes of the embedded text
    vector      FLOAT[] NOT NULL,
    PRIMARY KEY (model, text_sha256)
);

CREATE TABLE arrays (
    array_key VARCHAR NOT NULL,
    name      VARCHAR NOT NULL,
    dtype     VARCHAR NOT NULL,            -- as numpy writes it: '<f4'
    shape     BIGINT[] NOT NULL,
    data      BLOB NOT NULL,               -- in C order
    PRIMARY KEY (array_key, name)
);

-- Language models ---------------------------------------------------------------------------------------------

-- Each reply under the hash of model, messages, parameters and prompt version: what was paid for is asked once.
CREATE TABLE replies (
    request_key     VARCHAR PRIMARY KEY,
    model           VARCHAR NOT NULL,
    prompt          VARCHAR NOT NULL,
    prompt_hash     VARCHAR NOT NULL,
    conversation_id VARCHAR NOT NULL,      -- what it draws on, '' for nothing loaded; it goes with it
    text            VARCHAR NOT NULL,
    finish_reason   VARCHAR NOT NULL,
    tokens_in       BIGINT NOT NULL,
    tokens_out      BIGINT NOT NULL,
    seconds         DOUBLE NOT NULL,
    cost            DOUBLE,                -- US dollars; NULL is not known, which is not 0
    recorded        BOOLEAN NOT NULL,      -- asked elsewhere and imported
    asked_at        TIMESTAMP NOT NULL,
    tried           INTEGER DEFAULT 1      -- requests made for it, those that had failed too
);

-- Requests that gave nothing usable; a later reply takes the row away.
CREATE TABLE chat_failures (
    request_key     VARCHAR PRIMARY KEY,
    model           VARCHAR NOT NULL,
    prompt          VARCHAR NOT NULL,
    prompt_hash     VARCHAR NOT NULL,
    conversation_id VARCHAR NOT NULL,
    kind            VARCHAR NOT NULL,
    sentence        VARCHAR NOT NULL,
    retryable       BOOLEAN NOT NULL,
    tried           INTEGER NOT NULL,      -- requests made, over all attempts
    failed_at       TIMESTAMP NOT NULL
);

-- The text of every prompt that was used, so that a result's hash can be looked up.
CREATE TABLE prompts (
    name    VARCHAR NOT NULL,
    hash    VARCHAR NOT NULL,
    own     BOOLEAN NOT NULL,              -- the user's own file
    about   VARCHAR NOT NULL,
    text    VARCHAR NOT NULL,
    used_at TIMESTAMP NOT NULL,            -- first
    PRIMARY KEY (name, hash)
);

-- What judges say of answers, people and models beside each other.
CREATE TABLE verdicts (
    conversation_id VARCHAR NOT NULL,
    question_index  INTEGER NOT NULL,
    answer_key      VARCHAR NOT NULL,      -- of the answer's text
    judge           VARCHAR NOT NULL,      -- 'human' or the model
    protocol        VARCHAR NOT NULL,      -- '' for a person
    prompt_hash     VARCHAR NOT NULL,      -- '' for a person
    outcome         VARCHAR NOT NULL,
    reason          VARCHAR NOT NULL,
    judged_at       TIMESTAMP NOT NULL,
    PRIMARY KEY (conversation_id, question_index, answer_key, judge, protocol, prompt_hash)
);

-- The same judge asked again on purpose, to see how steady it is: never mixed up with the verdict that counts.
CREATE TABLE repeated_verdicts (
    conversation_id VARCHAR NOT NULL,
    question_index  INTEGER NOT NULL,
    answer_key      VARCHAR NOT NULL,
    judge           VARCHAR NOT NULL,
    protocol        VARCHAR NOT NULL,
    prompt_hash     VARCHAR NOT NULL,
    repeat          INTEGER NOT NULL,      -- from 1; the verdict that counts is in verdicts
    outcome         VARCHAR NOT NULL,
    reason          VARCHAR NOT NULL,
    judged_at       TIMESTAMP NOT NULL,
    PRIMARY KEY (conversation_id, question_index, answer_key, judge, protocol, prompt_hash, repeat)
);

-- What was built and measured ---------------------------------------------------------------------------------

CREATE TABLE memories (
    memory_id       VARCHAR PRIMARY KEY,
    conversation_id VARCHAR NOT NULL,
    method          VARCHAR NOT NULL,
    settings        JSON NOT NULL,         -- the build-time knobs
    embedding_model VARCHAR NOT NULL,
    turn_unit       VARCHAR NOT NULL,
    cue_source      VARCHAR,
    turn_count      INTEGER NOT NULL,
    cue_count       INTEGER NOT NULL,
    array_key       VARCHAR,
    built_at        TIMESTAMP NOT NULL
);

CREATE TABLE runs (
    run_id     VARCHAR PRIMARY KEY,
    kind       VARCHAR NOT NULL,
    card       JSON NOT NULL,              -- everything needed to repeat the run
    created_at TIMESTAMP NOT NULL
);

CREATE TABLE results (
    run_id          VARCHAR NOT NULL,
    conversation_id VARCHAR NOT NULL,
    question_index  INTEGER NOT NULL,
    "values"        JSON NOT NULL,
    open            VARCHAR NOT NULL,      -- what is still to come: '', answer, verdict
    PRIMARY KEY (run_id, conversation_id, question_index)
);

-- What a person made of a failure of a run, beside what the machine proposed at that time.
CREATE TABLE reviews (
    run_id          VARCHAR NOT NULL,
    conversation_id VARCHAR NOT NULL,
    question_index  INTEGER NOT NULL,
    answer_key      VARCHAR NOT NULL,      -- of the answer that was looked at, '' in a run without answers
    proposed        VARCHAR NOT NULL,
    decided         VARCHAR,               -- the class, NULL while only flagged or noted
    flag            BOOLEAN NOT NULL,      -- the gold is doubted
    note            VARCHAR NOT NULL,
    decided_at      TIMESTAMP NOT NULL,
    PRIMARY KEY (run_id, conversation_id, question_index)
);

-- Requests that went out in batch files, so that a line that comes back is known: its key is the custom_id.
CREATE TABLE batch_requests (
    request_key     VARCHAR NOT NULL,
    owner           VARCHAR NOT NULL,      -- the run, or the conversation whose cues are extracted
    part            VARCHAR NOT NULL,      -- extraction, answers, judging
    model           VARCHAR NOT NULL,
    prompt          VARCHAR NOT NULL,
    prompt_hash     VARCHAR NOT NULL,
    conversation_id VARCHAR NOT NULL,      -- what it draws on; it goes with it
    max_tokens      INTEGER NOT NULL,
    tokens_in       INTEGER NOT NULL,      -- by the fixed tokenizer, for a reply that does not say
    reply_schema    JSON,                  -- the JSON that is asked for, NULL for text
    exported_at     TIMESTAMP NOT NULL,
    PRIMARY KEY (request_key, owner)
);

-- Background work of the app: what was begun and not ended when the process stopped can be taken up again.
CREATE TABLE jobs (
    job_id     VARCHAR PRIMARY KEY,
    kind       VARCHAR NOT NULL,
    title      VARCHAR NOT NULL,
    details    JSON NOT NULL,              -- all that is needed to do it again
    state      VARCHAR NOT NULL,           -- queued, running, interrupted, done, failed, cancelled
    message    VARCHAR NOT NULL,           -- why it failed
    what       VARCHAR NOT NULL,           -- the step it was at, and how far
    done       BIGINT NOT NULL,
    total      BIGINT NOT NULL,
    created_at TIMESTAMP NOT NULL,
    started_at TIMESTAMP,
    ended_at   TIMESTAMP
);
