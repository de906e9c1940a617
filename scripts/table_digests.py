"""Write the digests of the default tables that ship with the package.

``ustad verify --default`` compares tables with them.  After a change of the values::

    ustad build --force --tables DIR
    python scripts/table_digests.py --tables DIR

Every default table must be there and sound; nothing is written otherwise.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

import ustad.runtime
from ustad.runtime.checks import default_specs
from ustad.tables import TableError, open_table, tables_folder

DIGESTS = Path(ustad.runtime.__file__).with_name("default_tables.json")


def main() -> int:
    """Read the tables and write the digests."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tables", metavar="DIR", help="the folder of the tables")
    folder = tables_folder(parser.parse_args().tables)
    try:
        tables = [open_table(spec, folder) for spec in default_specs()]
    except TableError as error:
        print(error, file=sys.stderr)
        return 2
    digests = {table.spec.file_name: table.values_sha256 for table in tables}
    DIGESTS.write_text(json.dumps(digests, indent=2, sort_keys=True) + "\n", encoding="utf-8")
    print(f"{DIGESTS}: {len(digests)} digests")
    return 0


if __name__ == "__main__":
    sys.exit(main())
