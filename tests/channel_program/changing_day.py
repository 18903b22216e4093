# SPDX-License-Identifier: LGPL-2.1-or-later
"""A rundown that changes all the time, and what each of its items must look like."""

import dataclasses
import datetime
import json

RATE = 25
MODEL = "sd_2.0_fast_discount"  # It has a small resolution: pictures cost time.


@dataclasses.dataclass
class Look:
    """Of an item: the number in its marks, its first frame, and whether all its frames are the first one."""

    number: int
    first: int = 0
    is_still: bool = False


class ChangingDay:
    """`media`: a clip with the number 1 and a clip with the number 2 that somebody may cut short."""

    def __init__(self, path, random, media, size=16):
        self.path, self.random = path, random
        self.number = 100
        self.looks = {}  # By ID.
        self.whole, self.short = (f"file://{file}" for file in media)
        self.looks_of_files = {self.whole: Look(1), self.short: Look(2)}
        self.items = [self.fixed(), self.fixed_short(), *(self.new_item() for _ in range(size - 2))]
        self.write()

    def fixed(self):
        self.looks["whole"] = Look(1)
        return {"id": "whole", "source": self.whole}

    def fixed_short(self):
        self.looks["short"] = Look(2)
        return {"id": "short", "source": self.short}

    def source(self, seconds=4):
        return f"genclip://{MODEL}?prompt={self.number}%20sea&duration={seconds}&resolution=480p"

    def new_item(self):
        self.number += 1
        name = f"n{self.number}"
        item = {"id": name, "title": f"Number {self.number}", "source": self.source(self.random.choice((4, 4, 5, 6)))}
        look = Look(self.number)
        kind = self.random.randrange(20)
        if kind < 3:
            item |= {"in": 1, "out": 3}
            look.first = RATE
        elif kind < 5:
            item |= {"source": f"genclip://dream-5.0?prompt={self.number}%20tower&size=640x360", "duration": 3}
            look.is_still = True
        elif kind < 6:
            item["retry"] = True
        elif kind < 7:
            item["fresh"] = "each-turn"
        elif kind < 9:
            moment = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(seconds=self.random.randrange(40, 120))
            item |= {"at": moment.isoformat(timespec="milliseconds"), "late": self.random.choice(("cut", "after"))}
        elif kind < 10:
            item["source"] = f"genclip://{MODEL}?duration=4"  # Refused: no prompt.
        elif kind < 11:
            item["source"] = "/nowhere/at/all.mp4"
        self.looks[name] = look
        return item

    def renew(self, count=4):
        """The oldest go, new ones come."""
        del self.items[2:2 + count]
        self.items += [self.new_item() for _ in range(count)]
        self.write()

    def write(self):
        text = json.dumps({"channel": "Ordeal", "program": self.items, "fallback": [self.whole]}, indent=1)
        part = self.path.with_suffix(".part")
        part.write_text(text, encoding="utf-8")
        part.rename(self.path)

    def spoil(self):
        self.path.write_text(self.path.read_text(encoding="utf-8").replace('"program": [', '"program": [1,'), encoding="utf-8")

    def inserted(self):
        """An item for POST /insert."""
        self.number += 1
        name = f"n{self.number}"
        self.looks[name] = Look(self.number)
        return {"id": name, "source": self.source()}

    def look_of(self, entry):
        """Of a line of the as-run log; None: nothing is known."""
        return self.looks.get(entry.get("id")) or self.looks_of_files.get(entry.get("source"))
