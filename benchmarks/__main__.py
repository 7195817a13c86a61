"""`python -m benchmarks`."""

import sys

from benchmarks.cli import INTERRUPTED, main

try:
    sys.exit(main())
except KeyboardInterrupt:
    sys.exit(INTERRUPTED)
