# SPDX-License-Identifier: Apache-2.0
"""The one session of a process: what is recorded, from start to stop, and every way it can end."""

from __future__ import annotations

import atexit
import dataclasses
import os
import sys
import threading
import warnings
from typing import Any, Optional

from . import _native
from ._calls import CallCounts, CallTracer, PythonCalls

ENABLE = 'NEURON_RT_INSPECT_ENABLE'
BOTH_WARNING = (
    f'{ENABLE} is set and the program uses the profiling API. Do not use both at the same time: '
    f'unset {ENABLE}, or remove the call of the profiler. The runtime calls before this point are in '
    'a folder of their own.')


@dataclasses.dataclass(frozen=True)
class Settings:
    """What a session records; the public classes fill it in."""

    output_dir: str
    python: Optional[PythonCalls] = None
    operators: bool = True
    record_shapes: bool = True
    with_stack: bool = False
    with_modules: bool = True
    with_runtime: bool = True
    with_device: bool = True
    buffer_bytes: int = 0
    max_events_per_core: int = 0
    cores: Optional[str] = None  # such as 0,2-5
    duration_ms: Optional[float] = None


@dataclasses.dataclass(frozen=True)
class SessionResult:
    """What a session left: its folder and exact counts."""

    directory: str
    output_dir: str
    recorded: int
    lost: int
    calls: CallCounts


class _Timer(threading.Timer):
    """Ends a session; its own calls are not recorded."""

    def __init__(self, seconds: float, stop: Any) -> None:
        super().__init__(seconds, stop)
        self.name = 'neuron_explorer duration'
        self.daemon = True

    def run(self) -> None:
        _native.skip_thread()
        super().run()


class Session:
    """A running or finished session. Use start() and stop() of this module."""

    def __init__(self, settings: Settings, owner: str) -> None:
        self.settings = settings
        self.owner = owner  # who started it, for messages
        self.pid = os.getpid()
        self.result: Optional[SessionResult] = None
        self.ended_by: Optional[str] = None
        self._calls = CallTracer()
        self._operators: Any = None
        self._timer: Optional[threading.Timer] = None

    @property
    def is_running(self) -> bool:
        return self.result is None and self.pid == os.getpid()

    def _begin(self) -> None:
        settings = self.settings
        reason = _native.start(settings.output_dir, settings.buffer_bytes, settings.with_runtime,
                               settings.with_device, settings.max_events_per_core,
                               settings.cores)
        if reason:
            warnings.warn(f'{reason}; the profile has no runtime calls', RuntimeWarning, stacklevel=5)
        try:
            self._name_main_thread()
            if settings.operators and 'torch' in sys.modules:
                from . import _torch
                self._operators = _torch.OperatorTracer(settings)
                self._operators.start()
            if settings.duration_ms is not None:
                self._timer = _Timer(settings.duration_ms / 1000, self._stop_by_time)
                self._timer.start()
            if settings.python is not None:  # last: it records whatever follows
                self._calls.start(settings.python)
        except BaseException:
            self._finish()
            raise

    @staticmethod
    def _name_main_thread() -> None:
        _native.thread_name('MainThread' if threading.current_thread() is threading.main_thread()
                            else threading.current_thread().name)

    def _finish(self) -> None:
        calls = self._calls.stop()
        if self._operators is not None:
            self._operators.stop()
            self._operators = None
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        failure: Optional[Exception] = None
        try:
            _native.stop()
        except Exception as why:
            failure = why
        recorded, lost = _native.counts()
        self.result = SessionResult(_native.directory(), self.settings.output_dir, recorded, lost,
                                    calls)
        if failure is not None:
            raise failure
        if lost:
            warnings.warn(
                f'{lost} of {recorded} events were lost because the buffer was full. Record less (a '
                'larger min_duration_us, fewer modules, a shorter block) or give a larger buffer',
                RuntimeWarning, stacklevel=5)

    def _stop_by_time(self) -> None:
        with _lock:
            if _current is self and self.is_running:
                _stop_current('its duration')

    def _forget(self) -> None:
        """In the child of a fork, which has no session."""
        self._calls.forget()
        if self._operators is not None:
            self._operators.stop()
            self._operators = None
        self._timer = None
        self.ended_by = 'fork'


_lock = threading.RLock()
_current: Optional[Session] = None


def _stop_current(by: str) -> Session:
    global _current
    session = _current
    assert session is not None
    _current = None
    session.ended_by = by
    session._finish()
    return session


def start(settings: Settings, owner: str) -> Session:
    """RuntimeError if a session runs, OSError if the folder cannot be written."""
    global _current
    with _lock:
        if _current is not None:
            raise RuntimeError(
                f'{owner}: a session is already running, started by {_current.owner}. Only one can '
                'run at a time; stop it first')
        if os.environ.get(ENABLE) == '1':
            warnings.warn(BOTH_WARNING, UserWarning, stacklevel=4)
        session = Session(settings, owner)
        session._begin()
        _current = session
        return session


def stop(session: Optional[Session], by: str) -> Session:
    """Stops this session, or whichever runs if None. RuntimeError if none does."""
    with _lock:
        if session is not None and session.result is not None:
            return session
        if _current is None or (session is not None and session is not _current):
            if session is not None and session.ended_by == 'fork':
                raise RuntimeError(
                    f'{by}: this process is the child of a fork and has no session; the session '
                    f'of process {session.pid} continues there')
            raise RuntimeError(f'{by}: no session is running')
        return _stop_current(by)


def current() -> Optional[Session]:
    return _current


def _after_fork() -> None:
    global _current, _lock
    _lock = threading.RLock()
    if _current is not None:
        _current._forget()
        _current = None


def _at_exit() -> None:
    with _lock:
        if _current is None or not _current.is_running:
            return
        session = _stop_current('exit')
    result = session.result
    assert result is not None
    print(f'neuron_explorer: the program ended without stopping the session of {session.owner}; '
          f'the profile was completed at exit: {result.directory}', file=sys.stderr)


os.register_at_fork(after_in_child=_after_fork)
atexit.register(_at_exit)
