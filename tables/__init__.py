"""Table files: their identity, writing, opening, checking and listing.  Knows no game."""

from ustad.tables.errors import (
    CorruptTableError,
    MismatchedTableError,
    MissingTableError,
    TableError,
    TableWriteError,
)
from ustad.tables.folder import tables_folder
from ustad.tables.spec import TableSpec
from ustad.tables.store import (
    Table,
    check_writable,
    identity,
    open_table,
    structure,
    table_files,
    write_table,
)

__all__ = [
    "CorruptTableError",
    "MismatchedTableError",
    "MissingTableError",
    "Table",
    "TableError",
    "TableSpec",
    "TableWriteError",
    "check_writable",
    "identity",
    "open_table",
    "structure",
    "table_files",
    "tables_folder",
    "write_table",
]
