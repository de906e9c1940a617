"""Table files: their identity, writing, opening, checking and listing.  Knows no game.

>>> import tempfile, numpy
>>> identity_of = dict(index_version=1, index_formula="values[stones]", start_index=3)
>>> spec = TableSpec("nim", {"take": 2}, "mover wins", "games", shape=(4,), **identity_of)
>>> values = numpy.array([0.0, 1.0, 1.0, 0.0])
>>> with tempfile.TemporaryDirectory() as name:
...     path = write_table(spec, tables_folder(name), values, {"states": 4}, {})
...     path.name, open_table(spec, tables_folder(name)).start_value
('nim,take=2.h5', 0.0)
"""

from ustad.tables.bundle import bundle_faults, check_bundle_folder, is_bundle, write_bundle
from ustad.tables.errors import (
    CorruptBundleError,
    CorruptTableError,
    MismatchedTableError,
    MissingTableError,
    NoFolderError,
    TableError,
    TableWriteError,
    UnreadableTableError,
    escaped,
    reason_of,
)
from ustad.tables.files import obstacle, remove_stale, staged, write_file
from ustad.tables.folder import tables_folder
from ustad.tables.spec import ArrayForm, TableSpec, option_text
from ustad.tables.store import (
    Table,
    identity,
    open_table,
    open_tables,
    structure,
    table_files,
    values_sha256,
)
from ustad.tables.writing import check_writable, write_table

__all__ = [
    "ArrayForm",
    "CorruptBundleError",
    "CorruptTableError",
    "MismatchedTableError",
    "MissingTableError",
    "NoFolderError",
    "Table",
    "TableError",
    "TableSpec",
    "TableWriteError",
    "UnreadableTableError",
    "bundle_faults",
    "check_bundle_folder",
    "check_writable",
    "escaped",
    "identity",
    "is_bundle",
    "obstacle",
    "open_table",
    "open_tables",
    "option_text",
    "reason_of",
    "remove_stale",
    "staged",
    "structure",
    "table_files",
    "tables_folder",
    "values_sha256",
    "write_bundle",
    "write_file",
    "write_table",
]
