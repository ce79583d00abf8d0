"""``python -m junbi.runtime <function>``: the start command of every function."""

from __future__ import annotations

import sys

from junbi.runtime.serve import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
