# SPDX-License-Identifier: LGPL-2.1-or-later
"""What a person sees on a terminal of a given width to which these bytes were written.

As xterm does it: a line that is full waits for the next character before it goes on in the next line, and what erases to
the end of the line then erases its last character.
"""

import re
import unicodedata

PIECES = re.compile("\033\\[([0-9;]*)([A-Za-z])|(.)", re.DOTALL)


def width_of(text):
    """Columns that a terminal takes for it."""
    return sum(0 if unicodedata.category(c) in ("Mn", "Me", "Cf") else
               2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)


class Screen:
    """Endless downwards. `wraps` counts the lines that the terminal itself had to break."""

    def __init__(self, columns):
        self.columns = columns
        self.rows = [[]]  # Of cells; the second one of a wide character is empty.
        self.row = 0  # The cursor's.
        self.at = 0
        self.wraps = 0

    def feed(self, text):
        for parameters, command, character in PIECES.findall(text):
            if command == "K" and parameters in ("", "0"):
                self._erase_line()
            elif command == "J" and parameters in ("", "0"):
                self._erase_line()
                del self.rows[self.row + 1:]
            elif command == "A":
                self.row = max(self.row - int(parameters or 1), 0)
            elif command and command != "m":
                raise ValueError(f"a sequence that no test knows: {parameters}{command}")
            elif character == "\r":
                self.at = 0
            elif character == "\n":
                self._next_row()
            elif character:
                self._put(character)

    def _erase_line(self):
        del self.rows[self.row][min(self.at, self.columns - 1):]

    def _next_row(self):
        self.row += 1
        self.at = 0
        if self.row == len(self.rows):
            self.rows.append([])

    def _put(self, character):
        if unicodedata.category(character) == "Cc":
            raise ValueError(f"a control character: {character!r}")
        width = width_of(character)
        if width == 0 and self.at > 0:
            self.rows[self.row][self.at - 1] += character
            return
        if self.at + width > self.columns:
            self._next_row()
            self.wraps += 1
        row = self.rows[self.row]
        row += " " * (self.at - len(row))
        row[self.at:self.at + width] = [character] + [""] * (width - 1)
        self.at += width

    def lines(self):
        return ["".join(row).rstrip() for row in self.rows]

    def text(self):
        """All lines, those at the end that are empty left out."""
        return "\n".join(self.lines()).rstrip("\n") + "\n"
