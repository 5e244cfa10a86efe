"""One database connection a process and path, a cursor for each operation, one writer at a time.

DuckDB hands the rows of one thread's query to another's when they share a connection, so nobody ever does;
and two writers at once would conflict, so the second one waits.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import threading
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, Self, TypeAlias

import duckdb

from cuemem.adapters.store.opening import connect, in_operation
from cuemem.errors import Refused

Cursor: TypeAlias = duckdb.DuckDBPyConnection

# What a person says while working answers off, one press a second: most of what a page shows does not depend on it.
Apart = Literal["reviews", "labels"]


@dataclass(slots=True)
class Database:
    """An open database file, shared by every :class:`Connected` of this process that names its path."""

    path: Path
    connection: duckdb.DuckDBPyConnection
    pid: int = field(default_factory=os.getpid)
    users: int = 0
    commits: int = 0
    apart: Counter[Apart] = field(default_factory=Counter)
    lock: threading.RLock = field(default_factory=threading.RLock)
    # DuckDB refuses to close a connection while a cursor of it is at work: operations are counted, closing waits.
    idle: threading.Condition = field(default_factory=threading.Condition)
    operations: int = 0
    writer: Cursor | None = None
    writer_thread: int | None = None

    @contextlib.contextmanager
    def cursor(self) -> Iterator[Cursor]:
        """A cursor of its own for one operation. Raises Refused once the last user has closed the store."""
        with self.idle:
            if self.users == 0:
                raise Refused(f"The store {self.path} has been closed; open it again.")
            cursor = self.connection.cursor()
            self.operations += 1
        try:
            with cursor:
                yield cursor
        finally:
            with self.idle:
                self.operations -= 1
                self.idle.notify_all()


_CLOSE_SECONDS = 10.0  # how long closing waits for operations of other threads

_registry: dict[Path, Database] = {}
_registry_lock = threading.Lock()


def acquire(path: Path) -> Database:
    """The database at ``path``, opened on the first call. Raises what :func:`opening.connect` raises."""
    real = path.expanduser().resolve()
    with _registry_lock:
        database = _registry.get(real)
        if database is None:
            database = _registry[real] = Database(real, connect(real))
        elif database.pid != os.getpid():
            raise _forked(database)
        database.users += 1
        return database


def release(database: Database) -> None:
    """Give the database back; the last one to do so closes the file."""
    with _registry_lock:
        database.users -= 1
        if database.users == 0 and database.pid == os.getpid():
            del _registry[database.path]
            with database.idle:
                database.idle.wait_for(lambda: database.operations == 0, _CLOSE_SECONDS)
                database.connection.close()


def _forked(database: Database) -> Refused:
    return Refused(
        f"The store {database.path} was opened by process {database.pid}, of which this one is a copy. "
        "Use it there, or start a fresh process after closing it."
    )


def _in_forked_child() -> None:
    """A copy of an open database has lost its threads and must neither be used nor closed.

    Closing would write to the file behind the parent's back, so each connection is kept from ever being
    destroyed; operations find by the process id that they are in the wrong process.
    """
    global _registry_lock  # noqa: PLW0603 - the inherited one may be held by a thread that was not copied
    _registry_lock = threading.Lock()
    for database in _registry.values():
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(database.connection))


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_in_forked_child)


class Connected:
    """Reads and writes the database. Threads may share one; a transaction belongs to its thread."""

    def __init__(self, database: Database) -> None:
        self._database: Database | None = database
        self._path = database.path

    @property
    def path(self) -> Path:
        """Where the file lies, symbolic links resolved."""
        return self._path

    @property
    def commits(self) -> int:
        """How often this process has written to the file: what was read under one number still holds under it.

        Reviews and labels are counted apart, by :meth:`commits_of`.
        """
        return self._open_database().commits

    def commits_of(self, *apart: Apart) -> tuple[int, ...]:
        """The same for what depends on reviews or labels as well."""
        database = self._open_database()
        return (database.commits, *(database.apart[name] for name in apart))

    def close(self) -> None:
        """Give the database back; harmless when repeated. Any later operation is refused."""
        database, self._database = self._database, None
        if database is not None:
            release(database)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_exception: object) -> None:
        self.close()

    def _open_database(self) -> Database:
        database = self._database
        if database is None:
            raise Refused(f"The store {self._path} has been closed; open it again.")
        if database.pid != os.getpid():
            raise _forked(database)
        return database

    @contextlib.contextmanager
    def reading(self) -> Iterator[Cursor]:
        """A cursor in a read-only transaction: all it reads is of one moment, whatever others write.

        Inside this thread's own :meth:`writing` it is that transaction, and sees what it has written.
        """
        database = self._open_database()
        if database.writer is not None and database.writer_thread == threading.get_ident():
            yield database.writer
            return
        with _sentences(database), database.cursor() as cursor:
            cursor.execute("BEGIN TRANSACTION READ ONLY")
            yield cursor  # closing the cursor ends the transaction

    @contextlib.contextmanager
    def writing(self, apart: Apart | None = None) -> Iterator[Cursor]:
        """A cursor in a transaction that is committed at the end, or rolled back by any exception.

        Waits for the other writer, if there is one. Nested in the same thread it is the outer transaction. It
        must be left in the thread that entered it. What is counted ``apart`` is no part of a transaction with others.
        """
        database = self._open_database()
        with database.lock:
            if database.writer is not None:  # the lock lets only its own thread in twice
                yield database.writer
                return
            with _sentences(database), database.cursor() as cursor:
                cursor.execute("BEGIN TRANSACTION")
                database.writer, database.writer_thread = cursor, threading.get_ident()
                try:
                    yield cursor
                    cursor.execute("COMMIT")
                    if apart is None:
                        database.commits += 1
                    else:
                        database.apart[apart] += 1
                except BaseException:
                    with contextlib.suppress(duckdb.Error):  # a failed commit has already rolled back
                        cursor.execute("ROLLBACK")
                    raise
                finally:
                    database.writer = database.writer_thread = None

    def checkpoint(self) -> None:
        """Move what is committed from the log into the main file, which may shrink by it."""
        database = self._open_database()
        with database.lock, _sentences(database), database.cursor() as cursor:
            cursor.execute("CHECKPOINT")


@contextlib.contextmanager
def _sentences(database: Database) -> Iterator[None]:
    """Turn a failure of disk or memory into a sentence; an error of our own stays what it is."""
    try:
        yield
    except duckdb.Error as error:
        sentence = in_operation(database.path, error)
        if sentence is None:
            raise
        raise sentence from error
    except RuntimeError as error:
        if str(error) != "Query interrupted":  # what becomes of Ctrl-C while DuckDB is at work
            raise
        raise KeyboardInterrupt from error
