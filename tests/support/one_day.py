# SPDX-License-Identifier: LGPL-2.1-or-later
"""Days of UTC, by which budgets count."""

import time

DAY = 86400


def stay_within_one_day(seconds=30):
    """Waits for midnight if it is nearer than a test takes that spends what a day allows."""
    left = DAY - time.time() % DAY
    if left < seconds:
        time.sleep(left + 0.1)
