# SPDX-License-Identifier: LGPL-2.1-or-later
"""Reads a store's ledger.jsonl by docs/store-format.md alone, so that a proof about money does not rest on genclip's reader.

The fold: each `reserve` begins a charge. Another line changes the charge that has its base_url, api and task_id. If no charge
has that task, it changes the latest charge of its key that waits for its task: one that is reserved, or, for
`submitted`, one that is unknown. Whatever is left begins a charge of its own: a task that nobody reserved is attached
(it counts nothing) unless the line is imported from a record. `correct` has the last word on an amount.
"""

import dataclasses
import json
import pathlib

ENDED = ("settled", "released", "attached")


@dataclasses.dataclass
class Charge:
    key: str
    base_url: str
    at: str
    state: str  # reserved, submitted, unknown, settled, released, attached
    project: str = ""
    estimate: float | None = None  # Its high end; None: unknown.
    task_id: str = ""
    amount: float | None = None  # None: not told.
    status: str = ""
    api: str = ""
    is_corrected: bool = False
    lines: list = dataclasses.field(default_factory=list)

    def is_untold(self):
        """Completed, and nobody knows what it cost. (A task that failed without an amount costs nothing.)"""
        return self.state == "settled" and self.amount is None and self.status != "failed"

    def is_under_way(self):
        return self.state in ("reserved", "submitted")

    def is_open(self):
        """It counts with its estimate."""
        return self.is_under_way() or self.state == "unknown" or self.is_untold()

    def spent(self):
        return 0 if self.state in ("released", "attached") else self.amount or 0

    def reserved(self, assumed_price=0):
        if not self.is_open():
            return 0
        return assumed_price if self.estimate is None else self.estimate


