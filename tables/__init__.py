"""Table files: their identity, writing, opening, checking and listing.  Knows no game."""

from ustad.tables.bundle import bundle_faults, check_bundle_folder, is_bundle, write_bundle
from ustad.tables.errors import (
    CorruptBundleError,
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
    remove_stale,
    structure,
    table_files,
    write_table,
)

__all__ = [
    "CorruptBundleError",
    "CorruptTableError",
    "MismatchedTableError",
    "MissingTableError",
    "Table",
    "TableError",
    "TableSpec",
    "TableWriteError",
    "bundle_faults",
    "check_bundle_folder",
    "check_writable",
    "identity",
    "is_bundle",
    "open_table",
    "remove_stale",
    "structure",
    "table_files",
    "tables_folder",
    "write_bundle",
    "write_table",
]
