"""What `tornleaf db` promises to keep through kill -9, as checks on the rows that are found afterwards.

A row is a line of text: the key columns and the row's address, as `put` reads and `scan` prints it.

`put` and `delete` take their input in batches of min(256, --sync-every) rows, in order; each thread finishes a batch row
by row before it takes another. The log is one sequence, and a kill loses a tail of it. So after `durable N`:
  - the first N rows of the input are done;
  - of each batch the rows done are the first ones;
  - of the batches before the last one that was begun, no more are incomplete than there are threads: with one thread, the
    rows done are the first ones of the input;
  - nothing else has changed.
`vacuum` changes no row at all.
"""

BATCH_ROWS_MAX = 256
_SHOWN_MAX = 3


def batch_rows(sync_every):
    return min(BATCH_ROWS_MAX, sync_every)


def _complaint(what, rows):
    rows = list(rows)
    shown = ", ".join(repr(row) for row in rows[:_SHOWN_MAX])
    return [f"{what}: {len(rows)} ({shown}{', ...' if len(rows) > _SHOWN_MAX else ''})"] if rows else []


def order_problems(rows, done, acknowledged, threads, sync_every):
    """`rows`: the input; `done`: those of them that have been done; the first `acknowledged` must be among them."""
    size = batch_rows(sync_every)
    problems = _complaint("acknowledged and lost", [row for row in rows[:acknowledged] if row not in done])
    states = []
    for begin in range(0, len(rows), size):
        flags = [row in done for row in rows[begin:begin + size]]
        if False in flags and True in flags[flags.index(False):]:
            problems.append(f"rows {begin + 1} to {begin + len(flags)} of the input: a row without one before it")
        states.append(sum(flags) / len(flags))
    begun = max((index for index, state in enumerate(states) if state > 0), default=-1) + 1
    incomplete = sum(state < 1 for state in states[:begun])
    if incomplete > threads:
        problems.append(f"{incomplete} batches before the last one begun are incomplete, with {threads} threads")
    return problems


def _twice(found):
    seen = set()
    return [row for row in found if row in seen or seen.add(row)]


def problems_after_put(before, rows, acknowledged, threads, sync_every, found):
    """`before`: the rows that were there; `found`: what scan printed, in its order."""
    now = set(found)
    added = set(rows)
    return (_complaint("found twice", _twice(found))
            + _complaint("there before and lost", sorted(before - now))
            + _complaint("never put", sorted(now - before - added))
            + order_problems(rows, now & added, acknowledged, threads, sync_every))


def problems_after_delete(before, rows, acknowledged, threads, sync_every, found):
    now = set(found)
    deleted = set(rows)
    return (_complaint("found twice", _twice(found))
            + _complaint("not deleted and lost", sorted(before - deleted - now))
            + _complaint("never put", sorted(now - before))
            + order_problems(rows, deleted - now, acknowledged, threads, sync_every))


def problems_after_vacuum(before, found):
    now = set(found)
    return (_complaint("found twice", _twice(found))
            + _complaint("lost by vacuum", sorted(before - now))
            + _complaint("deleted and back", sorted(now - before)))
