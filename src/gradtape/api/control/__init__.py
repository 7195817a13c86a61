"""Control flow as functions: `cond`, `case`, `switch_case`, `while_loop`, `map_fn`, `foldl`, `foldr`, `scan`.

Eagerly they are Python's own: the condition is read, one branch runs, and tapes record what runs. Inside a traced function
the functions they are given are recorded, each once, as graphs of their own.
"""

from __future__ import annotations

from .branches import case as case
from .branches import cond as cond
from .branches import switch_case as switch_case
from .loops import for_dataset as for_dataset
from .loops import while_loop as while_loop
from .rows import foldl as foldl
from .rows import foldr as foldr
from .rows import map_fn as map_fn
from .rows import scan as scan
