"""Opening the database file: what may be wrong with it, as a sentence, and the schema, made or brought up to date.

A file that is not ours is refused and left exactly as it is.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime
from pathlib import Path

import duckdb

from cuemem import __version__
from cuemem.adapters.store.migrations import CURRENT, migrate
from cuemem.errors import BadInput, CueMemError, Refused

APPLICATION = "CueMem Lab"
OTHER_STORE = "name another store with --store"

_SCHEMA = Path(__file__).with_name("schema.sql")
_MAGIC = slice(8, 12)  # the bytes of a database file that spell DUCK
# DuckDB would otherwise reach for the network to open files of other kinds.
_CONFIG: dict[str, str | bool | int | float | list[str]] = {
    "autoinstall_known_extensions": False,
    "autoload_known_extensions": False,
}
_HOLDER = re.compile(r"(?:held|open) in (?:(?P<program>.+?) \(PID (?P<pid>\d+)\)|PID (?P<bare>\d+))")
_UNWRITABLE = ("Permission denied", "Read-only file system", "No such file or directory", "Operation not permitted")


def connect(path: Path) -> duckdb.DuckDBPyConnection:
    """A connection to the store at ``path``, created with its folders where there is none yet.

    Raises BadInput for a file that is not a sound DuckDB database, and Refused where another process holds it,
    it may not be written, another application or a newer version made it.
    """
    _prepare(path)
    try:
        connection = duckdb.connect(str(path), config=_CONFIG)
    except duckdb.Error as error:
        raise _why_not(path, error) from error
    try:
        _ensure_schema(connection, path)
    except duckdb.Error as error:
        connection.close()
        raise _why_not(path, error) from error
    except CueMemError:
        connection.close()
        raise
    return connection


def _prepare(path: Path) -> None:
    """Make the folder, and look whether a file that is already there can be a database at all.

    Only to be called while this process does not have the file open: POSIX drops all of a process's locks on a
    file as soon as it closes any descriptor of it, and another process could then write at the same time.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.exists():
            return
        if path.is_dir():
            raise BadInput(f"{path} is a folder, not a store; {OTHER_STORE}.")
        with path.open("rb") as file:
            head = file.read(_MAGIC.stop)
    except OSError as error:
        raise Refused(f"The store {path} cannot be opened: {error.strerror or error}; {OTHER_STORE}.") from error
    if head[_MAGIC] != b"DUCK":
        what = "is not a DuckDB database" if head else "is an empty file"
        raise BadInput(f"{path} {what} and was left as it is; move it away, or {OTHER_STORE}.")


def _ensure_schema(connection: duckdb.DuckDBPyConnection, path: Path) -> None:
    """Make the tables in an empty database, bring an older store up to date, refuse anything else."""
    with connection.cursor() as cursor:
        cursor.execute("BEGIN TRANSACTION")
        rows = cursor.execute("SELECT table_name FROM duckdb_tables() WHERE NOT internal ORDER BY 1").fetchall()
        tables = [name for (name,) in rows]
        if not tables:
            _create(cursor)
        else:
            found = _version(cursor, path, tables)
            if found != CURRENT:
                migrate(cursor, path, found)
        cursor.execute("COMMIT")


def _create(cursor: duckdb.DuckDBPyConnection) -> None:
    """All tables of ``schema.sql``, and who made them."""
    cursor.execute(_SCHEMA.read_text(encoding="utf-8"))
    facts = {
        "application": APPLICATION,
        "schema_version": str(CURRENT),
        "created_by": f"{APPLICATION} {__version__}",
        "created_at": datetime.now(UTC).isoformat(timespec="seconds"),
    }
    cursor.executemany("INSERT INTO meta (key, value) VALUES (?, ?)", [list(fact) for fact in facts.items()])


def _version(cursor: duckdb.DuckDBPyConnection, path: Path, tables: list[str]) -> int:
    """The schema version of a store of ours; Refused for any other database."""
    shown = ", ".join(tables[:5]) + (", …" if len(tables) > 5 else "")
    stranger = Refused(f"{path} is a DuckDB database of something else (tables {shown}); {OTHER_STORE}.")
    if "meta" not in tables:
        raise stranger
    try:
        facts = dict(cursor.execute("SELECT key, value FROM meta").fetchall())
    except duckdb.BinderException as error:  # a table of that name, with other columns
        raise stranger from error
    version = facts.get("schema_version", "")
    if facts.get("application") != APPLICATION or not re.fullmatch(r"\d+", version):
        raise stranger
    return int(version)


def _why_not(path: Path, error: duckdb.Error) -> CueMemError:
    """Why DuckDB could not open the file, as a sentence with the remedy."""
    text = str(error)
    reason = text.splitlines()[0].strip().rstrip(".")
    if holder := _HOLDER.search(text):
        return Refused(f"{path} is in use by {_holder(holder)}. Close that program, or {OTHER_STORE}.")
    if "version number" in text:
        return Refused(f"{path} was written by another version of DuckDB ({reason}). Update, or {OTHER_STORE}.")
    if isinstance(error, duckdb.IOException) and any(mark in text for mark in _UNWRITABLE):
        return Refused(f"The store {path} may not be written ({reason}). Change its permissions, or {OTHER_STORE}.")
    if "set lock" in text:
        return Refused(f"{path} is in use by another process ({reason}). Close that program, or {OTHER_STORE}.")
    return BadInput(f"{path} is damaged and was left as it is ({reason}). Put a copy in its place, or {OTHER_STORE}.")


def _holder(match: re.Match[str]) -> str:
    """Program, process id and, where the system tells, the command line of who holds the file."""
    pid = match["pid"] or match["bare"]
    try:
        raw = Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:  # no /proc on this system, or another user's process: the id must do
        raw = b""
    command = " ".join(raw.replace(b"\0", b" ").decode("utf-8", "replace").split())
    if len(command) > 120:
        command = command[:119] + "…"
    program = match["program"] or "another program"
    return f"{program} (process {pid}{': ' + command if command else ''})"


def in_operation(path: Path, error: duckdb.Error) -> CueMemError | None:
    """The sentence for a disk, memory or file that failed under an operation; None for an error of our own."""
    outside = (duckdb.IOException, duckdb.OutOfMemoryException, duckdb.FatalException, duckdb.SerializationException)
    text = str(error)
    # A damaged block comes as a bare Error, a full disk as the failure of a commit.
    if not (type(error) is duckdb.Error or isinstance(error, outside) or "Failed to commit" in text):
        return None
    reason = text.splitlines()[0].strip().rstrip(".")
    return Refused(
        f"The store {path} could not be read or written ({reason}). What was committed before is kept; "
        f"free disk space or memory, or {OTHER_STORE}."
    )
