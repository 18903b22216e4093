# SPDX-License-Identifier: LGPL-2.1-or-later
"""Compares the JSON that a document shows with what a program prints: the names of the members at any depth."""

import json


def documents_in(text):
    """The JSON values that follow each other in the text."""
    decoder, at, found = json.JSONDecoder(), 0, []
    while at < len(text.rstrip()):
        value, at = decoder.raw_decode(text, at)
        found.append(value)
        at += len(text[at:]) - len(text[at:].lstrip())
    return found


def shape(values):
    """The names of the members at any depth; None where nothing is known, because all values are null or lists without items."""
    values = [value for value in values if value is not None]
    lists = [value for value in values if isinstance(value, list)]
    if lists:
        return shape([item for value in lists for item in value])
    if not values or not all(isinstance(value, dict) for value in values):
        return None if not values else {}
    names = {name for value in values for name in value}
    return {name: shape([value[name] for value in values if name in value]) for name in names}


def differences(example, real, place=""):
    """Yields what one has and the other lacks. An example with the member "…" leaves out what stands in the one before it."""
    if example is None or real is None:
        return
    for name in sorted(example.keys() - real.keys() - {"…"}):
        yield f"{place}{name} is only in the example"
    for name in sorted(real.keys() - example.keys() if "…" not in example else ()):
        yield f"{place}{name} is not in the example"
    for name in example.keys() & real.keys():
        yield from differences(example[name], real[name], f"{place}{name}.")
