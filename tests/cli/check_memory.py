#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Check that the rows of the memory tracker add up.

usage: check_memory.py PROFILE.json

At the end of every moment the tensors' live bytes are the total that the rows state (the demo's
tensors share no addresses), and the totals of SBUF are the usage of instruction_usage (after the last change of a nanosecond).
Prints how many rows each memory of each core has.
"""

import bisect
import collections
import json
import sys

SBUF_BYTES = 229376  # of a partition of trn2


def totals_of(rows):
    live = collections.defaultdict(dict)
    totals = collections.defaultdict(dict)
    stated = collections.Counter()
    for row in rows:
        memory = (row['subgraph'], row['memory'])
        live[memory][row['kind'], row['tensor']] = row['live_bytes']
        totals[memory][row['timestamp']] = (row['total_bytes'], sum(live[memory].values()))
        stated[memory] += 1
    for memory, moments in totals.items():
        for timestamp, (total, added) in moments.items():
            if total != added:
                sys.exit(f'{memory} at {timestamp}: total_bytes {total}, the tensors have {added}')
    return totals, stated


def check_usage(usage, totals):
    last = {(row['subgraph'], row['timestamp']): row for row in usage if row['type'] == 'sb'}
    for row in last.values():
        moments = totals.get((row['subgraph'], 'sbuf'), {})
        times = sorted(moments)
        at = bisect.bisect_right(times, row['timestamp'])
        want = moments[times[at - 1]][0] / SBUF_BYTES if at else 0
        if abs(want - row['usage_avg']) > 1e-6:
            sys.exit(f'{row}: the memory tracker has {want}')


def main(path):
    with open(path, encoding='utf-8') as file:
        profile = json.load(file)
    totals, stated = totals_of(profile['memory_tracker'])
    check_usage(profile['instruction_usage'], totals)
    for core in sorted({core for core, _ in stated}):
        print(', '.join(f'{core} {memory}: {count} rows'
                        for (owner, memory), count in sorted(stated.items()) if owner == core))


if __name__ == '__main__':
    main(sys.argv[1])
