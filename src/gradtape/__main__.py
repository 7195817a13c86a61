"""`python -m gradtape` is the `gradtape` command."""

import sys

from .cli import main

sys.exit(main())
