# SPDX-License-Identifier: Apache-2.0
"""Records Python calls: sets the interpreter's hook, or sys.monitoring from Python 3.12 on."""

from __future__ import annotations

import dataclasses
import os
import sys
import threading
import warnings
from typing import Any, Optional

from . import _native

# Ours, and the machinery of imports, which nobody wants to see by default.
ALWAYS_EXCLUDED = ('neuron_explorer',)
DEFAULT_EXCLUDED = ('importlib', '_frozen_importlib', '_frozen_importlib_external', 'zipimport')
TOOL_NAME = 'neuron_explorer'


@dataclasses.dataclass(frozen=True)
class PythonCalls:
    """Which Python calls a session records.

    max_depth: how many recorded calls may nest; deeper ones are counted only (1 to 1024).
    min_duration_us: shorter calls are counted only.
    include: if not empty, only functions of these modules and packages.
    exclude: no functions of these modules and packages; calls that they make are still recorded.
    with_builtins: also functions in C, such as time.sleep.
    """

    max_depth: int = 128
    min_duration_us: float = 1.0
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = DEFAULT_EXCLUDED
    with_builtins: bool = True


@dataclasses.dataclass(frozen=True)
class CallCounts:
    """How many calls were recorded, and how many were left out because they were short or deep."""

    recorded: int = 0
    short: int = 0
    deep: int = 0
    functions: int = 0


def _thread_name() -> str:
    """The name of this thread; "" for one that Python did not make."""
    thread = threading._active.get(threading.get_ident())  # type: ignore[attr-defined]
    return '' if thread is None or isinstance(thread, threading._DummyThread) else thread.name


class CallTracer:
    """The hook of this process, on from start() to stop()."""

    def __init__(self) -> None:
        self._tool: Optional[int] = None
        self._is_on = False

    def start(self, options: PythonCalls) -> bool:
        """False, with a warning, if another profiler has the hook."""
        monitoring = getattr(sys, 'monitoring', None)
        if monitoring is None and sys.getprofile() is not None:
            warnings.warn('Python calls are not recorded: another profiler has set sys.setprofile; '
                          'stop it first', RuntimeWarning, stacklevel=4)
            return False
        if monitoring is not None and not self._take_tool(monitoring):
            warnings.warn('Python calls are not recorded: other tools use all places of '
                          'sys.monitoring; stop one first', RuntimeWarning, stacklevel=4)
            return False
        _native.calls_start(options.max_depth, max(0, int(options.min_duration_us * 1000)),
                            tuple(options.include), ALWAYS_EXCLUDED + tuple(options.exclude),
                            options.with_builtins, os.getcwd(), _thread_name,
                            monitoring.DISABLE if monitoring is not None else None)
        self._is_on = True
        if monitoring is not None:
            self._monitor(monitoring, options.with_builtins)
        else:
            threading.setprofile(_native.hook_thread)
            _native.hook_all(True)
        return True

    def stop(self) -> CallCounts:
        if not self._is_on:
            return CallCounts()
        self._is_on = False
        self._remove_hook()
        return CallCounts(*_native.calls_stop())

    def counts(self) -> CallCounts:
        return CallCounts(*_native.calls_counts())

    def forget(self) -> None:
        """In the child of a fork: no hook, and nothing is written."""
        if self._is_on:
            self._is_on = False
            self._remove_hook()
        _native.calls_forget()

    def _take_tool(self, monitoring: Any) -> bool:
        for tool in (monitoring.PROFILER_ID, 3, 4):
            if monitoring.get_tool(tool) is None:
                monitoring.use_tool_id(tool, TOOL_NAME)
                self._tool = tool
                return True
        return False

    def _monitor(self, monitoring: Any, with_builtins: bool) -> None:
        events = monitoring.events
        callbacks = {
            events.PY_START: _native.on_start, events.PY_RESUME: _native.on_start,
            events.PY_RETURN: _native.on_return, events.PY_YIELD: _native.on_return,
            events.PY_THROW: _native.on_throw, events.PY_UNWIND: _native.on_unwind,
        }
        wanted = 0
        for event in callbacks:
            wanted |= event
        if with_builtins:
            callbacks |= {events.CALL: _native.on_c_call, events.C_RETURN: _native.on_c_return,
                          events.C_RAISE: _native.on_c_return}
            wanted |= events.CALL  # brings C_RETURN and C_RAISE
        for event, callback in callbacks.items():
            monitoring.register_callback(self._tool, event, callback)
        monitoring.restart_events()
        monitoring.set_events(self._tool, wanted)

    def _remove_hook(self) -> None:
        monitoring = getattr(sys, 'monitoring', None)
        if monitoring is None:
            _native.hook_all(False)
            threading.setprofile(None)  # type: ignore[arg-type]
            return
        monitoring.set_events(self._tool, 0)
        events = monitoring.events
        for event in (events.PY_START, events.PY_RESUME, events.PY_RETURN, events.PY_YIELD,
                      events.PY_THROW, events.PY_UNWIND, events.CALL, events.C_RETURN,
                      events.C_RAISE):
            monitoring.register_callback(self._tool, event, None)
        monitoring.free_tool_id(self._tool)
        self._tool = None