class Ledger:
    def __init__(self, store):
        self.charges = []
        self.bad_lines = []  # Lines that are no entries; a torn last one among them.
        path = pathlib.Path(store) / "ledger.jsonl"
        data = path.read_bytes() if path.exists() else b""
        self.is_torn = bool(data) and not data.endswith(b"\n")
        self.lines = []
        for line in data.split(b"\n"):
            if line:
                self.take(line)

    def take(self, line):
        try:
            entry = json.loads(line)
            event, key, at = entry["event"], entry["key"], entry["at"]
        except (ValueError, KeyError, TypeError):
            self.bad_lines.append(line)
            return
        self.lines.append(entry)
        change = getattr(self, "on_" + event, None)
        if change:
            charge = change(entry, key, at)
            if charge:
                charge.lines.append(entry)

    def begin(self, entry, key, at, state):
        estimate = entry.get("estimate")
        self.charges.append(Charge(key, entry.get("base_url", ""), at, state, entry.get("project", ""),
                                   estimate["high"] if estimate else None, entry.get("task_id", ""), api=entry.get("api", "")))
        return self.charges[-1]

    def by_task(self, entry):
        if not entry.get("task_id"):
            return None
        return next((charge for charge in self.charges
                     if (charge.base_url, charge.api, charge.task_id) == (entry.get("base_url", ""), entry.get("api", ""), entry["task_id"])),
                    None)

    def waiting(self, entry, key, state):
        return next((charge for charge in reversed(self.charges) if charge.key == key and charge.state == state and
                     not charge.task_id and charge.base_url == entry.get("base_url", "")), None)

    # ---- an event each

    def on_reserve(self, entry, key, at):
        return self.begin(entry, key, at, "reserved")

    def on_submitted(self, entry, key, at):
        charge = self.waiting(entry, key, "reserved")
        if self.by_task(entry):  # The service has answered with a task that is known: there is no other one.
            if charge:
                charge.state = "released"
            return charge
        charge = charge or self.waiting(entry, key, "unknown") or self.begin(entry, key, at, "submitted")
        charge.state, charge.task_id = "submitted", entry["task_id"]
        return charge

    def on_settle(self, entry, key, at):
        charge = self.by_task(entry)
        if not charge and not entry.get("attached"):
            charge = self.waiting(entry, key, "reserved")
        if not charge:
            is_own = entry.get("imported") and not entry.get("attached")
            charge = self.begin(entry, key, at, "settled" if is_own else "attached")
        charge.task_id = charge.task_id or entry.get("task_id", "")
        if charge.state != "attached":
            charge.state = "settled"
        charge.status = entry.get("status") or charge.status
        if entry.get("amount") is not None and not charge.is_corrected:
            charge.amount = entry["amount"]
        return charge

    def on_release(self, entry, key, _):
        charge = self.waiting(entry, key, "reserved")
        if charge:
            charge.state = "released"
        return charge

    def on_unknown(self, entry, key, at):
        charge = self.by_task(entry) or self.waiting(entry, key, "reserved")
        if not charge:
            is_known = not entry.get("imported") and not entry.get("task_id") and self.waiting(entry, key, "unknown")
            return None if is_known or entry.get("attached") else self.begin(entry, key, at, "unknown")
        charge.task_id = charge.task_id or entry.get("task_id", "")
        if charge.state not in ENDED:
            charge.state = "unknown"
        return charge

    def on_correct(self, entry, key, _):
        charge = self.by_task(entry)
        if not entry.get("task_id"):
            charge = next((one for one in reversed(self.charges) if one.key == key and one.state != "released"), None)
        if charge and entry.get("amount") is not None:
            charge.amount, charge.is_corrected = entry["amount"], True
            if charge.is_open():
                charge.state = "settled"
        return charge

    # ---- what it comes to

    def spent(self):
        return sum(charge.spent() for charge in self.charges)

    def reserved(self, assumed_price=0):
        return sum(charge.reserved(assumed_price) for charge in self.charges)

    def of_state(self, *states):
        return [charge for charge in self.charges if charge.state in states]

    def untold(self):
        return [charge for charge in self.charges if charge.is_untold()]

    def differences(self, account):
        """What the ledger and the service's own account disagree about, as sentences; for one service and one store.

        A task that the ledger names has the service's cost. One that it does not name is covered by a charge without a
        task whose outcome is unknown. What is unknown or untold is listed, not wrong."""
        wrong = []
        costs = {task["id"]: task for task in account["tasks"]}
        named = [charge for charge in self.charges if charge.task_id]
        for task_id in {charge.task_id for charge in named}:
            if sum(charge.task_id == task_id for charge in named) > 1:
                wrong.append(f"{task_id} is in the ledger twice")
        for charge in named:
            task = costs.get(charge.task_id)
            if not task:
                wrong.append(f"the service has no {charge.task_id}")
            elif charge.state == "released" and task["cost"]:
                wrong.append(f"{charge.task_id} is released, and cost {task['cost']}")
            elif charge.state == "settled" and not charge.is_untold() and abs(charge.spent() - (task["cost"] or 0)) > 1e-9:
                wrong.append(f"{charge.task_id} cost {task['cost']}, and {charge.spent()} by the ledger")
        unnamed = set(costs) - {charge.task_id for charge in named}
        nameless = [charge for charge in self.charges if charge.is_open() and not charge.task_id]
        if len(unnamed) > len(nameless):
            wrong.append(f"{len(unnamed)} tasks are not in the ledger ({sorted(unnamed)}), and {len(nameless)} charges are unknown")
        # To the credit: what is spent, and the tasks of which the ledger says that it does not know what they cost.
        listed = unnamed | {charge.task_id for charge in named if charge.is_open() or charge.state == "attached"}
        known = self.spent() + sum(costs[task_id]["cost"] or 0 for task_id in listed if task_id in costs)
        if abs(known - account["spent"]) > 1e-6:
            wrong.append(f"the service's account is {account['spent']}; the ledger's sum {self.spent()} with what is listed as "
                         f"unknown makes {known}")
        return wrong
