-- The schema as it was in version 2, frozen, so that the step from it is tried on a store as it then was.

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
    PRIMARY KEY (run_id, conversation_id, question_index)
);
