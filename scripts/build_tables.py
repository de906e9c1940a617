"""Build the table files: the same as the command ``ustad build``."""

import sys

from ustad.runtime.cli.main import main

if __name__ == "__main__":
    sys.exit(main(["build", *sys.argv[1:]]))
