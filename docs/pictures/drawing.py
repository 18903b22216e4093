# SPDX-License-Identifier: LGPL-2.1-or-later
"""Writes small SVG pictures from boxes, arrows and lines of text."""

from xml.sax.saxutils import escape, quoteattr

INK, FAINT, RED = "#1f2933", "#6b7785", "#b3261e"
FILLS = {"ours": "#d6e8fb", "other": "#eef1f4", "outside": "#fdf0d5", "dark": "#1f2933", "crash": "#fbe4e2", "good": "#dff1e2"}
LINE = 17  # pixels from one line of text to the next


class Drawing:
    def __init__(self, width, height, title):
        self.parts = [
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}"'
            ' font-family="DejaVu Sans, Helvetica, Arial, sans-serif" font-size="13">',
            f"<title>{escape(title)}</title>",
            '<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" orient="auto">'
            f'<path d="M0 0L8 4L0 8z" fill="{INK}"/></marker></defs>',
            f'<rect width="{width}" height="{height}" fill="#ffffff"/>',
        ]

    def rectangle(self, x, y, width, height, fill, dashed=False):
        dash = ' stroke-dasharray="4 3"' if dashed else ""
        self.parts.append(f'<rect x="{x}" y="{y}" width="{width}" height="{height}" rx="6" fill="{FILLS[fill]}" '
                          f'stroke="{FAINT}"{dash}/>')

    def text(self, x, y, text, *, color=INK, bold=False, middle=False, mono=False, size=13):
        style = ' font-weight="bold"' * bold + ' text-anchor="middle"' * middle
        style += ' font-family="DejaVu Sans Mono, monospace"' * mono
        self.parts.append(f'<text x="{x}" y="{y}" fill={quoteattr(color)} font-size="{size}"{style} '
                          f'xml:space="preserve">{escape(text)}</text>')

    def lines(self, x, y, lines, **style):
        for number, line in enumerate(lines):
            self.text(x, y + number * LINE, line, **style)

    def box(self, x, y, width, height, lines, fill):
        """A box with its lines in the middle; the first line is bold."""
        self.rectangle(x, y, width, height, fill)
        top = y + height / 2 - (len(lines) - 1) * LINE / 2 + 4.5
        for number, line in enumerate(lines):
            self.text(x + width / 2, top + number * LINE, line, bold=number == 0, middle=True)

    def arrow(self, *points, dashed=False):
        """Through the points, each (x, y), with a tip at the last."""
        path = "M" + "L".join(f"{x} {y}" for x, y in points)
        dash = ' stroke-dasharray="4 3"' if dashed else ""
        self.parts.append(f'<path d="{path}" fill="none" stroke="{INK}" stroke-width="1.5"{dash} marker-end="url(#tip)"/>')

    def stroke(self, x1, y1, x2, y2, color=FAINT):
        self.parts.append(f'<path d="M{x1} {y1}L{x2} {y2}" stroke="{color}" stroke-width="1.5" fill="none"/>')

    def svg(self):
        return "\n".join([*self.parts, "</svg>"]) + "\n"
