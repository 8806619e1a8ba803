"""Seeds that found a bug, with the bug. `make test` simulates each of them again.

A seed stands for a scenario only as long as the drawing of scenarios stays as it is. After a change of the drawing,
put each bug back and let the campaign find a new seed for it.
"""

REGRESSIONS: dict[int, str] = {
    0: "new limits for a schedule whose first run had its own time made it start again in the past",
    2: "fires that come unevenly were staggered past the fire after them, and next_run_at went backwards",
    10: "a start that failed after joining left a node behind that went on beating",
    12: "firing by hand twice in one instant raised IndexError",
    13: "a node that stayed for a run that could not be stopped never left, and never settled the run",
    15: "tiny steps of the virtual clock added up to time that never passed on its wall",
    138: "a node acted on a claim made just after the machine had slept, before its next heartbeat",
    193: "the same, with a retry",
    318: "the lease of a node whose registration was answered late was counted from the answer",
    764: "a clock that was wrong twice left a series that counts from its last fire silent until the second wrong time",
    958: "an attempt that ended while the clock was ahead and was settled after its correction waited for that time",
    1171: "a tick by hand gave up while the store was locked, and the run that it had carried out was done once more",
    1358: "the checker expected that a run which a rescue cancelled forgets its deaths, as runs that begin again do",
    2390: "a run claimed anew by the process that still acted for the old claim was confused with it, and never ended",
    5132: "the place of a superseded retry stood empty until the next rescue while others waited for it",
    712285: "the record of a fire skipped ahead was forgotten before its time, and the fire came back",
    910126: "fires waited and were skipped behind a backfill although a place was free",
    920095: "a superseded retry gave away a place that a lower limit had taken away",
    940797: "a schedule resumed after its only fire was skipped stood at that fire, and then nothing happened",
}
