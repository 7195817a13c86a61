"""`python -m gradtape` is the `gradtape` command."""

import sys

from .cli.command import main

sys.exit(main())
