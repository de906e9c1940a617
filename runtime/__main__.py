"""``python -m ustad.runtime``: the command line."""

import sys

from ustad.runtime.cli.main import main

sys.exit(main())
