# SPDX-License-Identifier: Apache-2.0
"""Continuous recording: always on, in bounded memory; a snapshot saves what led up to now."""

from __future__ import annotations

import dataclasses
import os
import signal as signals
from typing import Optional, Union

from . import _native

PathLike = Union[str, 'os.PathLike[str]']


@dataclasses.dataclass(frozen=True)
class ContinuousCounts:
    """Records since start_continuous(). recorded == kept + overwritten + expired."""

    recorded: int  #: all of them numbered, from 0 on
    kept: int  #: still in memory
    overwritten: int  #: dropped since the budget was used up
    expired: int  #: dropped since they were older than the horizon
    lost: int  #: overwritten before they were numbered, not part of recorded
    snapshots: int  #: saved
    suppressed: int  #: triggers that came too soon after another
    kept_s: float  #: age of the oldest record that is kept


def start_continuous(output_dir: PathLike = './output', *, budget_bytes: int = 64 << 20,
                     horizon_s: float = 60, with_runtime: bool = True, with_device: bool = True,
                     cores: Optional[str] = None,
                     signal: Union[None, int, signals.Signals] = None,
                     slow_step_factor: float = 0, on_error: bool = False,
                     device_memory_bytes: int = 0, collective_timeout_s: float = 0,
                     min_interval_s: float = 60, max_snapshots: int = 100) -> None:
    """Records annotations, steps, counters and the runtime's events from now on, and keeps the latest
    in memory: those of the last horizon_s seconds, as far as budget_bytes last.

    The other arguments are triggers, which save a snapshot below output_dir when something happens:
    signal arrives; a step takes longer than its 99th percentile times slow_step_factor; a call of
    the runtime fails (on_error); a core uses more device memory than device_memory_bytes; ranks wait
    for each other longer than collective_timeout_s. At most one per min_interval_s, and
    max_snapshots in all. A session (trace, profile) may run at the same time.
    """
    _native.continuous_start(os.fspath(output_dir), budget_bytes, round(horizon_s * 1000),
                             with_runtime, with_device, cores, int(signal or 0),
                             float(slow_step_factor), on_error, device_memory_bytes,
                             round(collective_timeout_s * 1000), round(min_interval_s * 1000),
                             max_snapshots)


def stop_continuous() -> None:
    """Stops continuous recording and drops what was kept. RuntimeError if it is not on."""
    _native.continuous_stop()


def is_continuous() -> bool:
    """Whether continuous recording is on, from start_continuous() or NEURON_PROFILER_CONTINUOUS."""
    return _native.continuous_is_on()


def snapshot(reason: Optional[str] = None, output_dir: Optional[PathLike] = None) -> str:
    """Saves what continuous recording has kept, and returns the folder. Recording goes on. The
    reason is stored in snapshot.json."""
    return _native.snapshot(reason, None if output_dir is None else os.fspath(output_dir))


def continuous_counts() -> ContinuousCounts:
    """What continuous recording did so far; all 0 if it is not on."""
    *counts, kept_ns = _native.continuous_counts()
    return ContinuousCounts(*counts, kept_s=kept_ns / 1e9)
