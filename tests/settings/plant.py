#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""plant.py FILE: prints a copy of plugin/catalog/settings.cpp with one more row."""

import pathlib
import sys

FIRST = '      {.name = "base-url",\n'
ROW = """      {.name = "planted-thing",
       .takers = kElements | kSubmitters | kCheck,
       .help = "A planted setting",
       .member = &Run::retries,
       .most = 41,
       .variable = "GENCLIP_PLANTED",
       .option = {0, "SEEDS", "What was planted"},
       .more = "It grows."},
"""

text = pathlib.Path(sys.argv[1]).read_text(encoding="utf-8")
assert text.count(FIRST) == 1, "the first row has changed"
print(text.replace(FIRST, ROW + FIRST), end="")
