"""``python -m gatekeeper.cli``: the program without its console script."""

import sys

from gatekeeper.cli import main

sys.exit(main())
